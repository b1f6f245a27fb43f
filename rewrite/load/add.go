package load

import (
	"go/parser"
	"go/token"
)

// Add adds a file to the package, which the compilation has at its end.
func (p *Package) Add(f *File) error {
	if err := p.AddImports(f.Name, f.Src); err != nil {
		return err
	}
	p.Files, p.all = append(p.Files, f), append(p.all, f)
	return nil
}

// AddImports has LoadExports find what a source file imports, too.
func (p *Package) AddImports(name string, src []byte) error {
	head, err := parser.ParseFile(token.NewFileSet(), name, src, parser.ImportsOnly)
	if err != nil {
		return err
	}
	for _, spec := range head.Imports {
		path := importPath(spec)
		if _, ok := p.imports[path]; !ok && path != "C" {
			if p.imports == nil {
				p.imports = make(map[string]string)
			}
			p.imports[path] = path
		}
	}
	return nil
}
