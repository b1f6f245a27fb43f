package ssacfg

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"sort"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/goprofinstr/goprofinstr/ssacfg/mark"
	"github.com/goprofinstr/goprofinstr/ssacfg/pathnum"
	"github.com/goprofinstr/goprofinstr/ssacfg/selector"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// Input is a package to analyze.
type Input struct {
	Path      string // import path
	Fset      *token.FileSet
	Files     []*ast.File // parsed with comments; changed by the analysis
	Importer  types.Importer
	GoVersion string // language version such as "go1.26", or ""
	Sizes     types.Sizes

	// Abandoned demands numberings that tell what part of a path had been executed
	// when a panic or the end of the program abandons it.
	Abandoned bool

	// Evaluated asks for Block.Exprs and Block.Points, and for calls whose callees are not known.
	Evaluated bool

	Even bool // edges are taken as equally likely, wherever they are

	// Kinds says which events besides paths there are to be of a function, by its name with the import path; may be nil.
	Kinds func(function string) selector.Kinds

	// RangeNames tells that function literals in the body of a range over a function are called F-range1.1, as since Go 1.27.
	RangeNames bool

	// Gaps are where runs of statements start besides those that control flow asks for; may be nil.
	Gaps mark.Gaps
}

// Func is a function with a body, in source order.
type Func struct {
	*mark.Func
	File *ast.File

	// Declined says why the function has no graph; "" if it has one.
	Declined  string
	Graph     *Graph
	Numbering *pathnum.Numbering // of Graph.Plain()

	// RangesFunc tells that the function ranges over a function. The compiler makes a closure of the body of such a
	// loop. Variables that the body uses may then lie in the heap.
	RangesFunc bool

	// Dropped are lists of its statements that the compiler drops, and has to drop with code in them, too.
	Dropped []Dropped

	// Brief tells that activations of the function end soon after they begin: see brief.
	Brief bool

	// Selectors are where events besides paths come from, but for those of loops: these are wanted if Trips.
	Selectors []*selector.Selector
	Trips     bool

	// Places are those in front of statements, in source order. The ones that are in no block
	// of the graph are never reached.
	Places []*mark.Place
}

// Analyze returns the functions of the package with their graphs. An
// error means that the package as a whole cannot be analyzed, for
// example because it does not type-check.
func Analyze(in Input) (funcs []*Func, err error) {
	sources := newSources(in.Files) // before there are markers in them
	marks := mark.Package{Gaps: in.Gaps}
	marked := make([]*mark.File, len(in.Files))
	for i, f := range in.Files {
		marked[i] = marks.File(f)
	}
	pkg, info, err := check(in)
	if err != nil {
		return nil, err
	}
	dead, lists := dropped(in.Files, info, marks.Places)
	mark.Number(marked, mark.Numbering{
		Dropped:    dead,
		OverFunc:   func(s *ast.RangeStmt) bool { return rangesOverFunc(s, info) },
		RangeNames: in.RangeNames,
	})
	literals := make(map[token.Pos]string)
	for _, f := range marked {
		for _, fn := range f.Funcs {
			funcs = append(funcs, &Func{Func: fn, File: f.Syntax})
			literals[fn.Node.Pos()] = fn.Name
		}
	}
	for _, list := range lists {
		if fn := around(funcs, list.From); fn != nil {
			fn.Dropped = append(fn.Dropped, list)
		}
	}
	overFunc := unrotate(in.Files, info)
	bodies, err := build(in, pkg, info)
	if err != nil {
		return nil, err
	}
	iterators := newIterators(in.Files, info, overFunc, marks.Places)
	endsSoon, brief := brief(bodies, iterators), make(map[*mark.Func]bool)
	x := &extractor{
		path: in.Path, literals: literals, places: marks.Places, info: info, sources: sources, iterators: iterators,
		dynamic: in.Kinds != nil || in.Evaluated, brief: endsSoon, evaluated: in.Evaluated,
	}
	found := make(map[*mark.Func]*Graph)
	for _, body := range bodies {
		fn, blocks := x.extract(body)
		if fn == nil {
			continue
		}
		g := &Graph{keepRegister: in.Abandoned, even: in.Even, conditions: x.conditions}
		g.simplify(blocks)
		g.place(blocks[0])
		g.weigh()
		found[fn], brief[fn] = g, endsSoon.is(body)
	}
	rangesFunc, places := rangesOver(overFunc, marks.Places), statementPlaces(marks.Places)
	var selectors *selector.Finder
	if in.Kinds != nil {
		selectors = selector.NewFinder(in.Fset, in.Files, pkg, info)
	}
	for _, fn := range funcs {
		fn.RangesFunc, fn.Brief = rangesFunc[fn.Func], brief[fn.Func]
		fn.Graph, fn.Places = found[fn.Func], places[fn.Func]
		switch {
		case fn.Blank:
			fn.Declined = "blank function: cannot be called"
		case fn.Graph == nil:
			fn.Declined = "no SSA: never built"
		default:
			fn.number()
			if selectors != nil {
				kinds := in.Kinds(in.Path + "." + fn.Name).Of(fn.Func)
				fn.Selectors, fn.Trips = selectors.Of(fn.Func, fn.File, kinds), kinds.Trips
			}
		}
	}
	return funcs, nil
}

