package audit

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"strings"

	"github.com/goprofinstr/goprofinstr/rt/audit"
)

// FindSources adds the places and sources of versions that have none, as they are now, of packages of the module in a
// folder. A program that was built has left the names of functions and nothing else, so they are looked for by name. What
// is declared twice, as for two systems, is left alone.
func (r *Report) FindSources(dir, module string) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return
	}
	defer root.Close()
	found := make(map[string]map[string][]place) // by package and name
	for i := range r.Functions {
		f := &r.Functions[i]
		folder, ok := folderOf(f.Name, module)
		if !ok {
			continue
		}
		if found[folder] == nil {
			found[folder] = declarations(root, folder)
		}
		for j := range f.Versions {
			v := &f.Versions[j]
			if at := found[folder][v.Name]; v.File == "" && len(at) == 1 {
				v.File, v.Line = at[0].file, at[0].line
				v.Source = declaration(contents(root, v.File), v.Line)
				r.FoundLater = r.FoundLater || v.Source != ""
			}
		}
	}
}

// folderOf returns the folder of an audited function's package in a module, if it is of that.
func folderOf(name, module string) (folder string, ok bool) {
	name, _, _ = strings.Cut(name, audit.LoopMark)
	rest, ok := strings.CutPrefix(name, module)
	if !ok || rest == "" || rest[0] != '/' && rest[0] != '.' {
		return "", false
	}
	last := strings.LastIndex(rest, "/") + 1
	pkg, _, _ := strings.Cut(rest[last:], ".")
	return path.Join(".", rest[:last]+pkg), true
}

// place is a line of a file.
type place struct {
	file string
	line int
}

// declarations returns the functions that are declared in the files of a folder, without those of tests, by their names.
func declarations(root *os.Root, folder string) map[string][]place {
	found := make(map[string][]place)
	entries, err := fs.ReadDir(root.FS(), folder)
	if err != nil {
		return found
	}
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), "_test.go") || path.Ext(e.Name()) != ".go" {
			continue
		}
		name := path.Join(folder, e.Name())
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, "", contents(root, name), parser.SkipObjectResolution)
		if err != nil {
			continue
		}
		for _, d := range file.Decls {
			if d, ok := d.(*ast.FuncDecl); ok {
				at := place{name, fset.PositionFor(d.Name.Pos(), false).Line}
				found[versionName(d)] = append(found[versionName(d)], at)
			}
		}
	}
	return found
}

// versionName returns what a version is called: F, T.M or (*T).M, without type parameters.
func versionName(decl *ast.FuncDecl) string {
	if decl.Recv == nil || len(decl.Recv.List) == 0 {
		return decl.Name.Name
	}
	typ, form := decl.Recv.List[0].Type, "%."
	for {
		switch t := typ.(type) {
		case *ast.ParenExpr:
			typ = t.X
		case *ast.StarExpr:
			typ, form = t.X, "(*%)."
		case *ast.IndexExpr:
			typ = t.X
		case *ast.IndexListExpr:
			typ = t.X
		case *ast.Ident:
			return strings.Replace(form, "%", t.Name, 1) + decl.Name.Name
		default:
			return decl.Name.Name
		}
	}
}
