package rewrite

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/goprofinstr/goprofinstr/rewrite/internal/emit"
	"github.com/goprofinstr/goprofinstr/rewrite/load"
	"github.com/goprofinstr/goprofinstr/rewrite/placement"
)

// AuditOptions say what is audited.
type AuditOptions struct {
	// Select reports whether a function that has variants is audited; name is F, T.M or (*T).M.
	Select func(path, name string) bool

	// Called returns what a version is called in reports; path is of its package, name its name there. It may be nil.
	Called func(path, name string) string

	// Clones are variants, by import path and name, that have the source of their function. They call themselves where it does.
	Clones map[string]bool

	Measured  Measured // how often edges were taken in an earlier run; may be nil: it decides which loops are timed
	CallsOnly bool     // loops are not timed
	Copies    int      // of each version, with itself, if so many fit (package placement); up to 1 for no others
	Sizes     types.Sizes
}

// Audited is a package with dispatchers.
type Audited struct {
	Files     map[string][]byte // rewritten source by absolute file name; files not in it stay as they are
	Functions []AuditedFunction // in the order of their declarations
}

// An AuditedFunction is a function with its versions, the first of which is itself.
type AuditedFunction struct {
	Name     string // with the import path of the package
	Versions []Version
	Loops    []AuditedLoop // those with a timing point, then those that can have none
}

// A Version is a function as the user has declared it.
type Version struct {
	Name string // in its package
	File string // as displayName has it
	Line int
}

// Audit makes dispatchers of the functions in a package that have variants; see audit.Audit for what these do. The package
// has been parsed.
//
// Of
//
//	func Parse(s string) (int, error) { body }
//
// it makes, on the same lines,
//
//	func parse0(s string) (int, error) { body }
//
// and adds, at the end of the file but with the line of the original, a new Parse, which calls either this or a variant.
// What versions call themselves by the name of the original is the original, directly: only the outermost call is
// dispatched. Copies and clones of a version call themselves. The compiler inlines no version into the dispatcher. There
// one could be ahead by that alone, and the clock could be read in the middle of it.
func Audit(b *load.Build, p *load.Package, o AuditOptions) (*Audited, error) {
	return auditPackage(p, b.Importer(p), o)
}

func auditPackage(p *load.Package, importer types.Importer, o AuditOptions) (*Audited, error) {
	contests, info, err := selectContests(p, importer, o)
	if err != nil {
		return nil, err
	}
	if o.Copies > 1 && len(contests) > 0 {
		if contests, info, err = addCopies(contests, info, p, importer, &o); err != nil {
			return nil, err
		}
	}
	d := &dispatcher{pkg: p, info: info, called: o.Called, edits: make(map[*load.File]*edits), trailers: make(map[*load.File]string)}
	d.Names = packageNames(p)
	out := &Audited{Files: make(map[string][]byte)}
	for _, c := range contests {
		out.Functions = append(out.Functions, d.describe(p.Path+"."+c.name, c))
		if err := d.contest(c, out.Functions[len(out.Functions)-1]); err != nil {
			return nil, err
		}
	}
	if len(contests) > 0 && !o.CallsOnly {
		if err := d.loops(importer, contests, out.Functions, o); err != nil {
			return nil, err
		}
	}
	d.declare()
	for _, f := range p.Files {
		e := d.edits[f]
		if e == nil {
			continue
		}
		added := d.trailers[f]
		if added != "" {
			header(d.Names, e, f.Syntax, added)
			added = trailer(d.Names, added)
		}
		out.Files[f.Name] = append(e.apply(), added...)
	}
	return out, nil
}

// selectContests returns the functions to audit.
func selectContests(p *load.Package, importer types.Importer, o AuditOptions) ([]*contest, *types.Info, error) {
	info := &types.Info{
		Defs: make(map[*ast.Ident]types.Object), Uses: make(map[*ast.Ident]types.Object), Types: make(map[ast.Expr]types.TypeAndValue),
		Selections: make(map[*ast.SelectorExpr]*types.Selection),
	}
	conf := types.Config{GoVersion: p.GoVersion, Importer: importer, Sizes: o.Sizes}
	if _, err := conf.Check(p.Path, p.Fset, p.Compiled, info); err != nil {
		return nil, nil, err
	}
	contests, err := findContests(p, info)
	for _, c := range contests {
		for _, v := range c.versions {
			v.itself = o.Clones[p.Path+"."+FuncName(v.decl)]
		}
	}
	return slices.DeleteFunc(contests, func(c *contest) bool { return !o.Select(p.Path, c.name) }), info, err
}

