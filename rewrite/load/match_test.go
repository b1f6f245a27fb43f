package load

import (
	"testing"

	"golang.org/x/tools/go/packages"
)

func TestMatch(t *testing.T) {
	const dir = "/home/m"
	tests := []struct {
		pattern string
		path    string
		folder  string
		want    bool
	}{
		{"example.com/m", "example.com/m", "/home/m", true},
		{"example.com/m", "example.com/m/a", "/home/m/a", false},
		{"example.com/m/...", "example.com/m", "/home/m", true},
		{"example.com/m/...", "example.com/m/a/b", "/home/m/a/b", true},
		{"example.com/m/...", "example.com/mm", "/home/mm", false},
		{"example.com/m...", "example.com/mm", "/home/mm", true},
		{"example.com/.../b", "example.com/m/a/b", "/home/m/a/b", true},
		{"example.com/.../b", "example.com/b", "/home/b", false},
		{"example.com/.../b/...", "example.com/m/b", "/home/m/b", true},
		{"a...b...a", "aba", "", true},
		{"a...a", "a", "", false},
		{"a...ab...c", "a/ab/c", "", true},
		{"...", "anything/at/all", "/x", true},
		{"example.com/...", "example.com/m/vendor/x", "/home/m/vendor/x", false},
		{"example.com/m/vendor/...", "example.com/m/vendor/x", "/home/m/vendor/x", true},
		{".", "example.com/m", "/home/m", true},
		{".", "example.com/m/a", "/home/m/a", false},
		{".", "example.com/m", "", false},
		{"./a", "example.com/m/a", "/home/m/a", true},
		{"./...", "example.com/m", "/home/m", true},
		{"./...", "example.com/m/a", "/home/m/a", true},
		{"./...", "example.com/dep", "/home/m/vendor/example.com/dep", false},
		{"./...", "example.com/dep", "/home/dep", false},
		{"./a...", "example.com/m/ab", "/home/m/ab", true},
		{"./a/...", "example.com/m/ab", "/home/m/ab", false},
		{"../dep/...", "example.com/dep/x", "/home/dep/x", true},
		{"..", "example.com", "/home", true},
		{"all", "anything", "/x", true},
		{"std", "example.com/m", "/home/m", false},
	}
	for _, tt := range tests {
		if got := Match(tt.pattern, dir)(Subject{Path: tt.path, Dir: tt.folder}); got != tt.want {
			t.Errorf("%s matches %s in %s: %t, want %t", tt.pattern, tt.path, tt.folder, got, tt.want)
		}
	}
}

// TestMatchWords has the patterns that are no paths.
func TestMatchWords(t *testing.T) {
	files := &packages.Package{PkgPath: FilesPackage}
	std := &packages.Package{PkgPath: "net/http"}
	command := &packages.Package{PkgPath: "cmd/go"}
	own := &packages.Package{PkgPath: "example.com/m", Module: &packages.Module{Main: true}}
	dep := &packages.Package{PkgPath: "example.com/dep", Module: &packages.Module{}}
	all := []*packages.Package{files, std, command, own, dep}
	for pattern, want := range map[string][]bool{
		"all":  {true, true, true, true, true},
		"std":  {false, true, true, false, false},
		"cmd":  {false, false, true, false, false},
		"work": {false, false, false, true, false},
	} {
		for i, p := range all {
			if got := Match(pattern, "/home/m")(SubjectOf(p)); got != want[i] {
				t.Errorf("%s matches %s: %t, want %t", pattern, p.PkgPath, got, want[i])
			}
		}
	}
}
