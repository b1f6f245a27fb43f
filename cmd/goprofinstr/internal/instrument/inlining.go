package instrument

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/gocmd"
	"github.com/goprofinstr/goprofinstr/export/pgo"
	"github.com/goprofinstr/goprofinstr/rewrite/inline"
	"github.com/goprofinstr/goprofinstr/rewrite/load"
	"github.com/goprofinstr/goprofinstr/rewrite/target"
)

// Inlining has the compiler go on inlining what it inlines without our code: see package inline.
type Inlining struct {
	cmd  *gocmd.Command
	tc   *Toolchain
	work string // folder for temporary files

	packages []*inline.Package
	roots    []*packages.Package
	user     gcflags
	overlay  string              // the user's, which goes from the command line for ours
	flags    map[string][]string // the user's flags for the compiler, by import path
	plain    map[string]*inline.Compilation

	ours map[string][]string // for the compiler, by import path
	Left map[string]string   // import path → why there are none for a package

	Narrowed []string // the user's profiles that only one of the packages built keeps

	Outside int // packages that import instrumented ones and are left as they are
}

// newInlining chooses the packages for which there is something to preserve: those that are instrumented, their tests, and those of the
// main module that import them. Nearly all of the standard library imports such packages as errors, and would have to be compiled once
// more to tell what it inlines of them.
func newInlining(c *gocmd.Command, tc *Toolchain, b *load.Build, work string) (*Inlining, error) {
	user, err := userGCFlags(c, tc)
	if err != nil {
		return nil, err
	}
	in := &Inlining{cmd: c, tc: tc, work: work, roots: b.Roots, user: user,
		flags: make(map[string][]string), ours: make(map[string][]string), Left: make(map[string]string)}
	in.overlay, _ = c.Lookup("overlay")
	instrumented := make(map[string]bool)
	for _, p := range b.Packages {
		instrumented[p.Path] = instrumented[p.Path] || p.Declined == ""
	}
	for _, p := range b.All {
		if isTestMain(p) || !instrumented[p.PkgPath] && !importsAny(p, instrumented) {
			continue
		}
		if !instrumented[p.PkgPath] && !isTest(p) && !isMain(p) {
			in.Outside++
			continue
		}
		in.packages = append(in.packages, &inline.Package{ID: p.ID, Path: p.PkgPath, Name: p.Name, Files: p.GoFiles, Instrumented: instrumented[p.PkgPath]})
		if p.ID == p.PkgPath || in.flags[inline.Tested(p.ID)] == nil {
			in.flags[inline.Tested(p.ID)] = append([]string{}, user.of(p, in.named(inline.Tested(p.ID)))...)
		}
	}
	return in, nil
}

// named reports whether a package is named on the command line.
func (in *Inlining) named(path string) bool {
	return slices.ContainsFunc(in.roots, func(r *packages.Package) bool { return r.ID == path })
}

// list has the go command compile the packages with -m, and returns what the compiler said. What has been compiled
// so before comes from the build cache. Nothing is linked: the linker is asked for its version only, and that
// the go command then misses the program does no harm.
func (in *Inlining) list(flags map[string][]string, overlay string) (map[string]*inline.Compilation, error) {
	verb := []string{"build"}
	if in.cmd.Verb == "test" {
		verb = []string{"test", "-c", "-vet=off"}
	}
	args := append(verb, "-o="+os.DevNull, "-buildvcs=false", "-json=false", "-ldflags=all=-V")
	for _, flag := range in.cmd.LoadFlags() {
		if !strings.HasPrefix(flag, "-gcflags=") && !strings.HasPrefix(flag, "-overlay=") {
			args = append(args, flag)
		}
	}
	if overlay != "" {
		args = append(args, "-overlay="+overlay)
	}
	withM := make(map[string][]string, len(flags))
	for path, f := range flags {
		withM[path] = append(slices.Clone(f), "-m")
	}
	ours, err := in.goFlags(withM)
	if err != nil {
		return nil, err
	}
	args = slices.Concat(args, ours, in.cmd.Packages)
	cmd := exec.Command(in.tc.Go, args...)
	cmd.Dir, cmd.Env = in.cmd.Dir, in.tc.Environ()
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	err = cmd.Run()
	if failed := new(exec.ExitError); err != nil && (!errors.As(err, &failed) || !bytes.Contains(stderr.Bytes(), []byte("# "))) {
		return nil, fmt.Errorf("go %s: %v: %s", verb[0], err, firstLine(stderr.String()))
	}
	return inline.Parse(stderr.Bytes()), nil
}

