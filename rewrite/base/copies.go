package base

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"math/big"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/goprofinstr/goprofinstr/rewrite/placement"
)

// copies are the copies of declarations of one file of the base.
type copies struct {
	name    string // of the added file
	pkg     string
	lang    string          // that a build constraint of the file asks for, such as go1.21: loops have other variables there
	imports map[string]bool // import specs
	decls   []*decl
	texts   []string
}

// files copies what the audited functions need.
func (l *plan) files() (list []*copies) {
	wanted := make(map[*decl]bool)
	for _, d := range l.audited {
		wanted[d] = true
		maps.Copy(wanted, l.needs[d])
	}
	byFile := make(map[*file]*copies)
	add := func(d *decl, w *copier) {
		f := w.of.file
		c := byFile[f]
		if c == nil {
			dir, name := filepath.Split(f.name)
			// A name that ends in a system or in _test would be a constraint.
			c = &copies{name: filepath.Join(dir, l.prefix+strings.TrimSuffix(name, ".go")+w.sort.file), pkg: l.head.pkg.Name(),
				lang: f.syntax.GoVersion, imports: make(map[string]bool)}
			byFile[f], list = c, append(list, c)
		}
		w.plan, w.to = l, c
		c.decls, c.texts = append(c.decls, d), append(c.texts, w.copy())
	}
	for _, d := range inOrder(wanted) {
		if !slices.Contains(l.audited, d) {
			add(d, &copier{side: l.base, sort: ofBase, of: d})
			continue
		}
		for i := range l.number {
			add(d, &copier{side: l.base, sort: ofBase, of: d, audited: true, name: l.prefix + ofBase.ordinal(i) + d.fn.Name.Name, pads: i})
		}
	}
	for _, d := range l.audited { // the head itself is the first
		for i := 1; i < l.number; i++ {
			h := l.counterpart(d)
			add(d, &copier{side: l.head, sort: ofHead, of: h, audited: true, name: l.prefix + ofHead.ordinal(i) + h.fn.Name.Name, pads: i})
		}
	}
	if len(list) > 0 && l.number > 1 {
		list[0].decls, list[0].texts = append(list[0].decls, nil), append(list[0].texts, "\n"+placement.Declaration(l.prefix)+"\n")
	}
	return list
}

// A sort of copies has names that no other has, whatever is copied.
type sort struct{ file, letter string }

var (
	ofBase = sort{"_copy.go", ""}
	ofHead = sort{"_copies.go", "h"}
)

// ordinal is in the name of copy i of an audited function.
func (s sort) ordinal(i int) string {
	if i == 0 {
		return ""
	}
	return fmt.Sprintf("%d%s_", i+1, s.letter)
}

// text returns the file.
func (c *copies) text() []byte {
	head, _ := c.header()
	return []byte(head + strings.Join(c.texts, ""))
}

func (c *copies) header() (text string, length int) {
	if c.lang != "" {
		text = "//go:build " + c.lang + "\n\n"
	}
	text += "package " + c.pkg + "\n\n"
	for _, spec := range slices.Sorted(maps.Keys(c.imports)) {
		text += "import " + spec + "\n"
	}
	return text, len(text)
}

func (c *copies) parse(fset *token.FileSet) (*ast.File, error) {
	return parser.ParseFile(fset, c.name, c.text(), parser.ParseComments|parser.SkipObjectResolution)
}

// at returns the declaration that is copied to an offset.
func (c *copies) at(offset int) *decl {
	_, from := c.header()
	for i, text := range c.texts {
		if from <= offset && offset < from+len(text) {
			return c.decls[i]
		}
		from += len(text)
	}
	return nil
}

// A copier copies a declaration.
type copier struct {
	*plan
	side    *side // that it is of
	sort    sort
	of      *decl
	to      *copies
	audited bool
	name    string // of the copy of an audited function
	pads    int
}

func (w *copier) copy() string {
	at := w.side.fset.PositionFor(w.of.node.Pos(), false)
	line := fmt.Sprintf("//line %s:%d:%d\n", filepath.Base(at.Filename), at.Line, at.Column) // its position, in stack traces
	switch w.of.kind {
	case token.FUNC:
		mark := ""
		if w.audited {
			mark = "//goprofinstr:variant of=" + w.of.name() + "\n"
		}
		return "\n" + mark + placement.Directives(w.of.file.syntax, w.of.fn) + line + w.source() + "\n"
	case token.CONST:
		return "\n" + w.constants()
	}
	return "\n" + line + w.of.kind.String() + " " + w.source() + "\n"
}

