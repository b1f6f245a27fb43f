package instrument

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"golang.org/x/tools/go/packages"

	"github.com/goprofinstr/goprofinstr/rewrite/inline"
)

// userProfiles are the profiles that the user's build has by -pgo.
type userProfiles struct {
	all    []inline.Edge            // of all packages
	byMain map[string][]inline.Edge // of single main packages, by import path
}

func (u *userProfiles) of(path string) []inline.Edge {
	if edges := u.byMain[path]; edges != nil {
		return edges
	}
	return u.all
}

// userProfiles finds and reads the profiles as cmd/go/internal/load.setPGOProfilePath does.
func (in *Inlining) userProfiles() (*userProfiles, error) {
	u := &userProfiles{byMain: make(map[string][]inline.Edge)}
	var err error
	switch value, ok := in.tc.lookup(in.cmd, "pgo"); {
	case value == "off":
	case ok && value != "auto":
		if !filepath.IsAbs(value) {
			value = filepath.Join(in.cmd.Dir, value)
		}
		u.all, err = in.readProfile(value)
	default:
		err = in.defaultProfiles(u)
	}
	return u, err
}

// defaultProfiles reads the files default.pgo of main packages. The go command uses them for all that these import; of
// several programs it compiles what they have in common several times. -gcflags does not tell these apart, so then only
// the main packages keep their profiles.
func (in *Inlining) defaultProfiles(u *userProfiles) error {
	var roots []*packages.Package
	for _, p := range in.roots {
		if p.ID == p.PkgPath && !isTestMain(p) {
			roots = append(roots, p)
		}
	}
	for _, p := range roots {
		file := filepath.Join(p.Dir, "default.pgo")
		if _, err := os.Stat(file); p.Name != "main" || err != nil {
			continue
		}
		edges, err := in.readProfile(file)
		switch {
		case err != nil:
			return err
		case len(roots) == 1:
			u.all = edges
		default:
			u.byMain[p.PkgPath] = edges
			in.Narrowed = append(in.Narrowed, file)
		}
	}
	return nil
}

// readProfile reads a profile with the toolchain's own program for it, or what that has written.
func (in *Inlining) readProfile(name string) ([]inline.Edge, error) {
	if data, err := os.ReadFile(name); err == nil {
		if edges, ok := inline.ReadPreprofile(data); ok {
			return edges, nil
		}
	}
	out := filepath.Join(in.work, "user.preprofile")
	cmd := exec.Command(in.tc.Go, "tool", "preprofile", "-i", name, "-o", out)
	cmd.Env = in.tc.Environ()
	if message, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("cannot read profile %s: %v: %s", name, err, firstLine(string(message)))
	}
	data, err := os.ReadFile(out)
	if err != nil {
		return nil, err
	}
	edges, ok := inline.ReadPreprofile(data)
	if !ok {
		return nil, fmt.Errorf("cannot read profile %s as go tool preprofile writes it", name)
	}
	return edges, nil
}
