package rewrite

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/goprofinstr/goprofinstr/rewrite/internal/emit"
	"github.com/goprofinstr/goprofinstr/rewrite/internal/pragma"
	"github.com/goprofinstr/goprofinstr/rewrite/link"
	"github.com/goprofinstr/goprofinstr/rewrite/load"
	"github.com/goprofinstr/goprofinstr/rewrite/method"
	"github.com/goprofinstr/goprofinstr/ssacfg"
	"github.com/goprofinstr/goprofinstr/ssacfg/mark"
	"github.com/goprofinstr/goprofinstr/ssacfg/selector"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// Options say how paths are counted.
type Options struct {
	Counting method.Options
	Sizes    types.Sizes

	// Abandoned has it found out what activations had executed when a panic, Goexit or the end of the program
	// abandoned them. It takes hooks in package runtime (target.RuntimeHooks).
	Abandoned bool

	// Entries has a counter of activations in every function, so that it is known of each whether it was entered, also of
	// activations that never end. It goes without Abandoned.
	Entries bool

	Kinds Kinds // of events besides paths
	Pairs bool  // of paths that follow each other are counted, too

	Measured Measured // nil if no earlier profile is given

	Without Without

	SplitAtGaps bool // the blocks of Go's cover start behind gaps, too (mark.Gaps)
	RangeNames  bool // release.Compiler.RangeNames
	Covered     bool // tables have the extents of Go's coverage: it is known how this release divides sources
	Beside      bool // with labels: test files are not counted, and have labels all the same
	Rooted      bool // programs know the root of the module or workspace that they were built in
}

// Package is a rewritten package.
type Package struct {
	Table *table.Package    // nil of test files that are Beside
	Files map[string][]byte // rewritten source by absolute file name; files not in it stay as they are

	Unchecked bool // the package does not type-check, and every function is declined

	Link *link.Record // what is needed for copies of its code, if it has labels in place of code; or nil
}

// isBeside reports whether test files have labels and are not counted, as Options.Beside says.
func (o *Options) isBeside(p *load.Package) bool {
	return o.Beside && p.TestFiles && o.Counting.Labels()
}

// NeedsTypes reports whether rewriting a package needs export data of what the package imports.
func (o *Options) NeedsTypes(p *load.Package) bool { return p.Declined == "" && !o.isBeside(p) }

// Rewrite instruments a package of a build, which has been parsed. A package that cannot be instrumented
// as a whole comes back with every function declined.
func Rewrite(b *load.Build, p *load.Package, o Options) (*Package, error) {
	if o.isBeside(p) {
		return labelBeside(p, o)
	}
	t := o.newTable(p) // before marking changes the trees
	if p.Declined != "" {
		return decline(p, t, p.Declined), nil
	}
	funcs, err := analyze(b, p, o)
	if err != nil {
		declined := decline(p, t, err.Error())
		declined.Unchecked = true
		return declined, nil
	}
	return emitPackage(p.Fset, p, t, funcs, o)
}

// analyze returns the functions in the files of a package that can be instrumented.
func analyze(b *load.Build, p *load.Package, o Options) ([]*ssacfg.Func, error) {
	return analyzeWith(b.Importer(p), p, o)
}

func analyzeWith(importer types.Importer, p *load.Package, o Options) ([]*ssacfg.Func, error) {
	counting := o.method(nil, p)
	var kinds func(string) selector.Kinds
	if o.Kinds.On() {
		kinds = o.Kinds.of
	}
	funcs, err := ssacfg.Analyze(ssacfg.Input{
		Kinds:     kinds,
		Path:      p.Path,
		Fset:      p.Fset,
		Files:     p.Compiled,
		Importer:  importer,
		GoVersion: p.GoVersion,
		Sizes:     o.Sizes,
		Abandoned: o.Abandoned && counting.Complete(),
		Gaps:      gaps(p.Fset, p, o),
		Even:      o.Without.has(Weights),

		RangeNames: o.RangeNames,
	})
	if err != nil {
		return nil, err
	}
	o.Measured.apply(p.Path, funcs)
	ours := make(map[*ast.File]bool)
	for _, f := range p.Files {
		ours[f.Syntax] = f.Declined == ""
	}
	funcs = slices.DeleteFunc(funcs, func(fn *ssacfg.Func) bool { return !ours[fn.File] })
	for _, fn := range funcs {
		switch reason := counting.DeclineNosplit(); {
		case forked[p.Path+"."+fn.Name]:
			fn.Declined = runsInFork
		case reason != "" && isNosplit(fn):
			fn.Declined = reason
		}
	}
	return funcs, nil
}

