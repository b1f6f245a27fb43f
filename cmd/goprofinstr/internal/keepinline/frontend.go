package keepinline

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/cache"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/results"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/toolchain"
	"github.com/goprofinstr/goprofinstr/rewrite/inline"
	"github.com/goprofinstr/goprofinstr/rewrite/load"
	"github.com/goprofinstr/goprofinstr/rewrite/release"
)

// A frontEnd runs the front end of the compiler alone, for what it inlines: that takes a quarter of the time of a
// compilation. The go command has no part in it. So it cannot do everything: usable says what.
type frontEnd struct {
	store   *results.Store
	build   *load.Build
	flags   map[string][]string // the user's flags for the compiler, by import path
	always  []string            // flags for all packages
	env     []string
	work    string
	release *release.Release

	packages []*packages.Package // instrumented ones, each once
	sizes    []int
	keys     []cache.Key
	listings []*listing // nil until known
}

// A listing is what the compiler said about a package, kept in the cache.
type listing struct {
	Inlinable []string
	Calls     []inline.Call
}

// newFrontEnd looks up what is known of the instrumented packages.
func newFrontEnd(in *Cached) *frontEnd {
	f := &frontEnd{store: in.store, build: in.build, flags: in.flags, work: in.work, release: in.tc.Release()}
	for _, name := range []string{"race", "msan", "asan"} {
		if in.tc.Is(in.cmd, name) {
			f.always = append(f.always, "-"+name)
		}
	}
	f.env = append(in.tc.Environ(), in.tc.Settings()...)
	f.packages = chosen(in)
	f.keys, f.listings = make([]cache.Key, len(f.packages)), make([]*listing, len(f.packages))
	for _, p := range f.packages {
		f.sizes = append(f.sizes, len(p.GoFiles))
	}
	results.InParallel(f.sizes, func(i int) {
		f.keys[i] = f.key(f.packages[i], in.tc)
		if l := new(listing); f.store.Get(f.keys[i], l) {
			f.listings[i] = l
		}
	})
	return f
}

// chosen returns what is to be compiled of the instrumented packages. That is each package without its test files,
// which are compiled with it only if there are generic functions: the calls in them tell which functions they call,
// but not which instances.
func chosen(in *Cached) []*packages.Package {
	instrumented := make(map[string]bool)
	generic := false
	for _, p := range in.build.Packages {
		if p.Declined == "" {
			instrumented[p.Path] = true
			generic = generic || slices.ContainsFunc(p.Files, func(f *load.File) bool { return declaresGeneric.Match(f.Src) })
		}
	}
	tested := make(map[string]*packages.Package)
	for _, p := range in.build.All {
		if generic && p.ForTest == p.PkgPath {
			tested[p.PkgPath] = p
		}
	}
	var list []*packages.Package
	for _, p := range in.build.All {
		if p.ID == p.PkgPath && instrumented[p.ID] {
			list = append(list, cmp.Or(tested[p.ID], p))
		}
	}
	return list
}

// declaresGeneric matches the beginning of generic functions, and of methods of generic types.
var declaresGeneric = regexp.MustCompile(`(?m)^func (\w+\[|\([^()]*\[[^()]*\]\))`)

// usable reports whether the go command is not needed: the packages are on the disk as they are compiled, without
// instrumented test files, and no profile and no other program has a say in how.
func (in *Cached) usable() bool {
	if in.overlay != "" || in.tc.GOTOOLDIR == "" {
		return false
	}
	for _, p := range in.build.Packages {
		importsC := slices.ContainsFunc(p.Files, func(f *load.File) bool { return f.Declined != "" })
		if p.TestFiles || importsC {
			return false
		}
	}
	for _, flag := range []string{"toolexec", "compiler"} {
		if _, ok := in.tc.Lookup(in.cmd, flag); ok {
			return false
		}
	}
	if value, ok := in.tc.Lookup(in.cmd, "pgo"); value == "off" || ok && value != "auto" {
		return value == "off"
	}
	return !slices.ContainsFunc(in.profileFiles(), func(name string) bool { _, err := os.Stat(name); return err == nil })
}

// key covers the files of the package and of all that it imports, and the flags.
func (f *frontEnd) key(p *packages.Package, tc *toolchain.Toolchain) cache.Key {
	sum := f.build.SumOf(p)
	h := f.store.Hash("listing")
	h.Add(string(sum[:]), tc.Described())
	h.Add(f.always...)
	h.Add("flags")
	h.Add(f.flags[p.PkgPath]...)
	return h.Key()
}

