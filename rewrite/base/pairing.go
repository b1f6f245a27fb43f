package base

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/types"
	"regexp"
	"slices"
	"strings"

	"github.com/goprofinstr/goprofinstr/rewrite/load"
)

// File is a source file.
type File struct {
	Name string // absolute
	Src  []byte
}

// A Pairing is a package at the base and at the head.
type Pairing struct {
	pkg        *load.Package
	importer   types.Importer
	sizes      types.Sizes
	base, head *side

	changed     map[*decl]bool // at the base, with another declaration at the head
	hasVariants map[string]bool
	prefix      string
	number      int // of copies of each audited function

	elsewhere func(obj types.Object) bool
	selected  func(name string) bool
	shared    map[string]bool // types that could have copies and are shared
	blocked   map[*decl]string

	undispatched map[*decl]string // what notAudited has found out; for local types it looks at the whole package
}

// A Function is one that is audited.
type Function struct {
	Name   string // F, T.M or (*T).M, as audits call it
	File   string // at the base, absolute
	Line   int    // of its name there
	Source string // of its declaration there

	Copies []string // what the copies of the base are called
	Heads  []string // what those of the head are called, without itself
}

// NotCompared is a function that has changed and is not audited.
type NotCompared struct {
	Name   string
	File   string // absolute; at the head, or at the base if it is not there
	Line   int
	Reason string
}

// Result is what Pair has made.
type Result struct {
	Files       []File // to be added to the package
	Functions   []Function
	NotCompared []NotCompared
	Unchanged   []string // functions whose text has changed in what does not run
}

// New compares a package, which has been parsed, with its files at the base.
func New(p *load.Package, base []File, importer types.Importer, sizes types.Sizes) (*Pairing, error) {
	var head []File
	for _, f := range p.Files {
		head = append(head, File{f.Name, f.Src})
	}
	out := &Pairing{pkg: p, importer: importer, sizes: sizes, changed: make(map[*decl]bool),
		shared: make(map[string]bool), blocked: make(map[*decl]string), undispatched: make(map[*decl]string),
		hasVariants: make(map[string]bool), prefix: "base_", number: 1,
		selected: func(string) bool { return true }}
	var err error
	if out.base, err = parseSide(base, p.Path, p.GoVersion, importer, sizes); err != nil {
		return nil, fmt.Errorf("at the base: %w", err)
	}
	if out.head, err = parseSide(head, p.Path, p.GoVersion, importer, sizes); err != nil {
		return nil, err
	}
	for _, d := range out.base.decls {
		if h := out.head.byKey[d.key]; h != nil && out.base.byKey[d.key] == d && !out.same(d, h) {
			out.changed[d] = true
		}
	}
	sources := slices.Clone(p.Beside)
	for _, f := range slices.Concat(base, head) {
		sources = append(sources, f.Src)
	}
	for slices.ContainsFunc(sources, func(src []byte) bool { return bytes.Contains(src, []byte(out.prefix)) }) {
		out.prefix += "_"
	}
	out.findVariants()
	return out, nil
}

var variant = regexp.MustCompile(`^//goprofinstr:variant\s+of=(\S+)`)

// findVariants notes the functions that the user audits himself, and the variants.
func (p *Pairing) findVariants() {
	for _, d := range p.head.decls {
		if d.fn == nil || d.doc == nil {
			continue
		}
		for _, c := range d.doc.List {
			if m := variant.FindStringSubmatch(c.Text); m != nil {
				p.hasVariants[m[1]], p.hasVariants[d.name()] = true, true
			}
		}
	}
}

