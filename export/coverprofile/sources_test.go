package coverprofile

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// TestWithOthers has packages of all kinds: those of which no file is below the root are told, but for those of the plan.
func TestWithOthers(t *testing.T) {
	p := &profile.Profile{Root: t.TempDir()}
	for path, file := range map[string]string{
		"m":                  "m.go",
		"m_test":             "m_test.go",
		"m/gone":             "gone/gone.go",
		"m/planned":          "planned/p.go",
		"m/none":             "",
		"sort":               "sort/sort.go",
		"example.com/evil":   "../m.go",
		profile.FilesPackage: profile.FilesPackage + "/x.go",
	} {
		pkg := &profile.Package{Path: path}
		if file != "" {
			pkg.Functions = []*profile.Function{{Package: path, Table: &table.Function{File: file}}}
		}
		p.Packages = append(p.Packages, pkg)
	}
	for _, name := range []string{"m.go", "m_test.go", "x.go"} {
		if err := os.WriteFile(filepath.Join(p.Root, name), []byte("package m"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	whole, _, leftOut := withOthers(p, &Plan{Packages: []Package{{Path: "m/planned"}}})
	slices.Sort(leftOut)
	if want := []string{"example.com/evil", "m/gone", "sort"}; !slices.Equal(leftOut, want) {
		t.Errorf("left out %v, want %v", leftOut, want)
	}
	var got []string
	for _, pkg := range whole.Packages {
		got = append(got, pkg.Path)
		if local := pkg.Path == profile.FilesPackage; local && pkg.Files[0].Name != filepath.Join(p.Root, "x.go") {
			t.Errorf("files of %s: %v", pkg.Path, pkg.Files)
		}
	}
	if want := []string{profile.FilesPackage, "m", "m/planned"}; !slices.Equal(got, want) {
		t.Errorf("packages %v, want %v", got, want)
	}
}
