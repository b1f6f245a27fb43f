package rewrite

import "testing"

func TestMatchName(t *testing.T) {
	for _, test := range []struct {
		pattern, name string
		want          bool
	}{
		{"example.com/m", "example.com/m.F", true},
		{"example.com/m", "example.com/m/p.F", false},
		{"example.com/m/...", "example.com/m/p.F", true},
		{"example.com/m.F", "example.com/m.F", true},
		{"example.com/m.F", "example.com/m.F.func1", true}, // in F
		{"example.com/m.F", "example.com/m.Find", false},
		{"example.com/m.F...", "example.com/m.Find", true},
		{"example.com/m.(*T)", "example.com/m.(*T).M", true},
		{"....String", "example.com/m.(*T).String", true},
		{"....String", "example.com/m.(*T).Strings", false},
		{"...", "sort.Sort", true},
		{"sort", "example.com/sort.Sort", false},
		{"example", "example.com/sort.Sort", false},
		{"net/...", "net.Dial", true},
		{"m.T", "m.T.M", true},
	} {
		if got := matchName(test.pattern, test.name); got != test.want {
			t.Errorf("matchName(%q, %q) = %v", test.pattern, test.name, got)
		}
	}
}