// rangesOver returns the functions that range over a function.
func rangesOver(overFunc map[*ast.RangeStmt]bool, all []*mark.Place) map[*mark.Func]bool {
	found := make(map[*mark.Func]bool)
	for _, p := range all {
		if p.Header != nil && overFunc[p.Header] {
			found[p.Func] = true
		}
	}
	return found
}

// statementPlaces returns the places in front of statements for each function.
func statementPlaces(all []*mark.Place) map[*mark.Func][]*mark.Place {
	places := make(map[*mark.Func][]*mark.Place)
	for _, p := range all {
		if p.StartsRun() {
			places[p.Func] = append(places[p.Func], p)
		}
	}
	for _, list := range places {
		sort.SliceStable(list, func(i, j int) bool { return list[i].Pos < list[j].Pos })
	}
	return places
}

// check type-checks the marked files.
func check(in Input) (*types.Package, *types.Info, error) {
	info := &types.Info{
		Types:        make(map[ast.Expr]types.TypeAndValue),
		Instances:    make(map[*ast.Ident]types.Instance),
		Defs:         make(map[*ast.Ident]types.Object),
		Uses:         make(map[*ast.Ident]types.Object),
		Implicits:    make(map[ast.Node]types.Object),
		Selections:   make(map[*ast.SelectorExpr]*types.Selection),
		Scopes:       make(map[ast.Node]*types.Scope),
		FileVersions: make(map[*ast.File]string),
	}
	conf := types.Config{
		GoVersion: in.GoVersion,
		Importer:  markImporter{mark.NewPackage(), in.Importer},
		Sizes:     in.Sizes,
	}
	pkg, err := conf.Check(in.Path, in.Fset, in.Files, info)
	if err != nil {
		return nil, nil, fmt.Errorf(table.Untyped+": %w", err)
	}
	return pkg, info, nil
}

// A markImporter knows the package of the markers too.
type markImporter struct {
	markers *types.Package
	next    types.Importer
}

func (m markImporter) Import(path string) (*types.Package, error) {
	if path == mark.PkgPath {
		return m.markers, nil
	}
	return m.next.Import(path)
}

// build returns the SSA of all functions with source.
func build(in Input, pkg *types.Package, info *types.Info) (bodies []*ssa.Function, err error) {
	defer func() {
		if e := recover(); e != nil {
			bodies, err = nil, fmt.Errorf("go/ssa cannot build it: %v", e)
		}
	}()
	mode := ssa.NaiveForm | ssa.BuildSerially
	if in.Evaluated {
		mode |= ssa.GlobalDebug
	}
	prog := ssa.NewProgram(in.Fset, mode)
	for _, p := range pkg.Imports() {
		prog.CreatePackage(p, nil, nil, true)
	}
	ssapkg := prog.CreatePackage(pkg, in.Files, info, false)
	ssapkg.Build()

	var add func(fn *ssa.Function)
	add = func(fn *ssa.Function) {
		bodies = append(bodies, fn)
		for _, lit := range fn.AnonFuncs {
			add(lit)
		}
	}
	add(ssapkg.Func("init")) // literals in initial values of package variables
	for _, f := range in.Files {
		for _, decl := range f.Decls {
			decl, ok := decl.(*ast.FuncDecl)
			if !ok || decl.Body == nil {
				continue
			}
			if obj, ok := info.Defs[decl.Name].(*types.Func); ok {
				if fn := prog.FuncValue(obj); fn != nil {
					add(fn)
				}
			}
		}
	}
	for name, member := range ssapkg.Members { // init functions have no object that tells them apart
		if fn, ok := member.(*ssa.Function); ok && strings.HasPrefix(name, "init#") {
			add(fn)
		}
	}
	return bodies, nil
}
