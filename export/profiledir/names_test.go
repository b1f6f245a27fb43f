package profiledir

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// sources calls see with each Go file below dir, without tests and what they work on.
func sources(t *testing.T, dir string, see func(name string, file *ast.File)) {
	t.Helper()
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && d.Name() == "testdata":
			return fs.SkipDir
		case d.IsDir() || filepath.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		see(name, file)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// literals returns the strings in a node, in order.
func literals(n ast.Node) (list []string) {
	ast.Inspect(n, func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			text, _ := strconv.Unquote(lit.Value)
			list = append(list, text)
		}
		return true
	})
	return list
}

// TestRuntime holds the names that package rt spells itself against those here.
func TestRuntime(t *testing.T) {
	found := make(map[string]bool)
	sources(t, "../../rt", func(name string, file *ast.File) {
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				if n.Name.Name != "runName" {
					break
				}
				found["runName"] = true
				parts := literals(n)
				if len(parts) != 3 || parts[0]+"12"+parts[1]+"345"+parts[2] != "/"+RunFile(12, 345, 0) {
					t.Errorf("%s makes names of run files of %q; want such as %s", name, parts, RunFile(12, 345, 0))
				}
			case *ast.ValueSpec:
				if n.Names[0].Name != "dirVar" {
					break
				}
				found["dirVar"] = true
				if got := literals(n); !slices.Equal(got, []string{Var}) {
					t.Errorf("%s: the variable is %q, want %s", name, got, Var)
				}
			}
			return true
		})
	})
	if !found["runName"] || !found["dirVar"] {
		t.Errorf("of runName and dirVar, package rt has %v", found)
	}
}

// TestOwner makes sure that no other package spells the names. What the user reads is prose, and may.
func TestOwner(t *testing.T) {
	names := []string{
		runFiles, Var, ManifestName, CoverPlan, PathsPprof, EdgesPprof, CallsPprof, Audit("json"), runningDir, wholeDir, mergingDir, lockFile,
	}
	sources(t, "../..", func(name string, file *ast.File) {
		top := strings.Split(filepath.ToSlash(name), "/")
		if len(top) < 4 || top[2] == "rt" || top[len(top)-2] == "profiledir" {
			return
		}
		for _, text := range literals(file) {
			prose := strings.ContainsAny(text, " \n")
			for _, own := range names {
				if !prose && (text == own || strings.HasPrefix(text, own+"=")) {
					t.Errorf("%s spells %s", name, own)
				}
			}
			if ok, _ := filepath.Match(runFiles, text); ok {
				t.Errorf("%s spells the name of a run file, %s", name, text)
			}
		}
	})
}

// TestNames matches the names of run files.
func TestNames(t *testing.T) {
	for _, name := range []string{RunFile(1, 2, 0), RunFile(1, 2, 3)} {
		if ok, err := filepath.Match(runFiles, name); !ok || err != nil {
			t.Errorf("%s is no run file: %v", name, err)
		}
	}
}