// addCopies gives the versions of contests copies, which are versions with the same name in reports.
func addCopies(contests []*contest, info *types.Info, p *load.Package, importer types.Importer, o *AuditOptions) (
	[]*contest, *types.Info, error,
) {
	var versions []placement.Version
	selected := make(map[string]bool)
	for _, c := range contests {
		selected[c.name] = true
		copies := placement.Fit(o.Copies, len(c.versions))
		for _, v := range c.versions {
			versions = append(versions, placement.Version{
				Name: FuncName(v.decl), File: v.file, Decl: v.decl, Object: v.fn, Of: c.name, Copies: copies,
			})
		}
	}
	versionOf := placement.Add(p, info, versions)
	if err := p.Parse(); err != nil {
		return nil, nil, err
	}
	called := o.Called
	o.Called = func(path, name string) string {
		if version, ok := versionOf[name]; ok {
			name = version
		}
		if called != nil {
			name = called(path, name)
		}
		return name
	}
	o.Select = func(_, name string) bool { return selected[name] }
	return selectContests(p, importer, *o)
}

// A dispatcher writes the dispatchers of one package.
type dispatcher struct {
	*emit.Names
	pkg      *load.Package
	info     *types.Info
	edits    map[*load.File]*edits
	trailers map[*load.File]string // what goes at the end of files
	audits   string                // the declarations of theirs
	n        int                   // dispatchers so far
	called   func(path, name string) string
}

func (d *dispatcher) describe(name string, c *contest) AuditedFunction {
	f := AuditedFunction{Name: name}
	for _, v := range c.versions {
		at := d.pkg.Fset.PositionFor(v.decl.Name.Pos(), false)
		name := FuncName(v.decl)
		if d.called != nil {
			name = d.called(d.pkg.Path, name)
		}
		f.Versions = append(f.Versions, Version{name, displayName(d.pkg, at.Filename), at.Line})
	}
	return f
}

// contest writes the dispatcher of one function.
func (d *dispatcher) contest(c *contest, f AuditedFunction) error {
	original := c.original()
	clone := fmt.Sprintf("%soriginal_%s", d.Prefix, original.decl.Name.Name)
	if typ, _ := receiver(original.decl); typ != "" {
		clone = fmt.Sprintf("%soriginal_%s_%s", d.Prefix, typ, original.decl.Name.Name) // types may embed each other
	}
	e := d.editsOf(original.file)
	e.replace(original.decl.Name.Pos(), len(original.decl.Name.Name), clone)
	e.insert(original.decl.Type.Func, 0, "\n//go:noinline\n"+d.at(original, original.decl.Type.Func))
	for _, v := range c.versions {
		name := clone
		if v.itself {
			name = v.decl.Name.Name
		}
		d.callDirectly(v, original, name)
	}
	for _, v := range c.versions[1:] {
		d.editsOf(v.file).replace(v.mark.Pos(), len(v.mark.Text), "//go:noinline")
	}
	if len(f.names(f.Name)) > mostNames {
		return d.errorf(original, "the names of %s and its variants are too long", c.name)
	}
	a := fmt.Sprintf("%sA%d", d.Prefix, d.n)
	d.n++
	d.trailers[original.file] += d.function(c, clone, a) + d.register("audit.RegisterAudit", a, f, f.Name)
	return nil
}

// register declares the audit of a function or of a timing point in it, and returns what registers it.
func (d *dispatcher) register(function, a string, f AuditedFunction, name string) string {
	d.audits += d.Sprintf(";var %s $audit.Audit", a)
	return d.Sprintf("\nvar _=$"+function+"(&%s,%q,%d)\n", a, f.names(name), len(f.Versions))
}

// declare declares the audits in front of all variables that the package sets.
func (d *dispatcher) declare() {
	if d.audits == "" {
		return
	}
	f := d.pkg.Declaring(func(f *load.File) bool { return d.edits[f] != nil })
	if d.trailers[f] == "" {
		d.trailers[f] = "\n" // the file imports rt
	}
	d.editsOf(f).insert(load.ImportsEnd(f.Syntax), 1, d.audits)
}

// names returns the names in an audit record.
func (f *AuditedFunction) names(of string) string {
	names := of + "\x00"
	for _, v := range f.Versions {
		names += v.Name + "\x00"
	}
	return names
}

// mostNames is how long the names of a function's versions may be: they go into one page.
const mostNames = 3000

func (d *dispatcher) errorf(v *declared, format string, args ...any) error {
	return errorAt(d.pkg.Fset.Position(v.decl.Pos()), format, args...)
}

func (d *dispatcher) editsOf(f *load.File) *edits {
	if d.edits[f] == nil {
		d.edits[f] = &edits{file: d.pkg.Fset.File(f.Syntax.Pos()), src: f.Src}
	}
	return d.edits[f]
}

// at returns a comment by which the compiler takes what follows to be at a position of the source.
func (d *dispatcher) at(v *declared, pos token.Pos) string {
	p := d.pkg.Fset.Position(pos)
	if !d.hasLines(v.file) {
		return fmt.Sprintf("/*line :%d:%d*/", p.Line, p.Column) // in the file that this is
	}
	if p.Column == 0 { // behind a directive that tells no columns
		return fmt.Sprintf("/*line %s:%d*/", p.Filename, p.Line)
	}
	return fmt.Sprintf("/*line %s:%d:%d*/", p.Filename, p.Line, p.Column)
}

