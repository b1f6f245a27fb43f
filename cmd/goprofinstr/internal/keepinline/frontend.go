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
	"sync"

	"golang.org/x/tools/go/packages"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/cache"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/results"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/toolchain"
	"github.com/goprofinstr/goprofinstr/rewrite/inline"
	"github.com/goprofinstr/goprofinstr/rewrite/load"
	"github.com/goprofinstr/goprofinstr/rewrite/release"
)

// A frontEnd runs the front end of the compiler alone, for what it inlines: that takes a quarter of the time of a
// compilation. The go command has no part in it, so some builds are not for it: see usable.
type frontEnd struct {
	store    *results.Store
	build    *load.Build
	flags    map[string][]string // the user's flags for the compiler, by import path, of those to be instrumented
	user     *UserFlags          // the same of all
	always   []string            // flags for all packages
	env      []string
	work     string
	tc       *toolchain.Toolchain
	release  *release.Release
	packages []*packages.Package // instrumented ones, each once
	sizes    []int

	mu       sync.Mutex
	listings map[string]*listing // by package ID, of those that are known
}

// A listing is what the compiler said about a package, kept in the cache.
type listing struct {
	Inlinable []string
	Calls     []inline.Call
}

// newFrontEnd returns the front end of the compiler for a build.
func newFrontEnd(in *Cached) *frontEnd {
	f := &frontEnd{
		store: in.store, build: in.build, flags: in.flags, user: in.Inlining.user,
		work: in.work, tc: in.tc, release: in.tc.Release(), listings: make(map[string]*listing),
	}
	for _, name := range []string{"race", "msan", "asan"} {
		if in.tc.Is(in.cmd, name) {
			f.always = append(f.always, "-"+name)
		}
	}
	f.env = append(in.tc.Environ(), in.tc.Settings()...)
	f.packages = chosen(in)
	for _, p := range f.packages {
		f.sizes = append(f.sizes, len(p.GoFiles))
	}
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
func (f *frontEnd) key(p *packages.Package) cache.Key {
	sum := f.build.SumOf(p)
	h := f.store.Hash("listing")
	h.Add(string(sum[:]), f.tc.Described())
	h.Add(f.always...)
	h.Add("flags")
	h.Add(f.flagsOf(p)...)
	return h.Key()
}

// flagsOf returns the user's flags for the compiler.
func (f *frontEnd) flagsOf(p *packages.Package) []string {
	if flags, ok := f.flags[p.PkgPath]; ok {
		return flags
	}
	return f.user.Of(p)
}

// known returns what the compiler said about a package, now or in an earlier run, or nil.
func (f *frontEnd) known(p *packages.Package) *listing {
	f.mu.Lock()
	l := f.listings[p.ID]
	f.mu.Unlock()
	if l != nil {
		return l
	}
	l = new(listing)
	if !f.store.Get(f.key(p), l) {
		return nil
	}
	f.keep(p, l)
	return l
}

func (f *frontEnd) keep(p *packages.Package, l *listing) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.listings[p.ID] = l
}

// missing returns the packages to compile.
func (f *frontEnd) missing() (list []*packages.Package) {
	results.InParallel(f.sizes, func(i int) { f.known(f.packages[i]) })
	for _, p := range f.packages {
		if f.known(p) == nil {
			list = append(list, p)
		}
	}
	return list
}

// run compiles what is missing, when the export data of the packages' imports is known, and returns what the
// compiler said about all.
func (f *frontEnd) run() (map[string]*inline.Compilation, error) {
	errs := make([]error, len(f.packages))
	results.InParallel(f.sizes, func(i int) { _, errs[i] = f.listing(f.packages[i]) })
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	all := make(map[string]*inline.Compilation)
	for _, p := range f.packages {
		all[p.ID] = (*inline.Compilation)(f.known(p))
	}
	return all, nil
}

