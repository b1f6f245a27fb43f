package gate

import (
	"testing"

	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// TestNamed has literals and generic functions, also in a package whose path looks like the name of a literal.
func TestNamed(t *testing.T) {
	for _, c := range []struct {
		function, name string
		want           bool
	}{
		{"example.com/m.Parse", "Parse", true},
		{"example.com/m.Parse", "m.Parse", true},
		{"example.com/m.Parse", "arse", false},
		{"example.com/m.Parse.func1", "Parse", true},
		{"example.com/m.Parse.func1", "Parse.func1", true},
		{"example.com/m.Parse.func1.2", "example.com/m.Parse", true},
		{"example.com/m.Parse-range1", "Parse", true},
		{"example.com/m.Less[...]", "Less", true},
		{"example.com/m.Less[...].func2", "m.Less", true},
		{"example.com/m.(*T).Get.func1", "(*T).Get", true},
		{"example.com/m.Parse.func1", "m", false},
	} {
		f := &profile.Function{Package: "example.com/m", Table: &table.Function{Name: c.function}}
		if got := isNamed(f, []string{c.name}); got != c.want {
			t.Errorf("%s is called %s: %v", c.function, c.name, got)
		}
	}
	f := &profile.Function{Package: "example.com/m.func1/p", Table: &table.Function{Name: "example.com/m.func1/p.Parse"}}
	if isNamed(f, []string{"m"}) || !isNamed(f, []string{"p.Parse"}) {
		t.Errorf("%s has other names", f.Table.Name)
	}
}