// missing returns the packages to compile.
func (f *frontEnd) missing() (list []*packages.Package) {
	for i, p := range f.packages {
		if f.listings[i] == nil {
			list = append(list, p)
		}
	}
	return list
}

// run compiles what is missing, when the export data of the packages' imports is known, and returns what the
// compiler said about all.
func (f *frontEnd) run(compiler string) (map[string]*inline.Compilation, error) {
	errs := make([]error, len(f.packages))
	results.InParallel(f.sizes, func(i int) {
		if f.listings[i] != nil {
			return
		}
		var c *inline.Compilation
		if c, errs[i] = f.compile(compiler, f.packages[i]); errs[i] == nil {
			f.listings[i] = (*listing)(c)
			f.store.Put(f.keys[i], f.listings[i])
		}
	})
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	all := make(map[string]*inline.Compilation)
	for i, p := range f.packages {
		all[p.ID] = (*inline.Compilation)(f.listings[i])
	}
	return all, nil
}

// compile runs the compiler on a package until it has said what it inlines.
func (f *frontEnd) compile(compiler string, p *packages.Package) (*inline.Compilation, error) {
	input, ok := f.build.Compilation(p)
	if !ok {
		return nil, fmt.Errorf("%s takes the go command to compile", p.PkgPath)
	}
	dir, err := os.MkdirTemp(f.work, "compile")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	args, err := f.arguments(dir, p, input)
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(compiler, args...)
	cmd.Dir, cmd.Env = dir, f.env
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	messages, stopped := untilEscapes(out, &f.release.Compiler)
	if stopped {
		cmd.Process.Kill()
	}
	if err := cmd.Wait(); err != nil && !stopped {
		return nil, fmt.Errorf("compiling %s: %v: %s", p.PkgPath, err, toolchain.FirstLine(string(messages)))
	}
	return inline.Parse(slices.Concat([]byte("# p\n"), messages))["p"], nil
}

// arguments returns those of the compiler, as far as they matter for what it inlines. Without -complete it takes
// functions without body for ones in assembly.
func (f *frontEnd) arguments(dir string, p *packages.Package, input *load.Compilation) ([]string, error) {
	config := filepath.Join(dir, "importcfg")
	if err := os.WriteFile(config, input.ImportConfig, 0o666); err != nil {
		return nil, err
	}
	args := []string{"-o", filepath.Join(dir, "out"), "-p", p.PkgPath, "-importcfg", config, "-nolocalimports"}
	if input.EmbedConfig != nil {
		config := filepath.Join(dir, "embedcfg")
		if err := os.WriteFile(config, input.EmbedConfig, 0o666); err != nil {
			return nil, err
		}
		args = append(args, "-embedcfg", config)
	}
	args = append(args, languageFlags(p.Module, p.PkgPath, f.release.GoCommand.DefaultLang)...)
	return slices.Concat(args, f.always, f.flags[p.PkgPath], []string{"-m"}, input.Files), nil
}

// languageFlags returns the flags for the version of the language, as of cmd/go/internal/work.gcToolchain.gc.
// byDefault is that of modules which name none.
func languageFlags(m *packages.Module, path, byDefault string) []string {
	switch {
	case m == nil && path == load.FilesPackage:
		return nil
	case m == nil:
		return []string{"-std"}
	case m.GoVersion == "":
		return []string{"-lang=" + byDefault}
	}
	// go1.21.3 and go1.21rc1 are releases, go1.21 the language.
	major, rest, _ := strings.Cut(m.GoVersion, ".")
	minor := strings.IndexFunc(rest, func(c rune) bool { return c < '0' || c > '9' })
	if minor >= 0 {
		rest = rest[:minor]
	}
	return []string{"-lang=go" + major + "." + rest}
}

// untilEscapes reads what the compiler prints with -m until it says something about what escapes: that comes after
// all that is inlined, and before it generates code.
func untilEscapes(r io.Reader, c *release.Compiler) (messages []byte, stopped bool) {
	lines := bufio.NewReader(r)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return append(messages, line...), false
		}
		if aboutEscapes(line, c) {
			return messages, true
		}
		messages = append(messages, line...)
	}
}

func aboutEscapes(line []byte, c *release.Compiler) bool {
	has := func(words string) bool { return bytes.Contains(line, []byte(words)) }
	return !slices.ContainsFunc(c.Inlines, has) && slices.ContainsFunc(c.Escapes, has)
}