// gaps returns where runs of statements start besides those that control flow asks for.
func gaps(fset *token.FileSet, p *load.Package, o Options) mark.Gaps {
	if !o.SplitAtGaps {
		return nil
	}
	found := make(mark.Gaps)
	for _, f := range p.Files {
		found.Add(fset.File(f.Syntax.Pos()), f.Src)
	}
	return found
}

// isNosplit reports whether a function must not have its stack grow. Such a function has addresses of what is on the
// stack in integers, or there is no stack to grow.
func isNosplit(fn *ssacfg.Func) bool {
	decl, ok := fn.Node.(*ast.FuncDecl)
	return ok && hasNosplit(fn.File, decl)
}

// hasNosplit reports whether a function of a file is marked go:nosplit. The compiler reads the first word of a directive only.
func hasNosplit(f *ast.File, decl *ast.FuncDecl) bool {
	return slices.ContainsFunc(pragma.Of(f, decl), func(c *ast.Comment) bool {
		directive, _, _ := strings.Cut(c.Text, " ")
		return directive == "//go:nosplit"
	})
}

// forked are the functions that run in a forked child process before it executes another program. There the Go
// scheduler throws if a stack grows, which our calls would have it do.
var forked = map[string]bool{
	"syscall.forkAndExecInChild":  true, // of BSD
	"syscall.forkAndExecInChild1": true, // of Linux, with the next three
	"syscall.doCheckClonePidfd":   true,
	"syscall.capToIndex":          true,
	"syscall.capToMask":           true,
}

const runsInFork = "runs in a forked process, where no stack may grow"

// method returns the way of counting for a package.
func (o *Options) method(n *emit.Names, p *load.Package) method.Method {
	counting := o.Counting
	counting.Checked = o.Without.has(Words)
	return method.New(counting, n, p.ID)
}

// emitPackage plans and writes the code of a package.
func emitPackage(fset *token.FileSet, p *load.Package, t *table.Package, funcs []*ssacfg.Func, o Options) (*Package, error) {
	ns := packageNames(p)
	em := &emitter{Names: ns, method: o.method(ns, p), nested: o.Without.has(Conditions)}
	out := &Package{Table: t, Files: make(map[string][]byte)}

	pl := planner{
		fset: fset, scopes: scopes(fset, funcs), positions: make(map[int]positionHash),
		abandoned: o.Abandoned, cuts: o.Abandoned && o.Counting.CountsRare(), without: o.Without, method: em.method, trips: em.Trips,
		pairs: o.Pairs, entries: o.Entries,
	}
	var called callees
	var plans []*plan
	labels := o.Counting.Labels()
	fileEdits := noEdits(fset, p)
	for _, fn := range funcs {
		var plan *plan
		if fn.Declined == "" {
			plan = pl.plan(fn)
			if plans = append(plans, plan); !labels {
				pl.planSelectors(plan)
				em.function(fileEdits[fn.File], plan)
			}
		}
		name := fset.File(fn.File.Pos()).Name()
		described := describe(fset, p.Path, displayName(p, name), fn, plan)
		if plan != nil {
			described.Selectors = plan.selectors
			described.Calls = called.calls(fset, fn)
		}
		out.Table.Functions = append(out.Table.Functions, described)
	}
	declined, err := declinedFiles(fset, p)
	if err != nil {
		return nil, err
	}
	out.Table.Functions = append(out.Table.Functions, declined...)
	if pl.counters == 0 && pl.hashes == 0 {
		return out, nil
	}
	em.method.DescribePackage(out.Table, pl.counters)
	out.Table.Callees, out.Table.Main = called.list, p.Files[0].Syntax.Name.Name == "main"
	tab, err := out.Table.Encode()
	if err != nil {
		return nil, err
	}
	registration := em.registration(p.ID, o.root(p), tab, &pl)
	if labels {
		return out, out.label(p, em, registration, plans, o)
	}
	if f := p.FirstInitialised(func(f *load.File) bool { return len(fileEdits[f.Syntax].list) > 0 }); f != nil {
		fileEdits[f.Syntax].insert(load.ImportsEnd(f.Syntax), 1, inLine(registration))
		registration = ""
	}
	for _, f := range p.Files {
		if e := fileEdits[f.Syntax]; len(e.list) > 0 {
			header(ns, e, f.Syntax, registration)
			out.Files[f.Name] = append(e.apply(), trailer(ns, registration)...)
			registration = ""
		}
	}
	return out, nil
}

