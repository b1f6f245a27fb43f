package base

import (
	"cmp"
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"github.com/goprofinstr/goprofinstr/rewrite"
	"github.com/goprofinstr/goprofinstr/rewrite/internal/localtype"
)

// A plan says which functions are audited and what is copied for that.
type plan struct {
	*Pairing
	copied   map[*decl]bool // have another name in copies
	affected map[*decl]bool // functions that need what is copied
	audited  []*decl        // at the base, in their order
	needs    map[*decl]map[*decl]bool
	why      map[*decl]string // why what is copied or audited cannot be
}

// plan finds out what is audited. Types whose copies lead nowhere are shared, and the plan is made anew.
func (p *Pairing) plan() *plan {
	for {
		l := &plan{Pairing: p, copied: make(map[*decl]bool), affected: make(map[*decl]bool), needs: make(map[*decl]map[*decl]bool),
			why: make(map[*decl]string)}
		l.copy()
		l.spread()
		for _, d := range p.base.decls {
			if d.fn != nil && p.counterpart(d) != nil && !l.copied[d] && (p.changed[d] || l.affected[d]) && p.selected(d.name()) {
				l.audited = append(l.audited, d)
				l.needs[d] = l.need(d)
			}
		}
		if !l.shareMore() {
			l.refuse()
			return l
		}
	}
}

// counterpart returns a declaration of the base as it is at the head, or nil.
func (p *Pairing) counterpart(d *decl) *decl { return p.head.byKey[d.key] }

// copy notes what cannot be shared by itself.
func (l *plan) copy() {
	for _, d := range l.base.decls {
		switch {
		case d.fn != nil && l.base.byKey[d.key] != d: // init, or _
		case l.counterpart(d) == nil:
			l.copied[d] = true
		case !l.changed[d]:
		case d.kind == token.TYPE:
			l.copied[d] = l.ownType(d)
		case d.kind == token.FUNC:
			l.copied[d] = !l.sameSignature(d) || l.notAudited(d) != "" || l.isSmall(d)
		default:
			l.copied[d] = true
		}
	}
}

// spread follows what is copied to what needs it.
func (l *plan) spread() {
	for again := true; again; {
		again = false
		for _, d := range l.base.decls {
			if l.copied[d] || l.affected[d] || l.base.byKey[d.key] != d || !l.needsCopied(d) {
				continue
			}
			switch d.kind {
			case token.FUNC:
				l.copied[d] = l.signatureCopied(d) || l.notAudited(d) != "" || l.isSmall(d)
				l.affected[d] = true
			case token.TYPE:
				if !l.ownType(d) {
					continue
				}
				l.copied[d] = true
			case token.VAR:
				l.copied[d] = true
			default:
				continue // the value of a constant is the same
			}
			again = true
		}
		for _, d := range l.base.decls { // the methods of a type that is copied, and what has it in its signature
			if d.fn != nil && !l.copied[d] && l.base.byKey[d.key] == d && l.signatureCopied(d) {
				l.copied[d], again = true, true
			}
		}
	}
}

func (l *plan) needsCopied(d *decl) bool {
	for u := range d.uses {
		if l.copied[u] {
			return true
		}
	}
	return false
}

// signatureCopied reports whether a function has a type that is copied in its signature.
func (l *plan) signatureCopied(d *decl) (found bool) {
	look := func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			if t := l.base.byObj[origin(l.base.info.Uses[id])]; t != nil && t.kind == token.TYPE && l.copied[t] {
				found = true
			}
		}
		return !found
	}
	if d.fn.Recv != nil {
		ast.Inspect(d.fn.Recv, look)
	}
	ast.Inspect(d.fn.Type, look)
	return found
}

// notAudited returns why no dispatcher can call a function, or "".
func (p *Pairing) notAudited(d *decl) string {
	why, known := p.undispatched[d]
	if !known {
		head := p.counterpart(d)
		why = cmp.Or(rewrite.WhyNotAudited(d.file.syntax, d.fn, p.base.syntax(), p.base.info),
			rewrite.WhyNotAudited(head.file.syntax, head.fn, p.head.syntax(), p.head.info))
		p.undispatched[d] = why
	}
	return why
}

// sameSignature reports whether the dispatcher of a function can call its copy.
func (l *plan) sameSignature(d *decl) bool {
	return l.base.signature(d) == l.head.signature(l.counterpart(d))
}

// signature returns the types in a function's signature, without the names of parameters.
func (s *side) signature(d *decl) string {
	fn, ok := s.info.Defs[d.fn.Name].(*types.Func)
	if !ok {
		return "?"
	}
	sig := fn.Signature()
	var b strings.Builder
	tuple := func(t *types.Tuple) {
		for v := range t.Variables() {
			b.WriteString(s.typeString(v.Type()) + ",")
		}
		b.WriteString(";")
	}
	if sig.Recv() != nil {
		b.WriteString(s.typeString(sig.Recv().Type()) + ";")
	}
	for p := range sig.TypeParams().TypeParams() {
		b.WriteString(p.Obj().Name() + " " + s.typeString(p.Constraint()) + ",")
	}
	tuple(sig.Params())
	tuple(sig.Results())
	if sig.Variadic() {
		b.WriteString("...")
	}
	return b.String()
}

