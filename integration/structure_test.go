package integration

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/goprofinstr/goprofinstr/rt"
)

// How large what a reader has to have in mind at a time may be.
const (
	mostFiles = 22 // of a package, without tests
	mostKnot  = 13 // files of a package below rt of which each needs each
)

// larger are packages that are still to be divided, with how many files they have. Cli has one for each subcommand, and rt/sys
// one for each system and what differs there. Rewrite/pathmap has one for each kind of evidence in machine code.
var larger = map[string]int{
	"export/profile": 26, "cmd/goprofinstr/cli": 32, "rt/sys": 44, "rewrite/pathmap": 24,
}

// TestPackageSize counts the files of all packages.
func TestPackageSize(t *testing.T) {
	files := make(map[string]int)
	err := filepath.WalkDir("..", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && d.Name() == "testdata":
			return filepath.SkipDir
		case strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go"):
			files[filepath.Dir(name)]++
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for dir, n := range files {
		dir = strings.TrimPrefix(filepath.ToSlash(dir), "../")
		if most := max(mostFiles, larger[dir]); n > most {
			t.Errorf("%s has %d files, more than %d", dir, n, most)
		}
	}
}

// TestKnots looks for files that need each other in the packages that are linked into programs. Each reaches each by names of
// functions, methods, types, variables, constants and fields.
func TestKnots(t *testing.T) {
	for _, system := range [][2]string{{"linux", "amd64"}, {"linux", "arm64"}, {"darwin", "arm64"}} {
		for _, tag := range []string{rt.SamplerTag, rt.ShardsTag, rt.TestsTag} {
			files, err := rt.Source(system[0], system[1], rt.RuntimeTag, rt.AuditTag, tag)
			if err != nil {
				t.Fatal(err)
			}
			for dir, needs := range needed(t, files) {
				if knot := largestKnot(needs); len(knot) > mostKnot {
					t.Errorf("%v, %s: %d files of %s need each other, more than %d: %s", system, tag, len(knot), dir, mostKnot, knot)
				}
			}
		}
	}
}

// needed returns, for each folder, which other files of it each file needs.
func needed(t *testing.T, files map[string][]byte) map[string]map[string][]string {
	fset := token.NewFileSet()
	folders := make(map[string][]*ast.File)
	for name, text := range files {
		if path.Ext(name) != ".go" {
			continue
		}
		f, err := parser.ParseFile(fset, name, text, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		folders[path.Dir(name)] = append(folders[path.Dir(name)], f)
	}
	needs := make(map[string]map[string][]string)
	for dir, files := range folders {
		needs[dir] = needsOf(fset, dir, files)
	}
	return needs
}

// needsOf returns which other files of a package each file needs. What other packages declare is not known, and need not be.
func needsOf(fset *token.FileSet, dir string, files []*ast.File) map[string][]string {
	info := &types.Info{Uses: make(map[*ast.Ident]types.Object)}
	config := types.Config{Importer: importer.ForCompiler(fset, "gc", nil), Error: func(error) {}}
	pkg, _ := config.Check(dir, fset, files, info)
	needs := make(map[string][]string)
	for id, object := range info.Uses {
		from, to := fset.File(id.Pos()).Name(), ""
		if object.Pkg() == pkg && object.Pos().IsValid() {
			to = fset.File(object.Pos()).Name()
		}
		if to != "" && to != from && !slices.Contains(needs[from], to) {
			needs[from] = append(needs[from], to)
		}
	}
	return needs
}

// largestKnot returns the most files of which each reaches each.
func largestKnot(needs map[string][]string) (largest []string) {
	reached := make(map[string]map[string]bool)
	for from := range needs {
		reached[from] = make(map[string]bool)
		reach(needs, from, reached[from])
	}
	for from := range reached {
		var knot []string
		for _, to := range slices.Sorted(maps.Keys(reached[from])) {
			if reached[to][from] {
				knot = append(knot, path.Base(to))
			}
		}
		if len(knot) > len(largest) {
			largest = knot
		}
	}
	return largest
}

// reach adds what a file needs, and what that needs.
func reach(needs map[string][]string, from string, reached map[string]bool) {
	for _, to := range needs[from] {
		if !reached[to] {
			reached[to] = true
			reach(needs, to, reached)
		}
	}
}
