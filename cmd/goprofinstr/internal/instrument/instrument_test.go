package instrument

import (
	"testing"

	"golang.org/x/tools/go/packages"
)

func TestSelector(t *testing.T) {
	mainModule := &packages.Module{Path: "example.com/m", Main: true}
	dependency := &packages.Module{Path: "example.com/dep"}
	app := &packages.Package{PkgPath: "example.com/m/app", Module: mainModule, Dir: "/home/m/app"}
	dep := &packages.Package{PkgPath: "example.com/dep/a", Module: dependency, Dir: "/home/dep/a"}
	std := &packages.Package{PkgPath: "net/http", Dir: "/go/src/net/http"}
	files := &packages.Package{PkgPath: "command-line-arguments"}
	all := []*packages.Package{app, dep, std, files}

	tests := []struct {
		patterns []string
		inStd    bool
		want     []*packages.Package
	}{
		{nil, false, []*packages.Package{app, files}},
		{nil, true, []*packages.Package{std, files}},
		{[]string{"all"}, false, all},
		{[]string{"std"}, false, []*packages.Package{std}},
		{[]string{"net/http"}, false, []*packages.Package{std}},
		{[]string{"net"}, false, nil},
		{[]string{"net/..."}, false, []*packages.Package{std}},
		{[]string{"example.com/..."}, false, []*packages.Package{app, dep}},
		{[]string{"example.com/m/app/...", "example.com/dep/a"}, true, []*packages.Package{app, dep}},
		{[]string{"example.com/.../a"}, false, []*packages.Package{dep}},
		{[]string{"example.com/m..."}, false, []*packages.Package{app}},
		{[]string{"..."}, false, all},
		{[]string{"./..."}, false, []*packages.Package{app}},
		{[]string{"./app"}, false, []*packages.Package{app}},
		{[]string{"."}, false, nil},
		{[]string{"../..."}, false, []*packages.Package{app, dep}},
		{[]string{"../dep/a", "./nosuch"}, false, []*packages.Package{dep}},
	}
	for _, test := range tests {
		selected, err := newSelection(Options{Patterns: test.patterns}, test.inStd, "/home/m")
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range all {
			want := false
			for _, w := range test.want {
				want = want || w == p
			}
			if got := selected.has(p); got != want {
				t.Errorf("patterns %q, in std %v: %s selected: %v, want %v", test.patterns, test.inStd, p.PkgPath, got, want)
			}
		}
	}
}
