package instrument

import "testing"

func TestCoverPattern(t *testing.T) {
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
		{"example.com/.../b", "example.com/m/a/b", "/home/m/a/b", true},
		{"example.com/...", "example.com/m/vendor/x", "/home/m/vendor/x", false},
		{"example.com/m/vendor/...", "example.com/m/vendor/x", "/home/m/vendor/x", true},
		{".", "example.com/m", "/home/m", true},
		{".", "example.com/m/a", "/home/m/a", false},
		{"./a", "example.com/m/a", "/home/m/a", true},
		{"./...", "example.com/m", "/home/m", true},
		{"./...", "example.com/m/a", "/home/m/a", true},
		{"./...", "example.com/dep", "/home/m/vendor/example.com/dep", false},
		{"./...", "example.com/dep", "/home/dep", false},
		{"./a...", "example.com/m/ab", "/home/m/ab", true},
		{"./a/...", "example.com/m/ab", "/home/m/ab", false},
		{"../dep/...", "example.com/dep/x", "/home/dep/x", true},
		{"all", "anything", "/x", true},
		{"std", "example.com/m", "/home/m", false},
	}
	for _, tt := range tests {
		if got := coverPattern(tt.pattern, dir)(&listedPackage{ImportPath: tt.path, Dir: tt.folder}); got != tt.want {
			t.Errorf("%s matches %s in %s: %t, want %t", tt.pattern, tt.path, tt.folder, got, tt.want)
		}
	}
}

func TestTestBinary(t *testing.T) {
	for path, want := range map[string]string{
		"example.com/m":          "m.test",
		"example.com/m/v2":       "m.test",
		"example.com/m/v1":       "v1.test",
		"example.com/m/v02":      "v02.test",
		"v2":                     "v2.test",
		"command-line-arguments": "name.test",
	} {
		if got := testBinary(&listedPackage{ImportPath: path, Name: "name"}); got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
}