// hasLines reports whether any directive in a file moves lines, and names the file otherwise.
func (d *dispatcher) hasLines(f *load.File) bool {
	for _, decl := range f.Syntax.Decls {
		if moved(d.pkg.Fset, decl.Pos()) {
			return true
		}
	}
	return false
}

// callDirectly has the body of a version call a function of a name, and not the dispatcher of the original.
func (d *dispatcher) callDirectly(v, original *declared, name string) {
	e := d.editsOf(v.file)
	ast.Inspect(v.decl.Body, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if !ok {
			return true
		}
		if fn, ok := d.info.Uses[id].(*types.Func); ok && fn.Origin() == original.fn {
			e.replace(id.Pos(), len(id.Name), name)
		}
		return true
	})
}

// function returns the dispatcher.
func (d *dispatcher) function(c *contest, clone, a string) string {
	original := c.original()
	e, decl := d.editsOf(original.file), original.decl
	var b strings.Builder
	fmt.Fprintf(&b, "\n%sfunc ", d.at(original, decl.Type.Func))
	self := d.Prefix + "s"
	if decl.Recv != nil {
		t := decl.Recv.List[0].Type
		fmt.Fprintf(&b, "(%s %s) ", self, e.text(t.Pos(), t.End()))
	}
	b.WriteString(decl.Name.Name)
	targs := ""
	if tp := decl.Type.TypeParams; tp != nil {
		b.WriteString(e.text(tp.Opening, tp.Closing+1))
		targs = "[" + strings.Join(fieldNames(tp), ",") + "]"
	}
	params, args := d.fields(e, decl.Type.Params, "p")
	results, vars := d.fields(e, decl.Type.Results, "r")
	fmt.Fprintf(&b, "(%s) (%s) %s{", params, results, d.at(original, decl.Type.Func)) // types may be on several lines
	call := func(i int) string {
		v := c.versions[i]
		name, args := v.decl.Name.Name, strings.Join(args, ",")
		if i == 0 {
			name = clone
		}
		switch {
		case decl.Recv == nil:
			name += targs
		case v.decl.Recv != nil:
			name = self + "." + name + targs
		default: // its type arguments follow from the receiver
			args = strings.TrimSuffix(self+","+args, ",")
		}
		return fmt.Sprintf("%s(%s)", name, args)
	}
	t, v := d.Prefix+"t", d.Prefix+"v"
	fmt.Fprintf(&b, "if %s:=%s.Settled();%s>=0{%s}\n%s", v, a, v, d.choose(c, v, vars, call, ""), d.at(original, decl.Type.Func))
	began := d.choose(c, t+".Begin(&"+a+")", vars, call, t)
	b.WriteString(d.Sprintf("var %s $audit.Timing;defer %s.End();%s;%s.Stop();return}\n", t, t, began, t))
	return b.String()
}

// jumpTable is from how many cases on the compiler makes a table of a switch. The way to each of them takes the same time then.
// With a default, one of them would not be in it.
const jumpTable = 8

// choose returns a switch that calls a version, and has a timing start right before. Without a timing the dispatcher returns with
// the call.
func (d *dispatcher) choose(c *contest, which string, vars []string, call func(i int) string, timing string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "switch %s{", which)
	for i := range c.versions {
		label := fmt.Sprintf("case %d", i)
		if i == len(c.versions)-1 && len(c.versions) < jumpTable {
			label = "default"
		}
		statement := call(i)
		switch {
		case timing == "" && len(vars) > 0:
			statement = "return " + statement
		case timing == "":
			statement += ";return"
		case len(vars) > 0:
			statement = timing + ".Start();" + strings.Join(vars, ",") + "=" + statement
		default:
			statement = timing + ".Start();" + statement
		}
		fmt.Fprintf(&b, "%s:%s;", label, statement)
	}
	b.WriteString("}")
	return b.String()
}

// fields returns parameters or results with names of ours, and the names as arguments.
func (d *dispatcher) fields(e *edits, list *ast.FieldList, kind string) (params string, names []string) {
	if list == nil {
		return "", nil
	}
	var all []string
	for _, f := range list.List {
		for range max(len(f.Names), 1) {
			name := fmt.Sprintf("%s%s%d", d.Prefix, kind, len(all))
			all = append(all, name+" "+e.text(f.Type.Pos(), f.Type.End()))
			if _, variadic := f.Type.(*ast.Ellipsis); variadic {
				name += "..."
			}
			names = append(names, name)
		}
	}
	return strings.Join(all, ","), names
}

// fieldNames returns the names of type parameters.
func fieldNames(list *ast.FieldList) (names []string) {
	for _, f := range list.List {
		for _, n := range f.Names {
			names = append(names, n.Name)
		}
	}
	return names
}