// Changed returns what of the package means something else to other packages: exported names, as F, and T.M for methods and
// fields.
func (p *Pairing) Changed() map[string]bool {
	out := make(map[string]bool)
	all := func(d *decl) {
		if d.fn != nil {
			out[d.key] = true
			return
		}
		for _, obj := range d.objs {
			out[obj.Name()] = true
		}
	}
	for _, d := range p.base.decls {
		h := p.counterpart(d)
		switch {
		case h == nil:
			all(d)
		case !p.changed[d]:
		case d.fn != nil:
			if p.base.signature(d) != p.head.signature(h) {
				out[d.key] = true
			}
		case isStruct(d) && isStruct(h):
			for v, owner := range p.base.fieldOwner {
				if owner == d && !p.head.hasField(d.key, v, p.base.typeString(v.Type())) {
					out["."+v.Name()] = true
				}
			}
			for v, owner := range p.head.fieldOwner {
				if owner == h && !p.base.hasField(d.key, v, p.head.typeString(v.Type())) {
					out["."+v.Name()] = true
				}
			}
		default:
			all(d)
		}
	}
	return out
}

func isStruct(d *decl) bool {
	_, ok := structOf(d)
	return ok
}

// Key returns what Changed calls an object of another package.
func Key(obj types.Object) string {
	switch o := obj.(type) {
	case *types.Var:
		if o.IsField() {
			return "." + o.Name()
		}
	case *types.Func:
		if recv := o.Signature().Recv(); recv != nil {
			t := types.Unalias(recv.Type())
			if p, ok := t.(*types.Pointer); ok {
				t = types.Unalias(p.Elem())
			}
			if named, ok := t.(*types.Named); ok {
				return named.Obj().Name() + "." + o.Name()
			}
		}
	}
	return obj.Name()
}

// Select has only some of the functions audited, by their names. Copies of others call what is there at the head.
func (p *Pairing) Select(selected func(name string) bool) { p.selected = selected }

// Copies sets how many copies of each side an audited function has, with itself. There is one unless it is called.
func (p *Pairing) Copies(number int) { p.number = number }

// Pair makes the copies. At most so many functions are audited. Elsewhere reports whether an object of another package is
// something else at the base.
func (p *Pairing) Pair(most int, elsewhere func(obj types.Object) bool) (*Result, error) {
	p.elsewhere = elsewhere
	for {
		l := p.plan()
		l.cut(most)
		files := l.files()
		again, err := l.check(files)
		if err != nil {
			return nil, err
		}
		if !again {
			return l.result(files), nil
		}
	}
}

// cut leaves out the functions beyond the most that can be audited.
func (l *plan) cut(most int) {
	for _, d := range l.audited[min(most, len(l.audited)):] {
		l.why[d] = "more functions have changed than can be audited at a time; -func chooses some"
	}
	l.audited = l.audited[:min(most, len(l.audited))]
}

// check type-checks the copies beside the head. If one does not compile, or means something else there, the plan is to be made
// again.
func (l *plan) check(files []*copies) (again bool, err error) {
	if len(files) == 0 {
		return false, nil
	}
	syntax := slices.Clone(l.pkg.Compiled)
	added := make([]*ast.File, len(files))
	for i, f := range files {
		parsed, err := f.parse(l.pkg.Fset)
		if err != nil {
			panic("BUG: a copy does not parse: " + err.Error() + "\n" + string(f.text()))
		}
		added[i] = parsed
	}
	var errs []types.Error
	conf := types.Config{GoVersion: l.pkg.GoVersion, Importer: l.importer, Sizes: l.sizes, Error: func(err error) {
		if e, ok := err.(types.Error); ok {
			errs = append(errs, e)
		}
	}}
	info := &types.Info{Uses: make(map[*ast.Ident]types.Object), Selections: make(map[*ast.SelectorExpr]*types.Selection)}
	conf.Check(l.pkg.Path, l.pkg.Fset, append(syntax, added...), info)
	for _, e := range errs {
		d := l.at(files, e)
		if d == nil {
			return false, e
		}
		if !l.shareTypes(d) && l.blocked[d] == "" {
			l.blocked[d] = "it does not compile beside the head: " + strings.ReplaceAll(e.Msg, l.prefix, "")
		}
		again = true
	}
	return again || l.checkMeanings(files, added, info), nil
}

// at returns the declaration whose copy an error is in.
func (l *plan) at(files []*copies, e types.Error) *decl {
	pos := e.Fset.PositionFor(e.Pos, false)
	for _, f := range files {
		if pos.Filename == f.name {
			return f.at(pos.Offset)
		}
	}
	return nil
}