// source returns the source of the declaration with the names of copies.
func (w *copier) source() string {
	from := w.side.offset(w.of.node.Pos())
	if w.of.fn != nil {
		from = w.side.offset(w.of.fn.Pos())
	}
	var b strings.Builder
	for p := range w.of.dotted {
		w.to.imports[". "+strconv.Quote(p.Path())] = true
	}
	ast.Inspect(w.of.node, func(n ast.Node) bool {
		if n == ast.Node(w.body()) {
			at := w.side.offset(n.Pos()) + 1
			b.Write(w.of.file.src[from:at])
			b.WriteString(placement.Pads(w.prefix, w.pads))
			from = at
			return true
		}
		id, ok := n.(*ast.Ident)
		if !ok {
			return true
		}
		if name := w.rename(id); name != id.Name {
			at := w.side.offset(id.Pos())
			b.Write(w.of.file.src[from:at])
			b.WriteString(name)
			from = at + len(id.Name)
		}
		return true
	})
	b.Write(w.of.file.src[from:w.side.offset(w.of.node.End())])
	return b.String()
}

// body returns the body of what is padded.
func (w *copier) body() *ast.BlockStmt {
	if w.pads == 0 {
		return nil
	}
	return w.of.fn.Body
}

// rename returns the name of what an identifier means in the copy.
func (w *copier) rename(id *ast.Ident) string {
	obj, defined := w.side.info.Defs[id]
	if !defined {
		obj = origin(w.side.info.Uses[id])
	}
	switch o := obj.(type) {
	case nil:
		return id.Name
	case *types.PkgName:
		return w.imported(o.Name(), o.Imported())
	case *types.Var:
		if o.Embedded() { // the field is called as its type
			return w.typeName(o.Type(), id.Name)
		}
	}
	d := w.side.byObj[obj]
	switch {
	case d == w.of && w.audited:
		return w.name
	case d == nil || d != w.of && !w.copied[d]:
		return id.Name
	}
	return w.nameOf(d, id.Name)
}

// nameOf returns the name of the copy of a declaration. Methods of a type that is copied keep theirs.
func (w *copier) nameOf(d *decl, name string) string {
	if name == "_" {
		return name
	}
	if d.fn != nil && d.fn.Recv != nil {
		typ, _, _ := strings.Cut(d.key, ".")
		if t := w.base.byKey[typ]; t != nil && w.copied[t] {
			return name
		}
	}
	return w.prefix + name
}

// typeName returns the name of a type, or of what it points to.
func (w *copier) typeName(t types.Type, name string) string {
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		t = p.Elem()
	}
	if named, ok := types.Unalias(t).(*types.Named); ok {
		if d := w.base.byObj[named.Origin().Obj()]; d != nil && w.copied[d] {
			return w.prefix + name
		}
	}
	return name
}

// constants returns constants with their values, for what iota is depends on those before.
func (w *copier) constants() string {
	var b strings.Builder
	for _, obj := range w.of.objs {
		c, ok := obj.(*types.Const)
		if !ok || c.Name() == "_" {
			continue
		}
		typ := ""
		if basic, ok := types.Unalias(c.Type()).(*types.Basic); !ok || basic.Info()&types.IsUntyped == 0 {
			typ = " " + types.TypeString(c.Type(), w.qualifier)
			if named, ok := types.Unalias(c.Type()).(*types.Named); ok && named.Obj().Pkg() == w.base.pkg {
				typ = " " + w.typeName(c.Type(), named.Obj().Name())
			}
		}
		fmt.Fprintf(&b, "const %s%s%s = %s\n", w.prefix, c.Name(), typ, literal(c))
	}
	return b.String()
}

// qualifier returns the name of an imported package.
func (w *copier) qualifier(p *types.Package) string {
	if p == w.base.pkg {
		return ""
	}
	return w.imported(p.Name(), p)
}

// imported returns the name of a package in copies, where neither declarations of the head nor copies have it.
func (w *copier) imported(name string, p *types.Package) string {
	name = w.prefix + "0_" + name
	w.to.imports[name+" "+strconv.Quote(p.Path())] = true
	return name
}

// literal returns an expression of the value of a constant.
func literal(c *types.Const) string {
	v := c.Val()
	basic, _ := c.Type().Underlying().(*types.Basic)
	switch {
	case basic != nil && basic.Kind() == types.UntypedRune:
		if n, ok := constant.Int64Val(v); ok && n >= 0 && n <= utf8.MaxRune && utf8.ValidRune(rune(n)) {
			return strconv.QuoteRuneToASCII(rune(n))
		}
		return `('\x00'+` + v.ExactString() + ")"
	case basic != nil && basic.Info()&types.IsFloat != 0:
		return float(v)
	case basic != nil && basic.Info()&types.IsComplex != 0:
		return "(" + float(constant.Real(v)) + "+" + float(constant.Imag(v)) + "*1i)"
	}
	return v.ExactString()
}

func float(v constant.Value) string {
	r, ok := new(big.Rat).SetString(v.ExactString())
	if !ok {
		return v.ExactString()
	}
	return "(" + r.Num().String() + ".0/" + r.Denom().String() + ".0)"
}
