package keepinline

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"golang.org/x/tools/go/packages"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/cache"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/toolchain"
	"github.com/goprofinstr/goprofinstr/internal/pgofile"
	"github.com/goprofinstr/goprofinstr/rewrite/inline"
	"github.com/goprofinstr/goprofinstr/rewrite/load"
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
	switch value, ok := in.tc.Lookup(in.cmd, "pgo"); {
	case value == "off":
	case ok && value != "auto":
		if !filepath.IsAbs(value) {
			value = filepath.Join(in.cmd.Dir, value)
		}
		u.all, err = ReadProfile(in.tc, in.work, value)
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
		if p.ID == p.PkgPath && !load.IsTestMain(p) {
			roots = append(roots, p)
		}
	}
	for _, p := range roots {
		file := filepath.Join(p.Dir, "default.pgo")
		if _, err := os.Stat(file); p.Name != "main" || err != nil {
			continue
		}
		edges, err := ReadProfile(in.tc, in.work, file)
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

// ReadProfile reads a profile with the toolchain's own program for it, or what that has written. work is a folder
// for temporary files.
func ReadProfile(tc *toolchain.Toolchain, work, name string) ([]inline.Edge, error) {
	if data, err := os.ReadFile(name); err == nil {
		if edges, ok := inline.ReadPreprofile(data); ok {
			return edges, nil
		}
	}
	out := filepath.Join(work, "user.preprofile")
	cmd := exec.Command(tc.Go, "tool", "preprofile", "-i", name, "-o", out)
	cmd.Env = tc.HelperEnviron()
	if message, err := tc.Helpers.CombinedOutput(cmd); err != nil {
		return nil, fmt.Errorf("cannot read profile %s: %v: %s", name, err, toolchain.FirstLine(string(message)))
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

// Folder is the name of the folder of the compiler's profiles, in that of this program. They have names of their
// own, which are on command lines and so in the keys of the build cache.
const Folder = "inline"

// ProfileDir returns the folder of the compiler's profiles.
func ProfileDir() (string, error) {
	dir, err := os.UserCacheDir()
	return filepath.Join(dir, "goprofinstr", Folder), err
}

// WriteProfile writes a profile for the compiler to a folder, and returns its name there.
func WriteProfile(dir string, edges []inline.Edge) (name string, err error) {
	data, err := pgofile.Encode(edges)
	if err != nil {
		return "", err
	}
	name = filepath.Join(dir, fmt.Sprintf("%x.pgo", sha256.Sum256(data)))
	return name, writeOnce(name, data)
}

// writeOnce writes a file whose name says what is in it. Others may be reading or writing the same.
func writeOnce(name string, data []byte) error {
	if _, err := os.Stat(name); err == nil {
		cache.Touch(name, time.Now()) // or it is trimmed before the compiler reads it
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(name), "new")
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err := errors.Join(err, f.Close()); err != nil {
		os.Remove(f.Name())
		return err
	}
	return os.Rename(f.Name(), name)
}
