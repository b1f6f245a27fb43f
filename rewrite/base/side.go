package base

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"strconv"

	"github.com/goprofinstr/goprofinstr/rewrite"
	"github.com/goprofinstr/goprofinstr/rewrite/internal/passing"
)

// A side is the package at the base or at the head.
type side struct {
	fset  *token.FileSet
	files []*file
	info  *types.Info
	pkg   *types.Package

	missing map[string]string // packages that cannot be imported beside the head, by import path: what is the matter with them

	decls []*decl // in the order of the source
	byKey map[string]*decl
	byObj map[types.Object]*decl

	fieldOwner map[*types.Var]*decl  // the type that declares a field
	written    map[types.Object]bool // variables that functions write to, or take the address of
	passed     []passing.Passing     // slices and maps, to functions of the package and to other variables
	mapKeys    map[types.Object]bool // constants by which functions find something in maps
	toldTypes  map[string]bool       // types that told knows of, nil until it is asked
}

// A file is a source file of a side.
type file struct {
	name   string // absolute
	src    []byte
	syntax *ast.File
	cgo    bool
}

// A decl is a declaration of a package.
type decl struct {
	key   string // F, or T.M for methods, whether their receivers are pointers or not
	kind  token.Token
	file  *file
	node  ast.Node // *ast.FuncDecl, *ast.TypeSpec or *ast.ValueSpec
	doc   *ast.CommentGroup
	objs  []types.Object
	fn    *ast.FuncDecl // nil but for functions
	order int
	iota  bool // of a group of constants that counts

	uses    map[*decl]bool        // of the same side
	fields  map[*types.Var]bool   // of structs of the package
	outside map[types.Object]bool // package-level objects of other packages
	unkeyed map[*types.TypeName]bool
	missing map[string]bool         // import paths of side.missing
	dotted  map[*types.Package]bool // packages whose names come without a selector
}

// name returns what audits call the declaration.
func (d *decl) name() string {
	if d.fn != nil {
		return rewrite.FuncName(d.fn)
	}
	return d.key
}

// line returns where the name of the declaration is.
func (s *side) line(d *decl) int {
	if d.fn != nil {
		return s.fset.PositionFor(d.fn.Name.Pos(), false).Line
	}
	return s.fset.PositionFor(d.node.Pos(), false).Line
}

// text returns the source of a node.
func (s *side) text(f *file, n ast.Node) string {
	return string(f.src[s.offset(n.Pos()):s.offset(n.End())])
}

func (s *side) offset(p token.Pos) int { return s.fset.PositionFor(p, false).Offset }

// parseSide parses files and type-checks them as far as that goes.
func parseSide(files []File, path, goVersion string, importer types.Importer, sizes types.Sizes) (*side, error) {
	s := &side{fset: token.NewFileSet()}
	for _, f := range files {
		parsed, err := parser.ParseFile(s.fset, f.Name, f.Src, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		s.files = append(s.files, &file{name: f.Name, src: f.Src, syntax: parsed, cgo: importsC(parsed)})
	}
	s.check(path, goVersion, importer, sizes)
	return s, nil
}

// syntax returns the syntax of all files.
func (s *side) syntax() (list []*ast.File) {
	for _, f := range s.files {
		list = append(list, f.syntax)
	}
	return list
}

// check type-checks the files. What does not type-check is reported by whoever compiles it.
func (s *side) check(path, goVersion string, importer types.Importer, sizes types.Sizes) {
	s.info = &types.Info{
		Defs: make(map[*ast.Ident]types.Object), Uses: make(map[*ast.Ident]types.Object),
		Types: make(map[ast.Expr]types.TypeAndValue), Selections: make(map[*ast.SelectorExpr]*types.Selection),
		Implicits: make(map[ast.Node]types.Object),
	}
	s.missing = make(map[string]string)
	beside := importerBeside{importer, path, s.missing}
	conf := types.Config{GoVersion: goVersion, Importer: beside, Sizes: sizes, Error: func(error) {}, FakeImportC: true}
	s.pkg, _ = conf.Check(path, s.fset, s.syntax(), s.info)
	s.byKey, s.byObj = make(map[string]*decl), make(map[types.Object]*decl)
	s.written, s.mapKeys = make(map[types.Object]bool), make(map[types.Object]bool)
	for _, f := range s.files {
		for _, d := range f.syntax.Decls {
			s.declare(f, d)
		}
	}
	s.findWrites()
	for _, d := range s.decls {
		s.resolve(d)
	}
	s.ownFields()
}

// An importerBeside imports what can be imported where the head is, and notes why the rest cannot.
type importerBeside struct {
	types.Importer
	head    string // import path
	missing map[string]string
}

func (i importerBeside) Import(path string) (*types.Package, error) {
	p, err := i.Importer.Import(path)
	if err != nil {
		i.missing[path] = "which is not there any more"
		return nil, err
	}
	if slices.ContainsFunc(p.Imports(), func(q *types.Package) bool { return q.Path() == i.head }) {
		i.missing[path] = "which imports this one now"
		return nil, fmt.Errorf("import cycle: %s imports %s", path, i.head)
	}
	return p, nil
}

// declare notes a declaration.
func (s *side) declare(f *file, d ast.Decl) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		key := d.Name.Name
		if typ := rewrite.ReceiverType(d); typ != "" {
			key = typ + "." + key
		}
		s.add(&decl{key: key, kind: token.FUNC, file: f, node: d, fn: d, doc: d.Doc}, d.Name)
	case *ast.GenDecl:
		counts := d.Tok == token.CONST && usesIota(d)
		for _, spec := range d.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				s.add(&decl{key: spec.Name.Name, kind: token.TYPE, file: f, node: spec, doc: d.Doc}, spec.Name)
			case *ast.ValueSpec:
				s.add(&decl{key: firstName(spec), kind: d.Tok, file: f, node: spec, doc: docOf(d, spec), iota: counts}, spec.Names...)
			}
		}
	}
}

