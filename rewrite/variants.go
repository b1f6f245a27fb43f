package rewrite

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/scanner"
	"go/token"
	"go/types"
	"slices"
	"strings"
	"unicode"

	"github.com/goprofinstr/goprofinstr/rewrite/internal/localtype"
	"github.com/goprofinstr/goprofinstr/rewrite/load"
	"github.com/goprofinstr/goprofinstr/rt/audit"
)

// The comment that makes a function a variant of another:
//
//	//goprofinstr:variant of=Parse
//	func parseB(s string) (int, error) { … }
const (
	directivePrefix  = "//goprofinstr:"
	variantDirective = directivePrefix + "variant"
)

// HasVariants reports whether a source file may have variants, without parsing it.
func HasVariants(src []byte) bool {
	for {
		_, rest, ok := bytes.Cut(src, []byte(directivePrefix))
		if !ok {
			return false
		}
		if line, _, _ := bytes.Cut(rest, []byte("\n")); !isOther(string(line)) {
			return true
		}
		src = rest
	}
}

// isOther reports whether what is behind the prefix of a directive makes it one for other commands than audit. (Packages ignore
// and selector read these.)
func isOther(text string) bool {
	if end := strings.IndexFunc(text, unicode.IsSpace); end >= 0 {
		text = text[:end]
	}
	return text == "ignore" || text == "kinds" || text == "value"
}

// A contest is a function with its variants, which are to be audited against each other.
type contest struct {
	name     string // of the function in its package, such as Parse or (*T).Parse
	versions []*declared
}

// original returns the function that callers name.
func (c *contest) original() *declared { return c.versions[0] }

// A declared is a function as it is declared.
type declared struct {
	file *load.File
	decl *ast.FuncDecl
	fn   *types.Func
	of   string       // the function that it is a variant of, or ""
	mark *ast.Comment // that says so

	itself bool // is called by itself, where its source has the original
}

// A finder finds the variants of a package.
type finder struct {
	pkg    *load.Package
	info   *types.Info
	funcs  []*declared // in the order of the source
	byName map[string]*declared
}

// findContests returns the functions of a package that have variants, in the order of their declarations. Mistakes of the
// user's are errors with a position.
func findContests(p *load.Package, info *types.Info) ([]*contest, error) {
	f := &finder{pkg: p, info: info, byName: make(map[string]*declared)}
	for _, file := range p.Files {
		if err := f.file(file); err != nil {
			return nil, err
		}
	}
	contests := make(map[*declared]*contest)
	for _, d := range f.funcs {
		if d.of == "" {
			continue
		}
		original, err := f.originalOf(d)
		if err != nil {
			return nil, f.errorf(d.mark.Pos(), "%v", err)
		}
		if contests[original] == nil {
			contests[original] = &contest{FuncName(original.decl), []*declared{original}}
		}
		c := contests[original]
		if c.versions = append(c.versions, d); len(c.versions) > audit.MostVersions {
			return nil, f.errorf(d.mark.Pos(), "%s has more than %d versions", c.name, audit.MostVersions)
		}
	}
	var list []*contest
	for _, d := range f.funcs {
		if c := contests[d]; c != nil {
			list = append(list, c)
		}
	}
	return list, nil
}

func (f *finder) errorf(pos token.Pos, format string, args ...any) error {
	return errorAt(f.pkg.Fset.Position(pos), format, args...)
}

// errorAt returns a mistake of the user's with its position, for the caller to show in its own way.
func errorAt(at token.Position, format string, args ...any) error {
	return &scanner.Error{Pos: at, Msg: fmt.Sprintf(format, args...)}
}

