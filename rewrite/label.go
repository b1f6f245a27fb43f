package rewrite

import (
	"go/ast"
	"go/token"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/goprofinstr/goprofinstr/rewrite/label"
	"github.com/goprofinstr/goprofinstr/rewrite/link"
	"github.com/goprofinstr/goprofinstr/rewrite/load"
)

// Label gives the functions of a package labels, in place of code.
func Label(p *load.Package) (*label.Package, error) {
	var sources []label.Source
	for _, f := range p.Compilation() {
		sources = append(sources, label.Source{
			Name: f.Name, Trimmed: trimmed(p, f.Name), Src: f.Src, Beside: !slices.Contains(p.Files, f), Declined: f.Declined,
		})
		if p.Declined != "" {
			sources[len(sources)-1].Declined = p.Declined
		}
	}
	return label.Insert(p.ID, sources)
}

// trimmed returns what a file is called in programs that are built with -trimpath (cmd/go/internal/work, trimpath).
func trimmed(p *load.Package, file string) string {
	m := p.Module
	if m == nil || m.Main || m.Version == "" {
		return path.Join(strings.TrimSuffix(p.Path, "_test"), filepath.Base(file))
	}
	return m.Path + "@" + m.Version + filepath.ToSlash(strings.TrimPrefix(file, m.Dir))
}

// A labelled package has labels in place of code, and the same counters and registration as others.
//
//	package p; import gpi_rt "goprofinstr/rt"; …
//
//	func f() { /*line f.go~gpi0:3:12*/g() }
//
//	var gpi_C [gpi_rt.Pad+2+gpi_rt.Pad]gpi_rt.U …

// label gives the files of a package labels, and the one where a function is that counts the registration, too.
func (out *Package) label(p *load.Package, em *emitter, registration string, plans []*plan, o Options) error {
	labelled, err := Label(p)
	if err != nil {
		return err
	}
	out.Files = labelled.Files
	counting := plans[0].fn.File
	for _, f := range p.Files {
		if f.Syntax == counting {
			out.register(f, p.Fset, em, registration)
		}
	}
	out.Link = record(p, out.Table.Main, labelled, o)
	for _, plan := range plans {
		fn := plan.fn
		out.Link.Functions = append(out.Link.Functions, link.Function{
			Name: fn.Name, Paths: fn.Numbering.Values.NumPaths, Edges: len(fn.Graph.Edges),
		})
	}
	return nil
}

// labelBeside gives test files labels, though nothing in them is counted. They tell how often what is counted was executed
// where it is inlined into them. There is no table.
func labelBeside(p *load.Package, o Options) (*Package, error) {
	if p.Declined != "" {
		return new(Package), nil
	}
	labelled, err := Label(p)
	if err != nil {
		return nil, err
	}
	main := p.Files[0].Syntax.Name.Name == "main"
	return &Package{Files: labelled.Files, Link: record(p, main, labelled, o)}, nil
}

func record(p *load.Package, main bool, labelled *label.Package, o Options) *link.Record {
	return &link.Record{
		ID: p.ID, Path: p.Path, Main: main, GoVersion: p.GoVersion, RangeNames: o.RangeNames, Table: labelled.Table,
	}
}

// register adds the registration to a file. What is in front of its declarations has no labels, and is where it was.
func (out *Package) register(f *load.File, fset *token.FileSet, em *emitter, registration string) {
	text, ok := out.Files[f.Name]
	if !ok {
		text = f.Src
	}
	at := fset.File(f.Syntax.Pos()).Offset(nameEnd(f.Syntax))
	code := trailer(em.Names, registration)
	out.Files[f.Name] = []byte(string(text[:at]) + em.Imports([]string{code}) + string(text[at:]) + code)
}

// nameEnd returns where the package clause ends.
func nameEnd(f *ast.File) token.Pos { return f.Name.End() }
