// Package keepinline has the compiler go on inlining in instrumented packages what it inlines in the packages
// themselves. It asks the compiler what that is, the front end alone where that is enough, and writes profiles that
// make those calls hot: see package inline.
package keepinline

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/gocmd"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/toolchain"
	"github.com/goprofinstr/goprofinstr/rewrite/inline"
	"github.com/goprofinstr/goprofinstr/rewrite/load"
	"github.com/goprofinstr/goprofinstr/rewrite/target"
)

// Inlining has the compiler go on inlining what it inlines without our code: see package inline.
type Inlining struct {
	cmd  *gocmd.Command
	tc   *toolchain.Toolchain
	work string // folder for temporary files

	packages []*inline.Package
	roots    []*packages.Package
	user     *UserFlags
	overlay  string              // the user's, which goes from the command line for ours
	flags    map[string][]string // the user's flags for the compiler, by import path
	plain    map[string]*inline.Compilation

	ours map[string][]string // for the compiler, by import path
	Left map[string]string   // import path → why there are none for a package

	Narrowed []string // the user's profiles that only one of the packages built keeps

	Outside int // packages that import instrumented ones and are left as they are
}

// New chooses the packages for which there is something to preserve: those that are instrumented, their tests, and
// those of the main module that import them. Nearly all of the standard library imports such packages as errors,
// and would have to be compiled once more to tell what it inlines of them.
func New(c *gocmd.Command, tc *toolchain.Toolchain, b *load.Build, work string) (*Inlining, error) {
	user, err := ReadUserFlags(c, tc, b)
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
		if load.IsTestMain(p) || !instrumented[p.PkgPath] && !importsAny(p, instrumented) {
			continue
		}
		if !instrumented[p.PkgPath] && !isTest(p) && !load.InMain(p) {
			in.Outside++
			continue
		}
		in.packages = append(in.packages, &inline.Package{
			ID: p.ID, Path: p.PkgPath, Name: p.Name, Files: p.GoFiles, Instrumented: instrumented[p.PkgPath],
		})
		if p.ID == p.PkgPath || in.flags[inline.Tested(p.ID)] == nil {
			in.flags[inline.Tested(p.ID)] = append([]string{}, user.Of(p)...)
		}
	}
	return in, nil
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
	ours, err := in.user.With(withM)
	if err != nil {
		return nil, err
	}
	args = slices.Concat(args, ours, in.cmd.Packages)
	cmd := exec.Command(in.tc.Go, args...)
	cmd.Dir, cmd.Env = in.cmd.Dir, in.tc.HelperEnviron()
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	err = in.tc.Helpers.Run(cmd)
	failed := new(exec.ExitError)
	if err != nil && (!errors.As(err, &failed) || !bytes.Contains(stderr.Bytes(), []byte("# "))) {
		return nil, fmt.Errorf("go %s: %v: %s", verb[0], err, toolchain.FirstLine(stderr.String()))
	}
	return inline.Parse(stderr.Bytes()), nil
}

// GoFlags returns the flags for the go command, the user's -gcflags among them; none if nothing is to be preserved.
func (in *Inlining) GoFlags() ([]string, error) {
	if len(in.ours) == 0 {
		return nil, nil
	}
	return in.user.With(in.ours)
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
	dir, err := ProfileDir()
	if err != nil {
		in.leave(err)
		return
	}
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
	compiler := in.tc.Release().Compiler
	debug := "-d=" + compiler.Threshold + "=100," + compiler.Budget + "=" + budget
	for _, name := range compiler.Off {
		debug += "," + name + "=0"
	}
	if user := profiles.of(path); user != nil {
		var threshold string
		edges, threshold = inline.Merge(user, edges)
		debug = "-d=" + compiler.Threshold + "=" + threshold
	}
	name, err := WriteProfile(dir, edges)
	if err != nil {
		return nil, err
	}
	return append([]string{"-pgoprofile=" + name, debug}, in.flags[path]...), nil
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
