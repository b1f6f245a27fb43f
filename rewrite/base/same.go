package base

import (
	"fmt"
	"go/ast"
	"go/scanner"
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"
)

// same reports whether a declaration is the same at the base and at the head, but for comments, layout and the names of what
// is local, and means the same. Constants are compared by their values: what iota is depends on those before.
func (p *Pairing) same(base, head *decl) bool {
	if base.kind != head.kind {
		return false
	}
	if base.kind == token.CONST {
		return p.sameConstants(base, head)
	}
	return slices.Equal(p.base.tokens(base), p.head.tokens(head)) && !p.meansOther(base, head) &&
		slices.Equal(p.base.lengths(base), p.head.lengths(head))
}

// lengths returns the lengths of the arrays in the declaration of a type, which may be constants of another value. Another type
// in it has a declaration of its own. A name for an array is an array, too.
func (s *side) lengths(d *decl) []int64 {
	spec, ok := d.node.(*ast.TypeSpec)
	if !ok {
		return nil
	}
	t := s.info.TypeOf(spec.Type)
	if t == nil {
		return nil // it does not type-check
	}
	if a, ok := t.Underlying().(*types.Array); ok {
		t = a
	}
	return lengthsIn(t, nil)
}

// lengthsIn adds the lengths of the arrays in a type to a list.
func lengthsIn(t types.Type, list []int64) []int64 {
	switch t := t.(type) {
	case *types.Array:
		return lengthsIn(t.Elem(), append(list, t.Len()))
	case *types.Map:
		return lengthsIn(t.Elem(), lengthsIn(t.Key(), list))
	case *types.Signature:
		return lengthsIn(t.Results(), lengthsIn(t.Params(), list))
	case *types.Tuple:
		for v := range t.Variables() {
			list = lengthsIn(v.Type(), list)
		}
	case *types.Struct:
		for f := range t.Fields() {
			list = lengthsIn(f.Type(), list)
		}
	case *types.Interface:
		for m := range t.ExplicitMethods() {
			list = lengthsIn(m.Type(), list)
		}
		for e := range t.EmbeddedTypes() {
			list = lengthsIn(e, list)
		}
	case *types.Union:
		for e := range t.Terms() {
			list = lengthsIn(e.Type(), list)
		}
	case *types.Named:
		for a := range t.TypeArgs().Types() {
			list = lengthsIn(a, list)
		}
	case interface{ Elem() types.Type }: // a pointer, a slice or a channel
		return lengthsIn(t.Elem(), list)
	}
	return list
}

func (p *Pairing) sameConstants(base, head *decl) bool {
	for _, obj := range base.objs {
		b, ok := obj.(*types.Const)
		other := p.head.pkg.Scope().Lookup(obj.Name())
		h, also := other.(*types.Const)
		if !ok || !also || b.Val().ExactString() != h.Val().ExactString() ||
			p.base.typeString(b.Type()) != p.head.typeString(h.Type()) {
			return false
		}
	}
	return len(base.objs) > 0
}

// typeString returns a type as the package itself writes it, with the import paths of others. The type any has one name.
func (s *side) typeString(t types.Type) string {
	return strings.ReplaceAll(types.TypeString(t, types.RelativeTo(s.pkg)), "interface{}", "any")
}

// tokens returns the tokens of a declaration.
func (s *side) tokens(d *decl) (list []string) {
	renamed := s.localNames(d.node)
	start, end := s.offset(d.node.Pos()), s.offset(d.node.End())
	if d.fn != nil {
		start = s.offset(d.fn.Pos())
	}
	var scan scanner.Scanner
	fset := token.NewFileSet()
	scan.Init(fset.AddFile("", -1, end-start), d.file.src[start:end], nil, 0)
	for {
		pos, tok, text := scan.Scan()
		switch {
		case tok == token.EOF:
			return withoutLast(list, ";")
		case tok == token.SEMICOLON:
			text = ";"
		case tok == token.IDENT:
			if name, ok := renamed[start+fset.Position(pos).Offset]; ok {
				text = name
			}
		case text == "":
			text = tok.String()
		}
		if tok == token.RBRACE || tok == token.RPAREN || tok == token.RBRACK {
			list = withoutLast(withoutLast(list, ";"), ",") // which depend on the layout
		}
		if n := len(list); tok == token.RBRACE && n > 1 && list[n-1] == "{" && list[n-2] == "interface" {
			list, text = list[:n-2], "any"
		}
		list = append(list, text)
	}
}

func withoutLast(list []string, text string) []string {
	if n := len(list); n > 0 && list[n-1] == text {
		return list[:n-1]
	}
	return list
}

// localNames returns what stands for names that are local, in the order of their appearance, and for names of imports, by offset.
func (s *side) localNames(n ast.Node) map[int]string {
	names := make(map[int]string)
	numbers := make(map[types.Object]int)
	ast.Inspect(n, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if !ok {
			return true
		}
		obj, defined := s.info.Defs[id]
		if !defined {
			obj = s.info.Uses[id]
		}
		switch {
		case defined && obj == nil: // of a type switch
			names[s.offset(id.Pos())] = "#"
		case obj == nil:
		case s.isLocal(obj):
			if _, ok := numbers[obj]; !ok {
				numbers[obj] = len(numbers)
			}
			names[s.offset(id.Pos())] = fmt.Sprintf("#%d", numbers[obj])
		default:
			if name, ok := obj.(*types.PkgName); ok {
				names[s.offset(id.Pos())] = strconv.Quote(name.Imported().Path())
			}
		}
		return true
	})
	return names
}

// isLocal reports whether nothing but a declaration itself knows an object that it declares.
func (s *side) isLocal(obj types.Object) bool {
	if obj.Pkg() != s.pkg || obj.Name() == "_" {
		return false
	}
	switch o := obj.(type) {
	case *types.PkgName:
		return false
	case *types.Label:
		return true
	case *types.Var:
		if o.IsField() {
			return false
		}
	case *types.Func:
		return false
	}
	return obj.Parent() != s.pkg.Scope()
}
