package selection

import (
	"strings"
	"testing"
)

func TestKeysOf(t *testing.T) {
	for full, want := range map[string]string{
		"m/p.F":                          "func F",
		"m/p.F.func1":                    "func F,method F.func1",
		"m/p.F.func1.2":                  "func F,method F.func1",
		"m/p.F-range1":                   "func F-range1",
		"m/p.F[...]":                     "func F",
		"m/p.T.M":                        "method T.M",
		"m/p.T.M.func1":                  "method T.M",
		"m/p.(*T).M":                     "method T.M",
		"m/p.(*T[go.shape.int]).M.func2": "method T.M",
		"m/p.init.0":                     "func init,method init.0",
		"main.F":                         "func F",
	} {
		if got := strings.Join(keysOf("m/p", full), ","); got != want {
			t.Errorf("%s: %s, want %s", full, got, want)
		}
	}
	if got := keysOf("gopkg.in/y.v3", "gopkg.in/y%2ev3.F"); len(got) != 1 || got[0] != "func F" {
		t.Errorf("an escaped path: %v", got)
	}
}

// TestEffects has initialisers of variables that run code, and such that do not.
func TestEffects(t *testing.T) {
	for value, want := range map[string]bool{
		`errors.New("x")`: false, `regexp.MustCompile("x")`: false, `func() int { return f() }`: false, `[]byte("x")`: false,
		`map[string]int{"a": 1}`: false, `reflect.TypeOf((*T)(nil)).Elem()`: false, `int64(3)`: false, `&T{}`: false,
		`f()`: true, `<-c`: true, `errors.New(f())`: true, `T{x: f()}`: true, `func() int { return 1 }()`: true, `x.Elem()`: true,
	} {
		src, err := parse("a.go", []byte("package a\nvar v = "+value+"\n"))
		if err != nil {
			t.Fatal(err)
		}
		if got := src.declarations[0].runs; got != want {
			t.Errorf("%s: %t", value, got)
		}
	}
}
