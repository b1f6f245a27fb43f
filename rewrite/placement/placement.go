// Package placement makes copies of functions that lie at several places in memory.
//
// Code is faster at some places than at others: which instructions share a cache line, and which branches a slot of the
// predictor. What copies of one version differ by is no difference between versions. So copy i of each version has i branches
// at its beginning that are not taken, some 16 bytes each, by which the code behind them lies elsewhere. Of
//
//	func parseB(s string) int { return scan(s, 16) }
//
// [Add] makes, behind the end of the file,
//
//	//goprofinstr:variant of=Parse
//	//line :12:1
//	func copy_2_parseB(s string) int {if copy_never{copy_never=false}; return scan(s, 16) }
//
// and so on. Package verdict says what the times of copies tell.
//
// Not handled: what a function calls is at one place for all of its copies. A method more is seen by package reflect.
package placement

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"regexp"
	"slices"
	"strings"

	"github.com/goprofinstr/goprofinstr/rewrite/internal/pragma"
	"github.com/goprofinstr/goprofinstr/rewrite/load"
	"github.com/goprofinstr/goprofinstr/rt/audit"
)

// Copies is how many copies of each version there are unless the user says otherwise. With 4 in place of 6, the intervals of the
// differences are twice as wide. With more, two versions of a function of a few kilobytes are no more in the first cache
// together.
const Copies = 6

// leastCopies is from how many copies on they tell what placement makes. Of two there is one difference, and Student's t of one
// degree of freedom is 64.
const leastCopies = 3

// Fit returns how many copies each of so many versions can have, at most those that are wanted. 1 is the version itself.
func Fit(wanted, versions int) int {
	n := min(wanted, audit.MostVersions/versions)
	if n < leastCopies {
		return 1
	}
	return n
}

// Pads returns what copy i has at the beginning of its body, and Declaration what that needs in the package.
func Pads(prefix string, i int) string {
	return strings.Repeat(fmt.Sprintf("if %[1]snever{%[1]snever=false};", prefix), i)
}

// Declaration returns the variable of pads, which is never true. The compiler does not know that, for they write to it.
func Declaration(prefix string) string { return fmt.Sprintf("var %snever bool", prefix) }

// A Version is a function that is to have copies.
type Version struct {
	Name   string     // in its package: F, T.M or (*T).M
	File   *load.File // that declares it
	Decl   *ast.FuncDecl
	Object *types.Func
	Of     string // the function of which it is a version, as directives name that
	Copies int    // with itself
}

// Add adds the copies of versions to the sources of the files that declare them. The package has to be parsed anew. It returns
// the names of versions by those of their copies, in the same form.
func Add(p *load.Package, info *types.Info, versions []Version) map[string]string {
	prefix := unused(p)
	versionOf := make(map[string]string)
	added := make(map[*load.File]string)
	for _, v := range versions {
		c := &copier{pkg: p, info: info, prefix: prefix, version: v}
		for i := 1; i < v.Copies; i++ {
			added[v.File] += c.copy(i)
			versionOf[strings.TrimSuffix(v.Name, v.Decl.Name.Name)+c.name(i)] = v.Name
		}
	}
	if len(added) == 0 {
		return versionOf
	}
	declaring := p.Declaring(func(f *load.File) bool { return added[f] != "" })
	for _, f := range p.Files {
		if f == declaring {
			at := p.Fset.File(f.Syntax.Pos()).Offset(load.ImportsEnd(f.Syntax))
			f.Src = slices.Concat(f.Src[:at], []byte(";"+Declaration(prefix)), f.Src[at:])
		}
		f.Src = append(slices.Clip(f.Src), added[f]...)
	}
	return versionOf
}

// unused returns what no source of a package has in it, for names to begin with.
func unused(p *load.Package) string {
	sources := slices.Clone(p.Beside)
	for _, f := range p.Files {
		sources = append(sources, f.Src)
	}
	prefix := "copy_"
	for slices.ContainsFunc(sources, func(src []byte) bool { return bytes.Contains(src, []byte(prefix)) }) {
		prefix += "_"
	}
	return prefix
}

// A copier copies one version.
type copier struct {
	pkg     *load.Package
	info    *types.Info
	prefix  string
	version Version
}

// name is what copy i is called, as a method in its type.
func (c *copier) name(i int) string {
	return fmt.Sprintf("%s%d_%s", c.prefix, i+1, c.version.Decl.Name.Name)
}

// copy returns the declaration of copy i.
func (c *copier) copy(i int) string {
	decl := c.version.Decl
	var b strings.Builder
	fmt.Fprintf(&b, "\n\n//goprofinstr:variant of=%s\n%s", c.version.Of, Directives(c.version.File.Syntax, decl))
	b.WriteString(LineDirective(c.version.File.Name, c.version.File.Src, c.pkg.Fset.Position(decl.Pos())))
	b.WriteString(c.source(i) + "\n")
	return b.String()
}

// LineDirective returns a line by which what follows it, at the end of a file, has a position that is in the file.
func LineDirective(file string, src []byte, at token.Position) string {
	if at.Filename == file && !namesFile.Match(src) {
		at.Filename = "" // the same file
	}
	if at.Column == 0 { // behind a directive that tells no columns
		return fmt.Sprintf("//line %s:%d\n", at.Filename, at.Line)
	}
	return fmt.Sprintf("//line %s:%d:%d\n", at.Filename, at.Line, at.Column)
}

// namesFile matches line directives that name a file. Behind one of them a directive without a name means that file.
var namesFile = regexp.MustCompile(`(?m)(?:^//line |/\*line )[^:\n]`)

// source returns the source of copy i, which calls itself where the version does.
func (c *copier) source(i int) string {
	decl := c.version.Decl
	file := c.pkg.Fset.File(decl.Pos())
	var b strings.Builder
	from := file.Offset(decl.Pos())
	until := func(id ast.Node, text string) {
		at := file.Offset(id.Pos())
		b.Write(c.version.File.Src[from:at])
		b.WriteString(text)
		from = at
	}
	ast.Inspect(decl, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CommentGroup:
			return false
		case *ast.BlockStmt:
			if n == decl.Body {
				until(n, "{"+Pads(c.prefix, i))
				from++ // behind the brace
			}
		case *ast.Ident:
			if n == decl.Name || c.isItself(n) {
				until(n, c.name(i))
				from += len(n.Name)
			}
		}
		return true
	})
	b.Write(c.version.File.Src[from:file.Offset(decl.End())])
	return b.String()
}

// isItself reports whether an identifier means the version.
func (c *copier) isItself(id *ast.Ident) bool {
	fn, ok := c.info.Uses[id].(*types.Func)
	return ok && fn.Origin() == c.version.Object
}

// Directives returns what the compiler is told about a function of a file, but for names outside of Go.
func Directives(f *ast.File, decl *ast.FuncDecl) string {
	var b strings.Builder
	for _, comment := range pragma.Of(f, decl) {
		if !strings.HasPrefix(comment.Text, "//go:linkname") {
			b.WriteString(comment.Text + "\n")
		}
	}
	return b.String()
}
