package copies

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var (
	sweepStd     = flag.Bool("copies.std", false, "copy and check all functions of the standard library that a program can have")
	sweepModules = flag.String("copies.modules", "", "and those of the modules in these folders, with commas between them")
)

// TestSweep copies and checks whole libraries: programs that refer to all exported functions and types of all packages. For
// instance
//
//	go test ./rewrite/copies -run TestSweep -v -copies.std -copies.modules=$HOME/goldmark,$HOME/goja
func TestSweep(t *testing.T) {
	if !*sweepStd && *sweepModules == "" {
		t.Skip("neither -copies.std nor -copies.modules is given")
	}
	folders := make(map[string]string)
	if *sweepStd {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module example.com/all\n\ngo 1.26\n"), 0o666); err != nil {
			t.Fatal(err)
		}
		folders["std"] = dir
	}
	for _, from := range strings.FieldsFunc(*sweepModules, func(r rune) bool { return r == ',' }) {
		dir := t.TempDir()
		if err := os.CopyFS(dir, os.DirFS(from)); err != nil {
			t.Fatal(err)
		}
		folders[filepath.Base(from)] = dir
	}
	for name, dir := range folders {
		t.Run(name, func(t *testing.T) {
			packages := "./..."
			if name == "std" {
				packages = name
			}
			program := buildWhole(t, dir, packages)
			im := open(t, program)
			for _, records := range []bool{false, true} {
				if n, of := checkProgram(t, im, New, records); n < of*9/10 {
					t.Errorf("%d of %d functions are copied", n, of)
				}
			}
			if insts := objdump(t, program); insts != nil {
				checkDecoding(t, im, insts)
			}
		})
	}
}

// buildWhole builds a program, in the module of a folder, that refers to all that packages export.
func buildWhole(t *testing.T, dir, packages string) string {
	command := func(args ...string) []byte {
		cmd := exec.Command("go", args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOWORK=off", "GOFLAGS=-mod=mod -buildvcs=false")
		var errs bytes.Buffer
		cmd.Stderr = &errs
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("go %v: %v\n%s", args, err, errs.Bytes())
		}
		return out
	}
	all := filepath.Join(dir, "goprofinstr_all")
	if err := os.Mkdir(all, 0o777); err != nil {
		t.Fatal(err)
	}
	d := json.NewDecoder(bytes.NewReader(command("list", "-e", "-json=ImportPath,Name,Dir,GoFiles,Module,DepsErrors,Error", packages)))
	n := 0
	for {
		var p listed
		if err := d.Decode(&p); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		text, err := p.use()
		if err != nil {
			t.Fatal(err)
		}
		if text == "" {
			continue
		}
		n++
		if err := os.WriteFile(filepath.Join(all, fmt.Sprintf("p%d.go", n)), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(all, "main.go"), []byte(keepAll), 0o666); err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(dir, "all")
	command("build", "-o", program, "./goprofinstr_all")
	t.Logf("%d packages", n)
	return program
}

// keepAll has the linker leave exported methods where they are.
const keepAll = `package main

import (
	"os"
	"reflect"
)

var kept []interface{}

func main() {
	for _, x := range kept {
		reflect.TypeOf(x).MethodByName(os.Args[0])
	}
}
`

// A listed package is one that the go command lists.
type listed struct {
	ImportPath, Name, Dir string
	GoFiles               []string
	Module                struct{ Path string }
	DepsErrors            []any
	Error                 any
}

// use returns a source file that refers to all that the package exports, "" if it is of no use.
func (p *listed) use() (string, error) {
	within := strings.TrimPrefix(p.ImportPath, p.Module.Path+"/internal/") // all of the module may use it
	if p.Name == "main" || p.ImportPath == "unsafe" || p.ImportPath == "builtin" || p.Error != nil || p.DepsErrors != nil ||
		slices.Contains(strings.Split(within, "/"), "internal") || strings.HasPrefix(p.ImportPath, "vendor/") {
		return "", nil
	}
	var b strings.Builder
	fset := token.NewFileSet()
	for _, name := range p.GoFiles {
		f, err := parser.ParseFile(fset, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			return "", err
		}
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Recv == nil && d.Name.IsExported() && d.Type.TypeParams == nil {
					fmt.Fprintf(&b, "\tkept = append(kept, p.%s)\n", d.Name.Name)
				}
			case *ast.GenDecl:
				for _, s := range d.Specs {
					s, ok := s.(*ast.TypeSpec)
					if !ok || !s.Name.IsExported() || s.TypeParams != nil {
						continue
					}
					if _, ok := s.Type.(*ast.InterfaceType); !ok {
						fmt.Fprintf(&b, "\tkept = append(kept, new(p.%s))\n", s.Name.Name)
					}
				}
			}
		}
	}
	if b.Len() == 0 {
		return "", nil
	}
	return fmt.Sprintf("package main\n\nimport p %q\n\nfunc init() {\n%s}\n", p.ImportPath, b.String()), nil
}