// firstName returns the first name of variables or constants that others can mention, or _.
func firstName(spec *ast.ValueSpec) string {
	for _, id := range spec.Names {
		if id.Name != "_" {
			return id.Name
		}
	}
	return "_"
}

func usesIota(d *ast.GenDecl) (found bool) {
	ast.Inspect(d, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && id.Name == "iota" {
			found = true
		}
		return !found
	})
	return found
}

// isTag reports whether a constant stands for something in data: it is one that counts, has a type of its own, or is what several
// functions find something by in maps that they share.
func (s *side) isTag(d *decl) bool {
	if d.kind != token.CONST {
		return false
	}
	for _, obj := range d.objs {
		_, named := types.Unalias(obj.Type()).(*types.Named)
		if named || s.mapKeys[obj] && s.users(d, true) > 1 {
			return true
		}
	}
	return d.iota
}

// index notes a constant that is the key of a map, but of a variable that nothing writes to: a copy of it has keys of its own.
func (s *side) index(m, key ast.Expr) {
	id, ok := ast.Unparen(key).(*ast.Ident)
	if _, isMap := s.typeOf(m).Underlying().(*types.Map); !ok || !isMap {
		return
	}
	c, ok := s.info.Uses[id].(*types.Const)
	if root := s.root(m); ok && (root == nil || root.Parent() != s.pkg.Scope() || s.written[root]) {
		s.mapKeys[c] = true
	}
}

func docOf(d *ast.GenDecl, spec *ast.ValueSpec) *ast.CommentGroup {
	if spec.Doc != nil {
		return spec.Doc
	}
	return d.Doc
}

func (s *side) add(d *decl, names ...*ast.Ident) {
	d.order = len(s.decls)
	s.decls = append(s.decls, d)
	for _, id := range names {
		if obj := s.info.Defs[id]; obj != nil {
			d.objs = append(d.objs, obj)
			s.byObj[obj] = d
		}
		if id.Name != "_" && (d.fn == nil || d.fn.Recv != nil || id.Name != "init") {
			key := id.Name
			if d.fn != nil {
				key = d.key
			}
			s.byKey[key] = d
		}
	}
}

