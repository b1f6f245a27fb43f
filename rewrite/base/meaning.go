package base

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// checkMeanings finds copies that mean something else beside the head. If there are any, the plan is to be made again. Info is of
// the head with the copies.
func (l *plan) checkMeanings(files []*copies, added []*ast.File, info *types.Info) (again bool) {
	for i, f := range added {
		if strings.HasSuffix(files[i].name, ofHead.file) {
			continue
		}
		for _, copied := range f.Decls {
			d := files[i].at(l.pkg.Fset.PositionFor(copied.Pos(), false).Offset)
			if what := l.otherMeaning(d, copied, info); what != "" && l.blocked[d] == "" {
				l.blocked[d], again = what+" means something else beside the head", true
			}
		}
	}
	return again
}

// otherMeaning returns a name in the copy of a declaration that means something else beside the head, or "": a builtin function
// or a promoted member of which the head has a nearer one.
func (l *plan) otherMeaning(d *decl, copied ast.Decl, info *types.Info) string {
	if d == nil || d.kind == token.CONST { // there is nothing of its source in it
		return ""
	}
	var node ast.Node = copied
	if g, ok := copied.(*ast.GenDecl); ok {
		node = g.Specs[0]
	}
	was, is := l.mentions(d.node), l.mentions(node)
	if len(was) != len(is) {
		panic("BUG: the copy of " + d.name() + " has other names")
	}
	for i, n := range was {
		if name(n) != name(is[i]) { // no other has the name of a copy
			continue
		}
		if what := l.meaning(n, l.base.info); what != "" && what != l.meaning(is[i], info) {
			return name(n)
		}
	}
	return ""
}

// meansOther reports whether a declaration whose text is the same at the base and at the head means something else at the head.
func (p *Pairing) meansOther(base, head *decl) bool {
	was, is := p.mentions(base.node), p.mentions(head.node)
	if len(was) != len(is) { // any has a name, and interface{} none
		return false
	}
	for i, n := range was {
		before, now := p.meaning(n, p.base.info), p.meaning(is[i], p.head.info)
		if before != "" && now != "" && before != now {
			return true
		}
	}
	return false
}

// name returns an identifier, or that of a selector.
func name(n ast.Node) string {
	if sel, ok := n.(*ast.SelectorExpr); ok {
		return sel.Sel.Name
	}
	return n.(*ast.Ident).Name
}

// mentions returns the identifiers and selectors of a declaration, without those of pads.
func (p *Pairing) mentions(n ast.Node) (list []ast.Node) {
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.IfStmt:
			id, ok := n.Cond.(*ast.Ident)
			return !ok || id.Name != p.prefix+"never"
		case *ast.SelectorExpr, *ast.Ident:
			list = append(list, n)
		}
		return true
	})
	return list
}

// meaning returns what an identifier or a selector means, as both sides say it, or "" if it is local.
func (p *Pairing) meaning(n ast.Node, info *types.Info) string {
	if sel, ok := n.(*ast.SelectorExpr); ok {
		return p.path(info.Selections[sel])
	}
	obj := info.Uses[n.(*ast.Ident)]
	switch {
	case obj == nil:
		return ""
	case obj.Parent() == types.Universe:
		return obj.Name()
	case obj.Pkg() == nil || obj.Parent() != obj.Pkg().Scope():
		return ""
	}
	return obj.Pkg().Path() + "." + obj.Name()
}

// path returns the names of the embedded fields through which a selector leads, and that of the member.
func (p *Pairing) path(s *types.Selection) (names string) {
	if s == nil {
		return ""
	}
	for _, f := range embedded(s) {
		names += strings.TrimPrefix(f.Name(), p.prefix) + "."
	}
	return names + s.Obj().Name()
}
