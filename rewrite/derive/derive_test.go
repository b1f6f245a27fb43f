package derive

import "testing"

// TestNames knows wrappers by their names.
func TestNames(t *testing.T) {
	for name, want := range map[string]string{
		"p.f":                      "p.f",
		"p.f[go.shape.int]":        "p.f",
		"p.f[int]":                 "", // calls the code of a shape with a dictionary
		"p.(*T[go.shape.int]).get": "p.(*T).get",
		"p.(*T[int]).get":          "",
	} {
		if got := Function(name); got != want {
			t.Errorf("%s: %q, not %q", name, got, want)
		}
	}
	for name, is := range map[string]bool{
		"p.f.deferwrap1": true, "p.f.gowrap12": true, "p.f.deferwrap1.func2": false, "p.f": false,
	} {
		if wrapsStatement.MatchString(name) != is {
			t.Errorf("%s is said to be of a go or defer statement: %v", name, !is)
		}
	}
}

// TestNumbers adds what is known to what is not.
func TestNumbers(t *testing.T) {
	sum := number{n: 3}.plus(unknown("because")).plus(number{n: 4})
	if sum.why != "because" || sum.none() {
		t.Errorf("%+v", sum)
	}
	if n := (number{n: 0}); !n.none() || n.plus(number{n: 2}).n != 2 {
		t.Errorf("%+v", n)
	}
}
