package mergebase

import (
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/gocmd"
	"github.com/goprofinstr/goprofinstr/export/profiledir"
)

// A recording is how a profile was made.
type recording struct {
	cmd   *gocmd.Command
	dir   string   // where, below the root
	flags []string // of wrap
}

// String returns the command line.
func (r *recording) String() string {
	return strings.Join(slices.Concat([]string{"goprofinstr wrap"}, r.flags, r.words()), " ")
}

// words are the go command.
func (r *recording) words() []string { return append([]string{r.cmd.Go}, r.cmd.Args()...) }

// outputs are flags of go test that name files to be written. They may be in the user's checkout.
var outputs = []string{
	"o", "coverprofile", "cpuprofile", "memprofile", "blockprofile", "mutexprofile", "trace", "outputdir",
}

// recorded returns how the profile in a directory was made. Programs other than tests are not run again: what else they do
// nobody knows.
func recorded(dir string, m *profiledir.Manifest) (*recording, error) {
	if m == nil || len(m.Command) == 0 {
		return nil, fmt.Errorf("%s does not say which command has made it, as it is merged, or of a program that was built", dir)
	}
	cmd, err := gocmd.Parse(m.Command)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s: %w", dir, err)
	case cmd.Verb != "test" || cmd.Is("c"):
		return nil, fmt.Errorf("%s is of go %s, and only tests are run again", dir, cmd.Verb)
	case m.Dir == "":
		return nil, fmt.Errorf("%s does not say where its command ran: run goprofinstr wrap again", dir)
	case filepath.IsAbs(cmd.Dir):
		return nil, errors.New("go -C has an absolute path, which is not that of another commit")
	}
	for _, name := range outputs {
		cmd.Remove(name)
	}
	return &recording{cmd, m.Dir, m.Wrap}, nil
}

// enter has a command that ran outside of the repository, of which there is no worktree, run in the folder of its -C. The
// prefix is that of the root in the repository.
func (r *recording) enter(prefix, dir string, m *profiledir.Manifest) error {
	inside := func(folder string) bool { return filepath.IsLocal(filepath.FromSlash(path.Join(prefix, folder))) }
	if inside(r.dir) {
		return nil
	}
	from := filepath.Join(m.Root, filepath.FromSlash(r.dir))
	rel, err := filepath.Rel(m.Root, filepath.Join(from, r.cmd.Dir))
	if err != nil || !inside(filepath.ToSlash(rel)) {
		return fmt.Errorf("%s was made in %s, outside of the repository: run goprofinstr wrap in it again", dir, from)
	}
	r.dir = filepath.ToSlash(rel)
	r.cmd.DropDir()
	return nil
}
