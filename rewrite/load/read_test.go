package load

import "testing"

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
