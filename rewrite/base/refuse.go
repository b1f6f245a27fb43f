package base

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"

	"github.com/goprofinstr/goprofinstr/rewrite/internal/localtype"
)

// refuse finds out which functions cannot be audited, and leaves them out.
func (l *plan) refuse() {
	for _, d := range l.audited {
		if why := l.whyNotCompared(d); why != "" {
			l.why[d] = why
		}
	}
	l.audited = slices.DeleteFunc(l.audited, func(d *decl) bool { return l.why[d] != "" })
}

// whyNotCompared returns why a function cannot be audited, or "".
func (l *plan) whyNotCompared(d *decl) string {
	head := l.counterpart(d)
	switch {
	case l.blocked[d] != "":
		return l.blocked[d]
	case l.hasVariants[d.name()] || l.hasVariants[d.fn.Name.Name]:
		return "it has variants of its own; audit without -base runs them against each other"
	case head.file.cgo:
		return importingC
	}
	if why := l.whyNotShared(d); why != "" {
		return why
	}
	if why := l.headState(head); why != "" {
		return why
	}
	if why := l.fieldsOf(l.head, l.base, head); why != "" {
		return why
	}
	for _, u := range inOrder(l.needs[d]) {
		if why := l.whyNotTwice(u); why != "" {
			return why
		}
	}
	return ""
}

const importingC = `its file imports "C"`

func inOrder(set map[*decl]bool) (list []*decl) {
	for d := range set {
		list = append(list, d)
	}
	slices.SortFunc(list, func(a, b *decl) int { return a.order - b.order })
	return list
}

// whyNotTwice returns why what is copied cannot be there twice, or "".
func (l *plan) whyNotTwice(d *decl) string {
	if l.blocked[d] != "" {
		return fmt.Sprintf("it needs %s of the base: %s", d.name(), l.blocked[d])
	}
	if d.kind == token.VAR {
		if why := l.whyNotOwnVariable(d); why != "" {
			return why
		}
	}
	if l.base.isTag(d) { // which may be in data that both have
		return fmt.Sprintf("constant %s has another value at the base, and stands for something in what is shared", d.key)
	}
	if d.fn != nil && d.fn.Body == nil {
		return fmt.Sprintf("it needs %s of the base, which has no body in Go", d.name())
	}
	if d.kind == token.TYPE {
		return l.whyNotShared(d)
	}
	if t := localtype.Told(d.node, l.base.syntax(), l.base.info); t != "" {
		return fmt.Sprintf("it needs %s of the base, which declares type %s, by which values are told: a copy declares another",
			d.name(), t)
	}
	return l.whyNotShared(d)
}

// whyNotOwnVariable returns why copies cannot have a variable of their own.
func (l *plan) whyNotOwnVariable(d *decl) string {
	for _, obj := range d.objs {
		head := l.head.pkg.Scope().Lookup(obj.Name())
		if l.base.written[obj] || l.head.written[head] {
			return fmt.Sprintf("its state is in variable %s, which the head has not or begins with another value", obj.Name())
		}
		if what := leads(obj.Type(), make(map[types.Type]bool)); what != "" {
			return fmt.Sprintf("variable %s, which the head has not or begins with another value, has %s that others may know",
				obj.Name(), what)
		}
	}
	embeds := func(c *ast.Comment) bool { return strings.HasPrefix(c.Text, "//go:embed") }
	if d.doc != nil && slices.ContainsFunc(d.doc.List, embeds) {
		return fmt.Sprintf("variable %s has the contents of files, as they are now", d.key)
	}
	if call := l.base.runs(d); call != "" {
		return fmt.Sprintf("the initialiser of variable %s calls %s, which may not run twice", d.key, call)
	}
	return ""
}

// fixed are types of which one value does for another with the same contents.
var fixed = []string{
	"*regexp.Regexp", "*strings.Replacer", "*time.Location", "time.Time", "*unicode.RangeTable", "*hash/crc32.Table",
	"*hash/crc64.Table", "reflect.Type", "encoding/binary.ByteOrder",
}