// goFlags returns the user's -gcflags and those for single packages.
func (in *Inlining) goFlags(flags map[string][]string) ([]string, error) {
	all := in.user.onCommandLine()
	for _, path := range slices.Sorted(maps.Keys(flags)) {
		joined, err := joinQuoted(flags[path])
		if err != nil {
			return nil, err
		}
		all = append(all, "-gcflags="+path+"="+joined)
	}
	return all, nil
}

// GoFlags returns the flags for the go command, the user's -gcflags among them; none if nothing is to be preserved.
func (in *Inlining) GoFlags() ([]string, error) {
	if len(in.ours) == 0 {
		return nil, nil
	}
	return in.goFlags(in.ours)
}

// prepare lists what the compiler inlines and writes the profiles for the compiler.
func (in *Inlining) prepare(user *target.Overlay) {
	var err error
	if in.plain, err = in.list(in.flags, in.overlay); err != nil {
		in.leave(fmt.Errorf("the compiler does not tell what it inlines: %v", err))
		return
	}
	edges, _ := inline.Edges(inline.Source{Compilations: in.plain, Packages: in.packages, Read: user.Source})
	in.write(edges)
}

// leave notes that nothing is preserved.
func (in *Inlining) leave(err error) {
	for path := range in.flags {
		in.Left[path] = err.Error()
	}
}

// write writes the profiles, with the user's merged into them.
func (in *Inlining) write(edges map[string][]inline.Edge) {
	dir, err := os.UserCacheDir()
	if err != nil {
		in.leave(err)
		return
	}
	dir = filepath.Join(dir, "goprofinstr", inlineDir)
	profiles, err := in.userProfiles()
	if err != nil {
		in.leave(err)
		return
	}
	for path, list := range edges {
		if flags, err := in.flagsFor(path, list, profiles, dir); err != nil {
			in.Left[path] = err.Error()
		} else {
			in.ours[path] = flags
		}
	}
}

// budget is the cost up to which calls are inlined that are inlined in the user's own code.
const budget = "400"

// flagsFor writes the profile of a package and returns the compiler's flags for it.
func (in *Inlining) flagsFor(path string, edges []inline.Edge, profiles *userProfiles, dir string) ([]string, error) {
	for _, flag := range in.flags[path] {
		if strings.HasPrefix(strings.TrimLeft(flag, "-"), "pgoprofile") {
			return nil, errors.New("its -gcflags name a profile")
		}
	}
	debug := "-d=pgoinlinecdfthreshold=100,pgoinlinebudget=" + budget + ",pgodevirtualize=0,alignhot=0"
	if user := profiles.of(path); user != nil {
		var threshold string
		edges, threshold = inline.Merge(user, edges)
		debug = "-d=pgoinlinecdfthreshold=" + threshold
	}
	data, err := pgo.Encode(edges)
	if err != nil {
		return nil, err
	}
	name := filepath.Join(dir, fmt.Sprintf("%x.pgo", sha256.Sum256(data)))
	if err := writeOnce(name, data); err != nil {
		return nil, err
	}
	return append([]string{"-pgoprofile=" + name, debug}, in.flags[path]...), nil
}

// writeOnce writes a file whose name says what is in it. Others may be reading or writing the same.
func writeOnce(name string, data []byte) error {
	if _, err := os.Stat(name); err == nil {
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

// Lost compiles the packages of an overlay with -m and returns what is not inlined any more, and how
// many calls are inlined in the user's own code.
func (in *Inlining) Lost(overlay string) (lost []inline.LostCall, total int, err error) {
	if in.plain == nil { // what prepare found out came from the cache
		if in.plain, err = in.list(in.flags, in.overlay); err != nil {
			return nil, 0, err
		}
	}
	flags := maps.Clone(in.flags)
	maps.Copy(flags, in.ours)
	now, err := in.list(flags, overlay)
	if err != nil {
		return nil, 0, err
	}
	lost, total = inline.Lost(in.plain, now, func(id string) bool { _, ok := in.flags[inline.Tested(id)]; return ok })
	return lost, total, nil
}

func importsAny(p *packages.Package, paths map[string]bool) bool {
	for _, imported := range p.Imports {
		if paths[imported.PkgPath] {
			return true
		}
	}
	return false
}

// isTest reports whether p is compiled with the test files of its own folder.
func isTest(p *packages.Package) bool {
	return p.ForTest != "" && (p.PkgPath == p.ForTest || p.PkgPath == p.ForTest+"_test")
}

func isMain(p *packages.Package) bool {
	return p.PkgPath == filesPackage || p.Module != nil && p.Module.Main
}

// isTestMain reports whether p is the main package that go test generates.
func isTestMain(p *packages.Package) bool {
	return p.Name == "main" && strings.HasSuffix(p.PkgPath, ".test")
}