// resolve notes what a declaration mentions.
func (s *side) resolve(d *decl) {
	d.uses, d.fields = make(map[*decl]bool), make(map[*types.Var]bool)
	d.outside, d.unkeyed = make(map[types.Object]bool), make(map[*types.TypeName]bool)
	d.missing, d.dotted = make(map[string]bool), make(map[*types.Package]bool)
	seen := make(map[types.Type]bool)
	behind := make(map[*ast.Ident]bool)
	ast.Inspect(d.node, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			behind[n.Sel] = true
			s.through(d, s.info.Selections[n], seen)
		case *ast.Ident:
			obj := s.info.Uses[n]
			s.mention(d, obj)
			if d.outside[obj] && !behind[n] && obj.Parent() == obj.Pkg().Scope() {
				d.dotted[obj.Pkg()] = true
			}
		case *ast.IndexExpr:
			s.index(n.X, n.Index)
		case *ast.CompositeLit:
			if len(n.Elts) > 0 {
				if _, keyed := n.Elts[0].(*ast.KeyValueExpr); !keyed {
					s.unkeyedLiteral(d, n)
				}
			}
		}
		if x, ok := n.(ast.Expr); ok {
			s.mentionType(d, s.info.TypeOf(x), seen)
		}
		return true
	})
	delete(d.uses, d)
}

// through notes the embedded fields through which a selector leads.
func (s *side) through(d *decl, sel *types.Selection, seen map[types.Type]bool) {
	if sel == nil {
		return
	}
	for _, f := range embedded(sel) {
		s.mention(d, f)
		s.mentionType(d, f.Type(), seen)
	}
}

// embedded returns the embedded fields through which a selector leads.
func embedded(sel *types.Selection) (fields []*types.Var) {
	t := sel.Recv()
	for _, i := range sel.Index()[:len(sel.Index())-1] {
		if p, ok := t.Underlying().(*types.Pointer); ok {
			t = p.Elem()
		}
		u, ok := t.Underlying().(*types.Struct)
		if !ok {
			return nil
		}
		fields = append(fields, u.Field(i))
		t = u.Field(i).Type()
	}
	return fields
}

func (s *side) unkeyedLiteral(d *decl, n *ast.CompositeLit) {
	if named, ok := types.Unalias(s.typeOf(n)).(*types.Named); ok {
		d.unkeyed[named.Origin().Obj()] = true
	}
}

func (s *side) typeOf(x ast.Expr) types.Type {
	if t := s.info.TypeOf(x); t != nil {
		return t
	}
	return types.Typ[types.Invalid]
}

func (s *side) mention(d *decl, obj types.Object) {
	obj = origin(obj)
	switch {
	case obj == nil || obj.Pkg() == nil:
	case obj.Pkg() != s.pkg:
		_, name := obj.(*types.PkgName)
		if !name {
			d.outside[obj] = true
		}
	case s.byObj[obj] != nil:
		d.uses[s.byObj[obj]] = true
	default:
		switch o := obj.(type) {
		case *types.Var:
			if o.IsField() {
				d.fields[o] = true
			}
		case *types.PkgName:
			if path := o.Imported().Path(); s.missing[path] != "" {
				d.missing[path] = true
			}
		}
	}
}

// mentionType notes the named types that a value has to do with.
func (s *side) mentionType(d *decl, t types.Type, seen map[types.Type]bool) {
	if t == nil || seen[t] {
		return
	}
	seen[t] = true
	switch t := t.(type) {
	case *types.Alias:
		s.mention(d, t.Obj())
		s.mentionType(d, types.Unalias(t), seen)
	case *types.Named:
		if t.Obj().Pkg() != nil {
			s.mention(d, t.Origin().Obj())
		}
		for arg := range t.TypeArgs().Types() {
			s.mentionType(d, arg, seen)
		}
	case *types.Pointer:
		s.mentionType(d, t.Elem(), seen)
	case *types.Slice:
		s.mentionType(d, t.Elem(), seen)
	case *types.Array:
		s.mentionType(d, t.Elem(), seen)
	case *types.Chan:
		s.mentionType(d, t.Elem(), seen)
	case *types.Map:
		s.mentionType(d, t.Key(), seen)
		s.mentionType(d, t.Elem(), seen)
	case *types.Tuple:
		for v := range t.Variables() {
			s.mentionType(d, v.Type(), seen)
		}
	}
}

// origin returns the generic object that an object is an instance of.
func origin(obj types.Object) types.Object {
	switch o := obj.(type) {
	case *types.Func:
		return o.Origin()
	case *types.Var:
		return o.Origin()
	}
	return obj
}

func importsC(f *ast.File) bool {
	for _, spec := range f.Imports {
		if path, err := strconv.Unquote(spec.Path.Value); err == nil && path == "C" {
			return true
		}
	}
	return false
}