// leads returns what in a type leads to something that others may know, too, or "". They may compare an error, wait for
// a channel, or call methods of a pointer that write.
func leads(t types.Type, seen map[types.Type]bool) string {
	t = types.Unalias(t)
	if seen[t] || isPool(t) || slices.Contains(fixed, types.TypeString(t, nil)) {
		return ""
	}
	seen[t] = true
	switch u := t.Underlying().(type) {
	case *types.Chan:
		return "a channel"
	case *types.Pointer:
		return "a pointer"
	case *types.Interface:
		return "an interface value"
	case *types.Basic:
		if u.Kind() == types.UnsafePointer {
			return "a pointer"
		}
	case *types.Array:
		return leads(u.Elem(), seen)
	case *types.Slice:
		return leads(u.Elem(), seen)
	case *types.Map:
		return cmp.Or(leads(u.Key(), seen), leads(u.Elem(), seen))
	case *types.Struct:
		for f := range u.Fields() {
			if what := leads(f.Type(), seen); what != "" {
				return what
			}
		}
	}
	return ""
}

// harmless are packages whose functions do nothing but return a value, and so may run twice.
var harmless = []string{
	"errors", "regexp", "strings", "bytes", "unicode", "unicode/utf8", "strconv", "math", "math/big", "math/bits", "slices", "maps",
	"sort", "time", "encoding/binary", "hash/crc32", "hash/crc64", "reflect",
}

// runs returns a call in an initialiser that may have an effect, or "".
func (s *side) runs(d *decl) (call string) {
	for _, x := range d.node.(*ast.ValueSpec).Values {
		ast.Inspect(x, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncLit:
				return false
			case *ast.UnaryExpr:
				if n.Op == token.ARROW {
					call = "a channel"
				}
			case *ast.CallExpr:
				if tv := s.info.Types[n.Fun]; !tv.IsType() && !tv.IsBuiltin() && !s.harmless(n.Fun) {
					call = s.text(d.file, n.Fun)
					if _, ok := ast.Unparen(n.Fun).(*ast.FuncLit); ok {
						call = "a function literal"
					}
				}
			}
			return call == ""
		})
	}
	return call
}

func (s *side) harmless(fun ast.Expr) bool {
	sel, ok := ast.Unparen(fun).(*ast.SelectorExpr)
	if !ok {
		return false
	}
	fn, ok := s.info.Uses[sel.Sel].(*types.Func)
	return ok && fn.Pkg() != nil && slices.Contains(harmless, fn.Pkg().Path())
}

// whyNotShared returns why a copy cannot do with what it shares with the head, or "".
func (l *plan) whyNotShared(d *decl) string {
	if d.file.cgo {
		return importingC
	}
	if len(d.missing) > 0 {
		path := slices.Min(slices.Collect(maps.Keys(d.missing)))
		return fmt.Sprintf("it needs package %s, %s", path, l.base.missing[path])
	}
	if name := l.dottedAtHead(d); name != "" {
		return fmt.Sprintf("its file imports %s without a name for the package, and the head declares another", name)
	}
	var others []string
	for obj := range d.outside {
		if l.elsewhere(obj) {
			others = append(others, obj.Pkg().Name()+"."+obj.Name())
		}
	}
	if len(others) > 0 {
		return slices.Min(others) + " changed, too, and is in another package"
	}
	for _, t := range inOrder(d.uses) {
		if _, isStruct := structOf(t); !isStruct && l.isChangedAndShared(t) {
			return fmt.Sprintf("type %s changed, and its values are shared", t.key)
		}
	}
	return l.fieldsOf(l.base, l.head, d)
}

// sharedChange returns what of a shared type changed and makes other code of a function whose text is the same, or "". A method
// more of an interface makes none.
func (l *plan) sharedChange(d *decl) string {
	for _, t := range inOrder(d.uses) {
		_, isStruct := structOf(t)
		if !isStruct && l.isChangedAndShared(t) && !types.IsInterface(t.objs[0].Type()) {
			return fmt.Sprintf("type %s changed, and its values are shared", t.key)
		}
	}
	return l.fieldsOf(l.base, l.head, d)
}

func (l *plan) isChangedAndShared(t *decl) bool {
	return t.kind == token.TYPE && l.changed[t] && !l.copied[t]
}