// smallNodes is up to how many nodes of syntax a function without calls and loops is small: the compiler inlines it, and it
// takes less time than the clock tells.
const smallNodes = 60

// isSmall reports whether a function is too short to be timed on its own, at the base and at the head, and has callers to be
// timed in its place.
func (l *plan) isSmall(d *decl) bool {
	if !l.base.small(d) || !l.head.small(l.counterpart(d)) {
		return false
	}
	for _, caller := range l.base.decls {
		if caller.fn != nil && caller.uses[d] {
			return true
		}
	}
	return false
}

func (s *side) small(d *decl) bool {
	nodes, small := 0, true
	ast.Inspect(d.fn.Body, func(n ast.Node) bool {
		nodes++
		switch n := n.(type) {
		case *ast.ForStmt, *ast.RangeStmt, *ast.FuncLit, *ast.GoStmt, *ast.DeferStmt, *ast.SelectStmt, *ast.BranchStmt:
			small = false
		case *ast.CallExpr:
			if tv := s.info.Types[n.Fun]; !tv.IsType() && !tv.IsBuiltin() {
				small = false
			}
		}
		return small
	})
	return small && nodes <= smallNodes
}

// need returns what is to be copied for a declaration, without itself. A type brings its methods along.
func (l *plan) need(d *decl) map[*decl]bool {
	found := make(map[*decl]bool)
	var visit func(d *decl)
	visit = func(d *decl) {
		for u := range d.uses {
			if l.copied[u] && !found[u] {
				found[u] = true
				visit(u)
			}
		}
		if d.kind == token.TYPE {
			for _, m := range l.base.decls {
				if m.fn != nil && !found[m] && l.copied[m] && strings.HasPrefix(m.key, d.key+".") {
					found[m] = true
					visit(m)
				}
			}
		}
	}
	visit(d)
	delete(found, d)
	return found
}

// shareMore finds types whose copies lead to what cannot be copied, though others need not be either: variables that have
// not changed, and functions that nothing audited calls. Values of a shared type lead to those of the types in it.
func (l *plan) shareMore() (more bool) {
	reached := make(map[*decl]bool)
	for _, d := range l.audited {
		for u := range l.needs[d] {
			reached[u] = true
		}
	}
	share := func(used map[*decl]bool) {
		for t := range used {
			if l.copied[t] && t.kind == token.TYPE && l.counterpart(t) != nil && !l.shared[t.key] {
				l.shared[t.key], more = true, true
			}
		}
	}
	for _, d := range l.base.decls {
		switch {
		case l.counterpart(d) == nil:
		case d.kind == token.TYPE && !l.copied[d]:
			share(d.uses)
		case !l.copied[d]:
		case d.kind == token.VAR && !l.changed[d] && l.whyNotTwice(d) != "":
			share(l.need(d))
		case d.fn != nil && l.changed[d] && !reached[d] && l.signatureCopied(d):
			share(l.need(d))
		}
	}
	return more
}

// ownType reports whether copies can have a type of their own, of which no value meets one of the head's.
func (l *plan) ownType(d *decl) bool {
	if l.counterpart(d) == nil {
		return true
	}
	return !l.shared[d.key] && !ast.IsExported(d.key) && !l.base.told(d.key) && !l.head.told(d.key)
}

// told reports whether other code may tell values by their being of a type: by what package localtype looks for, but for what a
// sync.Pool returns, or as errors.
func (s *side) told(name string) bool {
	if s.toldTypes == nil {
		s.findTold()
	}
	return s.toldTypes[name]
}

func (s *side) findTold() {
	s.toldTypes = make(map[string]bool)
	isError := types.Universe.Lookup("error").Type().Underlying().(*types.Interface)
	declared := make(map[types.Object]bool)
	for _, d := range s.decls {
		if d.kind != token.TYPE {
			continue
		}
		for _, obj := range d.objs {
			declared[obj] = true
			if types.Implements(types.NewPointer(obj.Type()), isError) {
				s.toldTypes[d.key] = true
			}
		}
	}
	for _, obj := range localtype.Of(s.syntax(), s.info, declared, s.fromOwnPool) {
		s.toldTypes[obj.Name()] = true
	}
}

// fromOwnPool reports whether a type assertion is of what comes out of a sync.Pool whose declaration mentions the type. Where the
// type is copied, so is the pool. A pool that is a field, or is filled elsewhere, has values of both.
func (s *side) fromOwnPool(n *ast.TypeAssertExpr) bool {
	call, ok := ast.Unparen(n.X).(*ast.CallExpr)
	if !ok {
		return false
	}
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok || sel.Sel.Name != "Get" || !isPool(s.typeOf(sel.X)) {
		return false
	}
	id, ok := ast.Unparen(sel.X).(*ast.Ident)
	if !ok {
		return false
	}
	pool := s.byObj[s.info.Uses[id]]
	own := pool != nil
	ast.Inspect(n.Type, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && own {
			t := s.byObj[s.info.Uses[id]]
			own = t == nil || pool.uses[t]
		}
		return own
	})
	return own
}

func isPool(t types.Type) bool {
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		t = p.Elem()
	}
	return types.TypeString(t, nil) == "sync.Pool"
}
