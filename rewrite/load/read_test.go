package load

import (
	"testing"

	"golang.org/x/tools/go/packages"
)

func TestRoot(t *testing.T) {
	of := func(dir string) *packages.Package {
		return &packages.Package{ID: dir, Module: &packages.Module{Main: dir != "/cache/dep", Dir: dir}}
	}
	dep, top, a, beyond, besides := of("/cache/dep"), of("/ws"), of("/ws/a"), of("/beyond"), of("/ws2")
	tests := []struct {
		workspace, want string
		listed          []*packages.Package
		named           []*packages.Package // from there
	}{
		{"", "", []*packages.Package{dep}, nil},
		{"", "/ws/a", []*packages.Package{dep, a}, []*packages.Package{a}},
		{"/ws", "/ws", []*packages.Package{a, dep}, []*packages.Package{a, top}},
		{"/ws", "/ws", []*packages.Package{beyond, top}, []*packages.Package{top}},
		{"/ws", "/beyond", []*packages.Package{beyond, besides}, []*packages.Package{beyond}},
	}
	for _, test := range tests {
		b := &Build{root: Config{Workspace: test.workspace}.root(test.listed)}
		if b.root != test.want {
			t.Errorf("workspace %q: names begin at %q, want %q", test.workspace, b.root, test.want)
		}
		for _, p := range append(test.listed, test.named...) {
			want := ""
			for _, named := range test.named {
				if p == named {
					want = test.want
				}
			}
			if got := b.rootOf(p.Module); got != want {
				t.Errorf("workspace %q: names in %s begin at %q, want %q", test.workspace, p.ID, got, want)
			}
		}
	}
}

// TestLanguage has modules whose go.mod names no version, or that have none.
func TestLanguage(t *testing.T) {
	tests := []struct {
		module *packages.Module
		want   string
	}{
		{nil, ""},
		{&packages.Module{Path: "example.com/old", Version: "v1.0.0"}, "go1.16"},
		{&packages.Module{Path: "example.com/old", Version: "v1.0.0", GoVersion: "1.12"}, "go1.12"},
	}
	for _, test := range tests {
		if got := language(test.module); got != test.want {
			t.Errorf("packages of %+v: checked as %q, want %q", test.module, got, test.want)
		}
	}
}

func TestLanguageVersion(t *testing.T) {
	tests := []struct{ pkg, own, want string }{
		{"go1.21", "go1.26.1", "go1.21"},
		{"go1.26.3", "go1.26.1", "go1.26.3"},
		{"go1.27", "go1.26.1", "go1.26"},
		{"go1.27.2", "go1.27rc1", "go1.27.2"},
		{"go1.28", "devel go1.28-abc", "go1.28"},
	}
	for _, test := range tests {
		if got := languageVersion(test.pkg, test.own); got != test.want {
			t.Errorf("package of %s, built with %s: checked as %s, want %s", test.pkg, test.own, got, test.want)
		}
	}
}