// file adds the functions of a file.
func (f *finder) file(file *load.File) error {
	if file.Declined != "" {
		if HasVariants(file.Src) {
			return errorAt(token.Position{Filename: file.Name}, "variants cannot be in a file that %s", file.Declined)
		}
		return nil
	}
	ofFunctions := make(map[*ast.Comment]bool)
	for _, decl := range file.Syntax.Decls {
		decl, ok := decl.(*ast.FuncDecl)
		if !ok {
			continue
		}
		d := &declared{file: file, decl: decl}
		d.fn, _ = f.info.Defs[decl.Name].(*types.Func)
		for _, c := range directives(decl.Doc) {
			ofFunctions[c] = true
			if err := d.read(c); err != nil {
				return f.errorf(c.Pos(), "%v", err)
			}
		}
		f.funcs = append(f.funcs, d)
		f.byName[FuncName(decl)] = d
	}
	for _, group := range file.Syntax.Comments {
		for _, c := range directives(group) {
			if !ofFunctions[c] {
				return f.errorf(c.Pos(), "%s belongs right above a function", c.Text)
			}
		}
	}
	return nil
}

// directives returns the comments of a group that are for an audit, mistaken ones among them.
func directives(group *ast.CommentGroup) (list []*ast.Comment) {
	if group == nil {
		return nil
	}
	for _, c := range group.List {
		if text, ok := strings.CutPrefix(c.Text, directivePrefix); ok && !isOther(text) {
			list = append(list, c)
		}
	}
	return list
}

// read reads a directive of a function.
func (d *declared) read(c *ast.Comment) error {
	words := strings.Fields(c.Text)
	switch {
	case words[0] != variantDirective:
		return fmt.Errorf("unknown directive %s; there is %s of=FUNCTION", words[0], variantDirective)
	case d.mark != nil:
		return errors.New("a function can be a variant of one other only")
	case len(words) != 2 || !strings.HasPrefix(words[1], "of=") || words[1] == "of=":
		return fmt.Errorf("want %s of=FUNCTION", variantDirective)
	}
	d.of, d.mark = strings.TrimPrefix(words[1], "of="), c
	return nil
}

// FuncName returns the name of a function in its package: F, T.M or (*T).M.
func FuncName(decl *ast.FuncDecl) string {
	typ, star := receiver(decl)
	switch {
	case typ == "":
		return decl.Name.Name
	case star:
		return "(*" + typ + ")." + decl.Name.Name
	}
	return typ + "." + decl.Name.Name
}

// ReceiverType returns the name of the type of a method's receiver, "" for a function.
func ReceiverType(decl *ast.FuncDecl) string {
	typ, _ := receiver(decl)
	return typ
}

// receiver returns the name of the type of a method's receiver, "" for a function, and whether the receiver is a pointer.
func receiver(decl *ast.FuncDecl) (typ string, star bool) {
	if decl.Recv == nil || len(decl.Recv.List) == 0 {
		return "", false
	}
	for x := decl.Recv.List[0].Type; ; {
		switch y := x.(type) {
		case *ast.ParenExpr:
			x = y.X
		case *ast.StarExpr:
			x, star = y.X, true
		case *ast.IndexExpr:
			x = y.X
		case *ast.IndexListExpr:
			x = y.X
		case *ast.Ident:
			return y.Name, star
		default:
			return "?", star
		}
	}
}

// originalOf returns the function that d is a variant of.
func (f *finder) originalOf(d *declared) (*declared, error) {
	original := f.lookup(d)
	switch {
	case original == nil:
		return nil, fmt.Errorf("there is no function %s in %s for %s to be a variant of", d.of, f.pkg.Path, FuncName(d.decl))
	case original == d:
		return nil, fmt.Errorf("%s cannot be a variant of itself", d.of)
	case original.of != "":
		return nil, fmt.Errorf("%s is a variant itself; name %s", d.of, original.of)
	}
	for _, v := range []*declared{original, d} {
		if why := WhyNotAudited(v.file.Syntax, v.decl, f.pkg.Compiled, f.info); why != "" {
			return nil, fmt.Errorf("%s cannot be audited: %s", FuncName(v.decl), why)
		}
	}
	if !sameSignature(original, d) {
		return nil, fmt.Errorf("%s and %s differ in their signatures: %s and %s",
			FuncName(original.decl), FuncName(d.decl), f.signature(original), f.signature(d))
	}
	return original, nil
}