// noEdits returns the edits of each file of a package, of which there are none yet.
func noEdits(fset *token.FileSet, p *load.Package) map[*ast.File]*edits {
	list := make(map[*ast.File]*edits)
	for _, f := range p.Files {
		list[f.Syntax] = &edits{file: fset.File(f.Syntax.Pos()), src: f.Src}
	}
	return list
}

// packageNames returns names that occur nowhere in the package's scope. Those in test files also
// differ from those in the package's other files.
func packageNames(p *load.Package) *emit.Names {
	sources := slices.Clone(p.Beside)
	for _, f := range p.Files {
		sources = append(sources, f.Src)
	}
	ns := emit.NewNames(sources)
	if p.TestFiles {
		ns = emit.NewNames(append(sources, []byte(ns.Prefix)))
	}
	return ns
}

// decline returns the package as it is, with its functions listed as declined.
func decline(p *load.Package, t *table.Package, reason string) *Package {
	out := &Package{Table: t}
	var marks mark.Package
	for _, f := range p.Files {
		out.Table.Functions = append(out.Table.Functions, declineFile(p.Fset, p, f, marks.File(f.Syntax), reason)...)
	}
	return out
}

// declinedFiles returns the functions in the files of a package that are declined by themselves.
// These come last in the compilation, which numbers init functions and literals.
func declinedFiles(fset *token.FileSet, p *load.Package) ([]table.Function, error) {
	if !slices.ContainsFunc(p.Files, func(f *load.File) bool { return f.Declined != "" }) {
		return nil, nil
	}
	var marks mark.Package
	for _, f := range p.Files {
		if f.Declined == "" {
			unmarked, err := parser.ParseFile(token.NewFileSet(), f.Name, f.Src, parser.SkipObjectResolution)
			if err != nil {
				return nil, err
			}
			marks.File(unmarked)
		}
	}
	var funcs []table.Function
	for _, f := range p.Files {
		if f.Declined != "" {
			funcs = append(funcs, declineFile(fset, p, f, marks.File(f.Syntax), f.Declined)...)
		}
	}
	return funcs, nil
}

func declineFile(fset *token.FileSet, p *load.Package, f *load.File, marked *mark.File, reason string) []table.Function {
	var funcs []table.Function
	for _, fn := range marked.Funcs {
		d := &ssacfg.Func{Func: fn, Declined: reason}
		funcs = append(funcs, describe(fset, p.Path, displayName(p, f.Name), d, nil))
	}
	return funcs
}

// displayName returns the name of a file as reports show it. It is relative to the root of the main module or
// workspace; outside of it, it is the import path plus base name.
func displayName(p *load.Package, file string) string {
	if p.Root != "" {
		if rel, err := filepath.Rel(p.Root, file); err == nil && !strings.HasPrefix(rel, "..") {
			return filepath.ToSlash(rel)
		}
	}
	return path.Join(p.Path, filepath.Base(file))
}