// shareTypes shares the types that what needs a copy has copies of. It is false if there is none.
func (l *plan) shareTypes(of *decl) (some bool) {
	for _, d := range l.audited {
		if d != of && !l.needs[d][of] {
			continue
		}
		for t := range l.needs[d] {
			if _, isType := t.node.(*ast.TypeSpec); isType && l.counterpart(t) != nil && !l.shared[t.key] {
				l.shared[t.key], some = true, true
			}
		}
	}
	return some
}

// result lists what is audited and what is not.
func (l *plan) result(files []*copies) *Result {
	r := new(Result)
	for _, f := range files {
		r.Files = append(r.Files, File{f.name, f.text()})
	}
	within := make(map[*decl][]string)
	for _, d := range l.audited {
		r.Functions = append(r.Functions, Function{
			Name: d.name(), File: d.file.name, Line: l.base.line(d), Source: l.base.text(d.file, d.fn),
			Copies: l.copyNames(d, ofBase, 0), Heads: l.copyNames(l.counterpart(d), ofHead, 1),
		})
		for u := range l.needs[d] {
			within[u] = append(within[u], d.name())
		}
	}
	for _, d := range l.base.decls {
		if d.fn != nil && !slices.Contains(l.audited, d) && l.selected(d.name()) {
			l.list(r, d, within[d])
		}
	}
	for _, h := range l.head.decls {
		if h.fn == nil || l.base.byKey[h.key] != nil || !l.selected(h.name()) {
			continue
		}
		why := "it is new"
		if l.head.byKey[h.key] != h { // init
			if l.base.has(l.head.tokens(h)) {
				continue
			}
			why = "nothing calls it by its name"
		}
		r.NotCompared = append(r.NotCompared, NotCompared{h.name(), h.file.name, l.head.line(h), why})
	}
	return r
}

// has reports whether a side has a function of these tokens.
func (s *side) has(tokens []string) bool {
	return slices.ContainsFunc(s.decls, func(d *decl) bool { return d.fn != nil && slices.Equal(s.tokens(d), tokens) })
}

// copyNames returns what audits call the copies of a function, from one on.
func (l *plan) copyNames(d *decl, s sort, from int) (names []string) {
	name := d.name()
	at := len(name) - len(d.fn.Name.Name)
	for i := from; i < l.number; i++ {
		names = append(names, name[:at]+l.prefix+s.ordinal(i)+name[at:])
	}
	return names
}

// list lists a function of the base that is not audited, if it has changed.
func (l *plan) list(r *Result, d *decl, within []string) {
	h := l.counterpart(d)
	if l.base.byKey[d.key] != d {
		h = nil
	}
	switch {
	case h == nil && l.base.byKey[d.key] == d:
		r.NotCompared = append(r.NotCompared, NotCompared{d.name(), d.file.name, l.base.line(d), "it is not there any more"})
	case h == nil:
	case !l.changed[d]:
		if l.base.text(d.file, d.fn) != l.head.text(h.file, h.fn) {
			r.Unchanged = append(r.Unchanged, d.name())
		}
		why := l.sharedChange(d)
		if l.affected[d] && l.why[d] != "" {
			why = l.reason(d, within)
		}
		if why != "" {
			r.NotCompared = append(r.NotCompared, NotCompared{h.name(), h.file.name, l.head.line(h), why})
		}
	default:
		r.NotCompared = append(r.NotCompared, NotCompared{h.name(), h.file.name, l.head.line(h), l.reason(d, within)})
	}
}

// reason returns why a function that has changed is not audited.
func (l *plan) reason(d *decl, within []string) string {
	why := l.why[d]
	switch {
	case why != "":
	case l.notAudited(d) != "":
		why = l.notAudited(d)
	case !l.sameSignature(d):
		why = "its signature changed"
	case l.signatureCopied(d):
		why = "a type in its signature changed"
	case l.isSmall(d):
		why = "it is too short to be timed by itself"
	}
	if len(within) > 0 {
		why += "; it is part of " + strings.Join(within, ", ")
	}
	return why
}
