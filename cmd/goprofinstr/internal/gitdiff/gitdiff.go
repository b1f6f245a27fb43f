// Package gitdiff asks git which lines of Go files have changed.
package gitdiff

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bluekeyes/go-gitdiff/gitdiff"
)

// Changed returns the lines that are new or other than at a revision in the Go files in folder dir and beneath it,
// committed or not, by file name relative to dir. Files that git does not know yet are new altogether. Lines that
// have only been deleted leave nothing behind.
func Changed(dir, rev string) (map[string]map[int]bool, error) {
	if err := Verify(dir, rev); err != nil {
		return nil, err
	}
	text, err := git(dir, "diff", "--no-color", "--no-ext-diff", "--no-textconv", "--text", "--unified=0", "--relative",
		"--src-prefix=a/", "--dst-prefix=b/", rev, "--", "*.go")
	if err != nil {
		return nil, err
	}
	files, _, err := gitdiff.Parse(bytes.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("output of git diff: %w", err)
	}
	changed := make(map[string]map[int]bool)
	for _, f := range files {
		if f.IsDelete {
			continue
		}
		lines := make(map[int]bool)
		for _, part := range f.TextFragments {
			// Settings such as diff.interHunkContext have lines between changes, and GIT_DIFF_OPTS has lines around them.
			at := int(part.NewPosition)
			for _, line := range part.Lines {
				if line.Op == gitdiff.OpAdd {
					lines[at] = true
				}
				if line.New() {
					at++
				}
			}
		}
		changed[f.NewName] = lines
	}
	return changed, addUntracked(dir, changed)
}

// Verify returns an error for what is no revision in the repository around a folder.
func Verify(dir, rev string) error {
	if _, err := git(dir, "rev-parse", "--verify", "--quiet", "--end-of-options", rev+"^{commit}"); err != nil {
		if _, outside := git(dir, "rev-parse", "--show-prefix"); outside != nil {
			return outside
		}
		return fmt.Errorf("git knows no revision %q in %s: git fetch gets it, "+
			"and in GitHub's actions/checkout fetch-depth: 0", rev, dir)
	}
	return nil
}

func addUntracked(dir string, changed map[string]map[int]bool) error {
	names, err := git(dir, "ls-files", "-z", "--others", "--exclude-standard", "--", "*.go")
	if err != nil {
		return err
	}
	for name := range strings.SplitSeq(string(names), "\x00") {
		if name == "" {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, name))
		if errors.Is(err, fs.ErrNotExist) {
			continue // a link to nothing, as Emacs locks files by
		}
		if err != nil {
			return err
		}
		lines := make(map[int]bool)
		for i := range bytes.Count(text, []byte("\n")) + 1 {
			lines[i+1] = true
		}
		changed[name] = lines
	}
	return nil
}

// Prefix returns the name of folder dir relative to the root of its repository, with a slash at the end; "" for the
// root itself and outside of repositories.
func Prefix(dir string) string {
	out, err := git(dir, "rev-parse", "--show-prefix")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}

// git runs git and returns its output. The error has what it says, on one line.
func git(dir string, args ...string) ([]byte, error) {
	cmd := exec.Command("git", append([]string{"-C", dir}, args...)...)
	out, err := cmd.Output()
	var failed *exec.ExitError
	if errors.As(err, &failed) {
		line, _, _ := strings.Cut(strings.TrimSpace(string(failed.Stderr)), "\n")
		if line == "" {
			line = failed.Error()
		}
		command := slices.IndexFunc(args, func(arg string) bool { return !strings.HasPrefix(arg, "-") })
		return nil, fmt.Errorf("git %s: %s", args[command], line)
	}
	return out, err
}
