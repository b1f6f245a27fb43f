// Package toolchain knows the Go toolchain behind a go command: where it is, which release it is of, what its
// environment and GOFLAGS say, and which hooks its runtime has a place for.
package toolchain

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/child"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/gocmd"
	"github.com/goprofinstr/goprofinstr/rewrite/release"
	"github.com/goprofinstr/goprofinstr/rewrite/target"
)

// A Toolchain is the Go toolchain behind a go command, from `go env`.
type Toolchain struct {
	GOROOT, GOVERSION, GOOS, GOARCH, GOMODCACHE, GOFLAGS, GOMOD, GOWORK, GOTOOLDIR, GOTMPDIR string

	Go   string   `json:"-"` // the go command to run
	Env  []string `json:"-"` // what its environment needs besides that of the process
	Work string   `json:"-"` // a folder for temporary files that signals remove, "" for that of the go command

	Helpers *child.Helpers `json:"-"` // signals stop them; or nil

	all  string // what go env said: these and goSettings
	std  string // the same without the module, where that makes no difference to the standard library
	real string // GOROOT's own name, where GOROOT is another name for it

	hooks map[bool]*target.Hooks // what Hooks has found, by perTest
}

// goSettings are what else decides what the go command builds, in any release: go env prints an empty value for a
// name that it does not know.
var goSettings = release.Flags(func(g *release.GoCommand) []string { return g.Settings })

// Release returns what is known of the toolchain's release.
func (tc *Toolchain) Release() *release.Release { return release.Of(tc.GOVERSION) }

// Environ returns the environment for the go command.
func (tc *Toolchain) Environ() []string {
	return append(os.Environ(), tc.Env...)
}

// HelperEnviron returns the environment for go commands that are helpers. One that is killed leaves its temporary files, and
// these are removed with Work. The program of go run, and tests, do not see that folder.
func (tc *Toolchain) HelperEnviron() []string {
	env := tc.Environ()
	if dir := tc.temp(); dir != "" {
		env = append(env, "GOTMPDIR="+dir)
	}
	return env
}

// temp returns the folder for the temporary files of helpers, "" where it is the go command's own: the user's may have more room.
func (tc *Toolchain) temp() string {
	if tc.GOTMPDIR != "" {
		return ""
	}
	return tc.Work
}

// Name returns the name by which the toolchain knows a file.
func (tc *Toolchain) Name(file string) string {
	if rest, ok := strings.CutPrefix(file, tc.real+string(filepath.Separator)); ok && tc.real != "" {
		return filepath.Join(tc.GOROOT, rest)
	}
	return file
}

// RealName returns a file's own name, where the toolchain knows it by another.
func (tc *Toolchain) RealName(file string) string {
	if rest, ok := strings.CutPrefix(file, tc.GOROOT+string(filepath.Separator)); ok && tc.real != "" {
		return filepath.Join(tc.real, rest)
	}
	return file
}

// InStd reports whether the go command runs in the standard library's own module.
func (tc *Toolchain) InStd() bool {
	root := tc.GOROOT
	if tc.real != "" {
		root = tc.real
	}
	return tc.GOMOD == filepath.Join(root, "src", "go.mod")
}

// Compiler returns the compiler of a toolchain.
func (tc *Toolchain) Compiler() string {
	return filepath.Join(tc.GOTOOLDIR, "compile")
}

// Settings returns what go env said as environment variables: go env -w may have set some, and the compiler does
// not know of that.
func (tc *Toolchain) Settings() (env []string) {
	all := tc.values()
	for _, name := range slices.Concat(goSettings, []string{"GOROOT", "GOOS", "GOARCH"}) {
		env = append(env, name+"="+all[name])
	}
	return env
}

// Described returns what go env said: all that decides what the go command builds, for the keys of what depends on it.
func (tc *Toolchain) Described() string { return tc.all }