// listing runs the compiler on a package until it has said what it inlines, if that is not known.
func (f *frontEnd) listing(p *packages.Package) (*listing, error) {
	if l := f.known(p); l != nil {
		return l, nil
	}
	job, err := f.newJob(p)
	if err != nil {
		return nil, err
	}
	defer job.close()
	cmd := f.compiler(job, append(job.args, append([]string{"-o", job.file("out"), "-m"}, job.input.Files...)...))
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
	l := (*listing)(inline.Parse(slices.Concat([]byte("# p\n"), messages))["p"])
	f.keep(p, l)
	f.store.Put(f.key(p), l)
	return l, nil
}

// export compiles a package without what others cannot see of it, and returns its export data. Its imports have theirs.
func (f *frontEnd) export(p *packages.Package) ([]byte, error) {
	l, err := f.listing(p)
	if err != nil {
		return nil, err
	}
	job, err := f.newJob(p)
	if err != nil {
		return nil, err
	}
	defer job.close()
	files, err := strip(p, l, job)
	if err != nil {
		return nil, err
	}
	// With -linkobj the file of -o is what importers need.
	args := slices.Concat(job.args, []string{"-o", job.file("export.a"), "-linkobj", job.file("link.o"), "-dwarf=0", "-trimpath", job.trimpath}, files)
	if out, err := f.compiler(job, args).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("compiling %s without bodies: %v: %s", p.PkgPath, err, toolchain.FirstLine(string(out)))
	}
	return os.ReadFile(job.file("export.a"))
}

// strip writes the stripped files of a package into the job's folder, which stands for the package's own.
func strip(p *packages.Package, l *listing, job *job) (files []string, err error) {
	inlinable := make(map[string]bool)
	for _, name := range l.Inlinable {
		inlinable[name] = true
	}
	nameOf := func(path string) string {
		if imported := p.Imports[path]; imported != nil {
			return imported.Name
		}
		return filepath.Base(path)
	}
	for _, name := range job.input.Files {
		src, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		if src, err = inline.Strip(name, src, inlinable, nameOf); err != nil {
			return nil, fmt.Errorf("%s: %v", name, err)
		}
		file := job.file(filepath.Base(name))
		if err := os.WriteFile(file, src, 0o666); err != nil {
			return nil, err
		}
		files = append(files, file)
	}
	job.trimpath = job.dir + "=>" + p.Dir
	return files, nil
}

// A job is a compilation of one package, in a folder of its own.
type job struct {
	dir      string
	input    *load.Compilation
	args     []string // all but what is compiled, and what for
	trimpath string
}

func (f *frontEnd) newJob(p *packages.Package) (*job, error) {
	input, ok := f.build.Compilation(p)
	if !ok {
		return nil, fmt.Errorf("%s takes the go command to compile", p.PkgPath)
	}
	dir, err := os.MkdirTemp(f.work, "compile")
	if err != nil {
		return nil, err
	}
	j := &job{dir: dir, input: input}
	if j.args, err = f.arguments(j, p); err != nil {
		j.close()
		return nil, err
	}
	return j, nil
}

func (j *job) file(name string) string { return filepath.Join(j.dir, name) }

func (j *job) close() { os.RemoveAll(j.dir) }

func (f *frontEnd) compiler(j *job, args []string) *exec.Cmd {
	cmd := exec.Command(f.tc.Compiler(), args...)
	cmd.Dir, cmd.Env = j.dir, f.env
	return cmd
}

// arguments returns those of the compiler, as far as they matter for what it inlines. Without -complete it takes
// functions without body for ones in assembly.
func (f *frontEnd) arguments(j *job, p *packages.Package) ([]string, error) {
	config := j.file("importcfg")
	if err := os.WriteFile(config, j.input.ImportConfig, 0o666); err != nil {
		return nil, err
	}
	args := []string{"-p", p.PkgPath, "-importcfg", config, "-nolocalimports"}
	if j.input.EmbedConfig != nil {
		config := j.file("embedcfg")
		if err := os.WriteFile(config, j.input.EmbedConfig, 0o666); err != nil {
			return nil, err
		}
		args = append(args, "-embedcfg", config)
	}
	args = append(args, languageFlags(p.Module, p.PkgPath, f.release.GoCommand.DefaultLang)...)
	return slices.Concat(args, f.always, f.flagsOf(p)), nil
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