// lookup finds the function that d names: of a method, first a method of the same type.
func (f *finder) lookup(d *declared) *declared {
	if typ, _ := receiver(d.decl); typ != "" && !strings.Contains(d.of, ".") {
		for _, name := range []string{"(*" + typ + ")." + d.of, typ + "." + d.of} {
			if original := f.byName[name]; original != nil {
				return original
			}
		}
	}
	return f.byName[d.of]
}

// signature returns a function's signature as the user would write it.
func (f *finder) signature(d *declared) string {
	return types.TypeString(d.fn.Type(), types.RelativeTo(d.fn.Pkg()))
}

// WhyNotAudited returns why a function of a file cannot be called by a dispatcher, or "". The files are those of the package that
// declares it, and info is of these.
func WhyNotAudited(file *ast.File, decl *ast.FuncDecl, files []*ast.File, info *types.Info) string {
	name := decl.Name.Name
	switch {
	case info.Defs[decl.Name] == nil || name == "_" || decl.Recv == nil && (name == "init" || name == "main"):
		return "nothing calls it by its name"
	case decl.Body == nil:
		return "it has no body in Go"
	case decl.Type.TypeParams != nil && slices.Contains(fieldNames(decl.Type.TypeParams), "_"):
		return "it has a type parameter without a name, which the call of a dispatcher cannot give"
	case hasNosplit(file, decl):
		return "it is marked go:nosplit, and the call of a dispatcher needs a stack that can grow"
	case callsRecover(decl.Body, info):
		return "it calls recover, which works only in a function that is deferred itself"
	}
	if t := localtype.Told(decl.Body, files, info); t != "" {
		return fmt.Sprintf("it declares type %s, by which values are told, and which is another in each copy; "+
			"declare it outside of functions", t)
	}
	return ""
}

// callsRecover reports whether a body calls recover, other than in function literals.
func callsRecover(body *ast.BlockStmt, info *types.Info) (found bool) {
	ast.Inspect(body, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && info.Uses[id] == types.Universe.Lookup("recover") {
			found = true
		}
		_, literal := n.(*ast.FuncLit)
		return !literal
	})
	return found
}

// sameSignature reports whether a call of the original can be one of the variant. Both are functions, or methods of one type, of
// the same signature. Or the variant is a function that takes the receiver as its first parameter.
func sameSignature(original, variant *declared) bool {
	a, b := original.fn.Signature(), variant.fn.Signature()
	switch {
	case a.Recv() == nil && b.Recv() == nil:
		return types.Identical(a, b)
	case a.Recv() == nil:
		return false
	case b.Recv() == nil:
		return isExpression(a, b)
	}
	named, pointer := receiverType(a.Recv())
	ofB, pointerB := receiverType(b.Recv())
	if named == nil || ofB == nil || pointer != pointerB || named.Origin() != ofB.Origin() {
		return false
	}
	// Each method of a generic type has type parameters of its own: b with those of a is a's type's method.
	for i := range named.NumMethods() {
		if m := named.Method(i); m.Origin() == variant.fn {
			return types.Identical(a, m.Signature())
		}
	}
	return false
}

// receiverType returns the type of which a receiver is, or a pointer to it.
func receiverType(recv *types.Var) (named *types.Named, pointer bool) {
	t := types.Unalias(recv.Type())
	if p, ok := t.(*types.Pointer); ok {
		t, pointer = types.Unalias(p.Elem()), true
	}
	named, _ = t.(*types.Named)
	return named, pointer
}

// isExpression reports whether function b has the signature of a method expression of method a.
func isExpression(a, b *types.Signature) bool {
	if params := a.RecvTypeParams(); params.Len() != b.TypeParams().Len() {
		return false
	} else if params.Len() > 0 {
		var args []types.Type
		for p := range params.TypeParams() {
			args = append(args, p)
		}
		t, err := types.Instantiate(nil, b, args, true)
		if err != nil {
			return false
		}
		b = t.(*types.Signature)
	}
	params := []*types.Var{a.Recv()}
	for p := range a.Params().Variables() {
		params = append(params, p)
	}
	return types.Identical(types.NewSignatureType(nil, nil, nil, types.NewTuple(params...), a.Results(), a.Variadic()), b)
}