// DescribedStd is Described for the keys of what depends on the standard library alone, which the go command builds alike for
// all modules: what it found out in one module is known in the next.
func (tc *Toolchain) DescribedStd() string { return tc.std }

// describe sets what go env said, without the folder for temporary files: it decides nothing about what is built.
func (tc *Toolchain) describe(said []byte) {
	tc.all = string(said)
	all := tc.values()
	delete(all, "GOTMPDIR")
	data, err := json.MarshalIndent(all, "", "\t") // as the go command writes it
	if err != nil {
		panic("BUG: strings: " + err.Error())
	}
	tc.all = string(data) + "\n"
}

// describeStd returns what go env said without the module. Where a workspace or the standard library itself is the module, it
// is all that go env said: the patterns of -gcflags may match packages of the standard library there.
func (tc *Toolchain) describeStd() string {
	if tc.Workspace() != "" || strings.HasPrefix(tc.GOMOD, tc.GOROOT+string(filepath.Separator)) {
		return tc.all
	}
	all := tc.values()
	delete(all, "GOMOD")
	return fmt.Sprint(all) // sorted by name
}

// values returns what go env said by name.
func (tc *Toolchain) values() map[string]string {
	all := make(map[string]string)
	if err := json.Unmarshal([]byte(tc.all), &all); err != nil {
		panic("BUG: go env was read before: " + err.Error())
	}
	return all
}

// Target returns what package target knows of the toolchain.
func (tc *Toolchain) Target() target.Toolchain {
	return target.Toolchain{GOROOT: tc.GOROOT, GOOS: tc.GOOS, GOARCH: tc.GOARCH}
}

