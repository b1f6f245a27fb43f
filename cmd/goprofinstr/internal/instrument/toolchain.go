package instrument

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/version"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/gocmd"
)

// minGo is the oldest release whose standard library has all that the runtime
// imports (internal/runtime/syscall/linux is the newest of it).
const minGo = "go1.26"

// Toolchain is the Go toolchain behind a go command, from `go env`.
type Toolchain struct {
	GOROOT, GOVERSION, GOOS, GOARCH, GOMODCACHE, GOFLAGS, GOMOD, GOWORK, GOTOOLDIR string

	Go   string   `json:"-"` // the go command to run
	all  string   // what go env said: these and goSettings
	env  []string // what its environment needs besides that of the process
	real string   // GOROOT's own name, where GOROOT is another name for it
}

// goSettings are what else decides what the go command builds, and where it keeps that. The flags for the C compiler are
// left out, for which the go command would run it.
var goSettings = []string{"GOCACHE", "GOEXPERIMENT", "GO386", "GOAMD64", "GOARM", "GOARM64", "GOMIPS", "GOMIPS64", "GOPPC64", "GORISCV64", "GOWASM",
	"GOFIPS140", "CGO_ENABLED", "CC", "CXX"}

// Environ returns the environment for the go command.
func (tc *Toolchain) Environ() []string {
	return append(os.Environ(), tc.env...)
}

// Name returns the name by which the toolchain knows a file.
func (tc *Toolchain) Name(file string) string {
	if rest, ok := strings.CutPrefix(file, tc.real+string(filepath.Separator)); ok && tc.real != "" {
		return filepath.Join(tc.GOROOT, rest)
	}
	return file
}

// inStd reports whether the go command runs in the standard library's own module.
func (tc *Toolchain) inStd() bool {
	root := tc.GOROOT
	if tc.real != "" {
		root = tc.real
	}
	return tc.GOMOD == filepath.Join(root, "src", "go.mod")
}

// lookup returns the value of a flag of the go command, from its command line or GOFLAGS.
func (tc *Toolchain) lookup(c *gocmd.Command, name string) (value string, ok bool) {
	if value, ok = c.Lookup(name); ok {
		return value, ok
	}
	for _, word := range strings.Fields(tc.GOFLAGS) {
		flag, v, hasValue := strings.Cut(strings.TrimLeft(strings.Trim(word, `"'`), "-"), "=")
		if flag == name {
			if !hasValue {
				v = "true"
			}
			value, ok = v, true
		}
	}
	return value, ok
}

// loadFlags returns the flags with which `go list` sees the packages of c, and the environment for it. A
// -modfile in GOFLAGS becomes a flag: go/packages also runs the go command outside of
// module mode, where it is an error.
func (tc *Toolchain) loadFlags(c *gocmd.Command) (flags, env []string) {
	flags = c.LoadFlags()
	var words []string
	for _, word := range strings.Fields(tc.GOFLAGS) {
		if name, ok := strings.CutPrefix(strings.TrimLeft(word, "-"), "modfile="); ok {
			flags = append([]string{"-modfile=" + name}, flags...)
		} else {
			words = append(words, word)
		}
	}
	return flags, append(os.Environ(), "GOFLAGS="+strings.Join(words, " "))
}

// is reports whether a boolean flag is set on the command line or in GOFLAGS.
func (tc *Toolchain) is(c *gocmd.Command, name string) bool {
	value, ok := tc.lookup(c, name)
	return ok && value != "false" && value != "0"
}

// moduleFile returns the file in which the go command reads what replaces modules: go.work, the one that
// -modfile names, or go.mod. It returns "" if there is none.
func (tc *Toolchain) moduleFile(c *gocmd.Command) string {
	name := tc.GOMOD
	if tc.GOWORK != "" && tc.GOWORK != "off" {
		name = tc.GOWORK
	} else if modfile, ok := tc.lookup(c, "modfile"); ok {
		if name = modfile; !filepath.IsAbs(name) {
			name = filepath.Join(c.Dir, name)
		}
	}
	if name == "" || name == os.DevNull {
		return ""
	}
	abs, err := filepath.Abs(name)
	if err != nil {
		return ""
	}
	return abs
}

// FindToolchain asks the go command of c which toolchain it uses where it runs.
func FindToolchain(c *gocmd.Command) (*Toolchain, error) {
	names := []string{"GOROOT", "GOVERSION", "GOOS", "GOARCH", "GOMODCACHE", "GOFLAGS", "GOMOD", "GOWORK", "GOTOOLDIR"}
	cmd := exec.Command(c.Go, slices.Concat([]string{"env", "-json"}, names, goSettings)...)
	cmd.Dir = c.Dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	data, err := cmd.Output()
	if err != nil {
		if errors.Is(err, exec.ErrNotFound) || errors.Is(err, os.ErrNotExist) {
			return nil, fmt.Errorf("cannot run %s: %v", c.Go, err)
		}
		return nil, fmt.Errorf("%s env: %v: %s", c.Go, err, firstLine(stderr.String()))
	}
	tc := &Toolchain{all: string(data)}
	if err := json.Unmarshal(data, tc); err != nil {
		return nil, fmt.Errorf("%s env: %v", c.Go, err)
	}
	// A development version is not valid here, and is new enough.
	if version.IsValid(tc.GOVERSION) && version.Compare(tc.GOVERSION, minGo) < 0 {
		return nil, fmt.Errorf("%s is %s; goprofinstr needs %s or newer", c.Go, tc.GOVERSION, minGo)
	}
	tc.Go = c.Go
	if tc.GOMODCACHE == "" {
		// There is neither HOME nor GOPATH. Modules without dependencies build so, but not with -overlay: "Files
		// beneath GOMODCACHE () must not be replaced". No file is beneath this name, and none can come to be.
		tc.env = append(tc.env, "GOMODCACHE="+filepath.Join(os.DevNull, "no-module-cache"))
	}
	if strings.ContainsRune(c.Go, filepath.Separator) {
		// go/packages runs the go command that it finds in this process's PATH.
		dir, err := filepath.Abs(filepath.Dir(c.Go))
		if err != nil {
			return nil, err
		}
		os.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	}
	if tc.GOMODCACHE != "" && strings.HasPrefix(tc.GOROOT, tc.GOMODCACHE+string(filepath.Separator)) {
		return tc, tc.rename()
	}
	return tc, nil
}

// rename gives a toolchain in the module cache, where GOTOOLCHAIN downloads them to, another name
// outside of it: the go command accepts no overlay of files beneath GOMODCACHE. The name is always the
// same, so that packages that depend on it stay in the build cache.
func (tc *Toolchain) rename() error {
	cache, err := os.UserCacheDir()
	if err != nil {
		return fmt.Errorf("no folder for a link to %s: %v", tc.GOVERSION, err)
	}
	link := filepath.Join(cache, "goprofinstr", filepath.Base(tc.GOROOT))
	if err := os.MkdirAll(filepath.Dir(link), 0o777); err != nil {
		return err
	}
	if target, err := os.Readlink(link); err != nil || target != tc.GOROOT {
		os.Remove(link)
		if err := os.Symlink(tc.GOROOT, link); err != nil && !errors.Is(err, os.ErrExist) {
			return err
		}
	}
	tc.real, tc.GOROOT = tc.GOROOT, link
	tc.Go = filepath.Join(link, "bin", "go")
	tc.env = append(tc.env, "GOROOT="+link, "GOTOOLCHAIN=local")
	return nil
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	return line
}