// dottedAtHead returns a name that the file of a declaration has from an import with a dot, and that the head declares, too. Go
// allows no package both, whether it uses the name or not.
func (l *plan) dottedAtHead(d *decl) string {
	var list []string
	for p := range d.dotted {
		for _, name := range p.Scope().Names() {
			if ast.IsExported(name) && l.head.pkg.Scope().Lookup(name) != nil {
				list = append(list, p.Name()+"."+name)
			}
		}
	}
	if len(list) == 0 {
		return ""
	}
	return slices.Min(list)
}

// fieldsOf returns why a function cannot share values of the structs that it uses: it has to do with a field that the other
// side has not.
func (l *plan) fieldsOf(own, other *side, d *decl) string {
	var list []string
	for v := range d.fields {
		owner := own.fieldOwner[v]
		if owner == nil || l.isCopied(owner) || l.sameBoth(owner) {
			continue
		}
		if !other.hasField(owner.key, v, own.typeString(v.Type())) {
			list = append(list, fmt.Sprintf("field %[1]s.%[2]s is not the same at the base, and values of %[1]s are shared",
				owner.key, v.Name()))
		}
	}
	for t := range d.unkeyed {
		if owner := own.byObj[t]; owner != nil && !l.isCopied(owner) && !l.sameBoth(owner) {
			list = append(list, fmt.Sprintf("type %s changed, and its values are shared", owner.key))
		}
	}
	if len(list) == 0 {
		return ""
	}
	return slices.Min(list)
}

// isCopied reports whether a type, of either side, is copied.
func (l *plan) isCopied(t *decl) bool { return l.copied[l.base.byKey[t.key]] }

// sameBoth reports whether a type, of either side, has not changed.
func (l *plan) sameBoth(t *decl) bool {
	base := l.base.byKey[t.key]
	return base != nil && l.head.byKey[t.key] != nil && !l.changed[base]
}

// headState returns why a function of the head cannot run by turns with that of the base: it shares a variable that is
// written with others, or a constant that stands for something, which the base does not have.
func (l *plan) headState(head *decl) string {
	for _, v := range inOrder(head.uses) {
		if l.base.byKey[v.key] != nil || l.head.users(v, false) < 2 {
			continue
		}
		isState := func(o types.Object) bool { return l.head.written[o] && !isPool(o.Type()) }
		switch {
		case v.kind == token.VAR && slices.ContainsFunc(v.objs, isState):
			return fmt.Sprintf("its state is in variable %s, which the base does not have", v.key)
		case l.head.isTag(v):
			return fmt.Sprintf("constant %s stands for something in what is shared, and the base does not have it", v.key)
		}
	}
	return ""
}

// users returns how many functions mention a declaration, with init or without it, which has run before any other.
func (s *side) users(of *decl, withInit bool) (n int) {
	for _, d := range s.decls {
		if d.fn != nil && d.uses[of] && (withInit || d.key != "init") {
			n++
		}
	}
	return n
}

// structOf returns the struct that a type is declared as.
func structOf(d *decl) (*ast.StructType, bool) {
	spec, ok := d.node.(*ast.TypeSpec)
	if !ok {
		return nil, false
	}
	t, ok := ast.Unparen(spec.Type).(*ast.StructType)
	return t, ok
}

// ownFields notes which type declares which field.
func (s *side) ownFields() {
	s.fieldOwner = make(map[*types.Var]*decl)
	for _, d := range s.decls {
		if d.kind != token.TYPE {
			continue
		}
		ast.Inspect(d.node, func(n ast.Node) bool {
			if t, ok := n.(*ast.StructType); ok {
				if typ, ok := s.typeOf(t).(*types.Struct); ok {
					for f := range typ.Fields() {
						s.fieldOwner[f] = d
					}
				}
			}
			return true
		})
	}
}

// hasField reports whether a type has a field of a name and a type.
func (s *side) hasField(owner string, field *types.Var, typ string) bool {
	for v, d := range s.fieldOwner {
		if d.key == owner && v.Name() == field.Name() && v.Embedded() == field.Embedded() && s.typeString(v.Type()) == typ {
			return true
		}
	}
	return false
}