// ModuleFile returns the file in which the go command reads what replaces modules: go.work, the one that
// -modfile names, or go.mod. It returns "" if there is none.
func (tc *Toolchain) ModuleFile(c *gocmd.Command) string {
	name := tc.GOMOD
	if tc.Workspace() != "" {
		name = tc.GOWORK
	} else if modfile, ok := tc.Lookup(c, "modfile"); ok {
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

// Workspace returns the folder of the go.work that the go command uses, "" if it uses none.
func (tc *Toolchain) Workspace() string {
	if tc.GOWORK == "" || tc.GOWORK == "off" {
		return ""
	}
	return filepath.Dir(tc.GOWORK)
}

// Missing is the error where there is no go command, or one that is too old.
type Missing struct{ error }

// Find asks the go command of c which toolchain it uses where it runs.
func Find(c *gocmd.Command) (*Toolchain, error) {
	program, isPath := c.Go, strings.ContainsRune(c.Go, filepath.Separator)
	if isPath { // of this process's folder, and not of that of -C
		var err error
		if program, err = filepath.Abs(c.Go); err != nil {
			return nil, err
		}
	}
	names := []string{"GOROOT", "GOVERSION", "GOOS", "GOARCH", "GOMODCACHE", "GOFLAGS", "GOMOD", "GOWORK", "GOTOOLDIR",
		"GOTMPDIR"}
	cmd := exec.Command(program, slices.Concat([]string{"env", "-json"}, names, goSettings)...)
	cmd.Dir = c.Dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	data, err := cmd.Output()
	if err != nil {
		if errors.Is(err, exec.ErrNotFound) || errors.Is(err, os.ErrNotExist) {
			return nil, Missing{fmt.Errorf("cannot run %s: %v", c.Go, err)}
		}
		return nil, fmt.Errorf("%s env: %v: %s", c.Go, err, FirstLine(stderr.String()))
	}
	tc := new(Toolchain)
	if err := json.Unmarshal(data, tc); err != nil {
		return nil, fmt.Errorf("%s env: %v", c.Go, err)
	}
	tc.describe(data)
	tc.std = tc.describeStd()
	if !release.Supports(tc.GOVERSION) {
		return nil, Missing{fmt.Errorf("%s is %s; goprofinstr needs %s or newer", c.Go, tc.GOVERSION, release.Oldest().Lang)}
	}
	tc.Go = program
	if tc.GOMODCACHE == "" {
		// There is neither HOME nor GOPATH. Modules without dependencies build so, but not with -overlay: "Files
		// beneath GOMODCACHE () must not be replaced". No file is beneath this name, and none can come to be.
		tc.Env = append(tc.Env, "GOMODCACHE="+filepath.Join(os.DevNull, "no-module-cache"))
	}
	if isPath { // go/packages runs the go command that it finds in this process's PATH
		os.Setenv("PATH", filepath.Dir(program)+string(os.PathListSeparator)+os.Getenv("PATH"))
	}
	if tc.GOMODCACHE != "" && strings.HasPrefix(tc.GOROOT, tc.GOMODCACHE+string(filepath.Separator)) {
		if err := tc.rename(); err != nil {
			what := "needs a link in the user's cache folder"
			if errors.As(err, new(noFolder)) || errors.Is(err, fs.ErrPermission) {
				what += "; set " + cacheVariable(runtime.GOOS) + " to a folder that can be written to"
			}
			return nil, fmt.Errorf("%w: %s is in the module cache and %s", err, tc.GOVERSION, what)
		}
	}
	return tc, nil
}

// A noFolder is the error where the user's cache folder is not known, cannot be made, or has no place for a link.
type noFolder struct{ error }

// notPrivileged is Windows's ERROR_PRIVILEGE_NOT_HELD: the user may make links in no folder. No other system has that number.
const notPrivileged = syscall.Errno(1314)

func (e noFolder) Unwrap() error { return e.error }

// cacheVariable returns the environment variable that os.UserCacheDir finds the folder by.
func cacheVariable(goos string) string {
	switch goos {
	case "windows":
		return "LocalAppData"
	case "darwin", "ios":
		return "HOME"
	}
	return "XDG_CACHE_HOME"
}

// rename gives a toolchain in the module cache, where GOTOOLCHAIN downloads them to, another name
// outside of it: the go command accepts no overlay of files beneath GOMODCACHE. The name is always the
// same, so that packages that depend on it stay in the build cache. Each module cache has its own name, so that no
// other wrap leads the link elsewhere.
func (tc *Toolchain) rename() error {
	cache, err := os.UserCacheDir()
	if err != nil {
		return noFolder{err}
	}
	sum := sha256.Sum256([]byte(tc.GOROOT))
	link := filepath.Join(cache, "goprofinstr", fmt.Sprintf("%s-%x", filepath.Base(tc.GOROOT), sum[:4]))
	if err := linkTo(tc.GOROOT, link); err != nil {
		return err
	}
	tc.real, tc.GOROOT = tc.GOROOT, link
	tc.Go = filepath.Join(link, "bin", "go")
	tc.Env = append(tc.Env, "GOROOT="+link, "GOTOOLCHAIN=local")
	return nil
}

// linkTo has a link lead to a folder. What is there is replaced in one step.
func linkTo(dir, link string) error {
	leads := func() bool {
		target, err := os.Readlink(link)
		return err == nil && target == dir
	}
	if leads() {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(link), 0o777); err != nil {
		return noFolder{err}
	}
	tmp := fmt.Sprintf("%s.%x", link, rand.Uint64()) // processes in two containers may have the same number
	if err := os.Symlink(dir, tmp); err != nil {
		if errors.Is(err, notPrivileged) {
			return err
		}
		return noFolder{err} // of that name nothing is there: the file system is full, read-only, or without links
	}
	if err := os.Rename(tmp, link); err != nil {
		os.Remove(tmp)
		if !leads() { // of another process, where a link cannot be replaced
			return err
		}
	}
	return nil
}

// FirstLine returns the first line of what a go command has said is wrong.
func FirstLine(s string) string {
	for line := range strings.Lines(s) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "go: downloading ") {
			return line
		}
	}
	return ""
}
