package code

import (
	"fmt"
	"strings"
	"testing"

	"github.com/goprofinstr/goprofinstr/export/internal/source"
	"github.com/goprofinstr/goprofinstr/export/mcdc/decision"
)

// TestCouplings pins what pairs of conditions exclude: "TF" is that the first cannot be true with the second false.
func TestCouplings(t *testing.T) {
	for conditions, want := range map[string]string{
		"a && a":                        "strong TF FT",
		"!a && a":                       "strong TF FT", // a condition is without its !
		"x == 1 && x == 2":              "TT",
		"x == 1 && 2 == x":              "TT",
		"x == 1 && x != 1":              "strong TT FF",
		"x < y && x >= y":               "TT", // both are false of not a number
		"x < 'a' && x > 'z'":            "TT",
		"x < 'z' && x > 'a'":            "",
		"x < 'a' && x < 'z'":            "TF",
		"x > 9 && x >= 9":               "TF",
		"s == \"a\" && s == \"b\"":      "TT",
		"s == \"a\tb\" && s == \"a b\"": "TT",
		"s == `a\tb` && s == `a b`":     "TT",
		"s == `a\n b` && s == `a\nb`":   "TT",
		"s == \"a  b\" && s == \"a b\"": "TT",
		"m[`a\tb`] && m[`a b`]":         "", // blanks in literals count
		"m[`a\n b`] && m[`a\nb`]":       "",
		"m[`a\tb`] && m[`a\tb`]":        "strong TF FT",
		"m[\n\t\tk] && m[k]":            "strong TF FT", // line ends between tokens do not
		"x+y == 1 && x + // sum\n y==1": "strong TF FT",
		"x == 1 && y == 2":              "",
		"x == y && x == z":              "",
		"f() && f()":                    "", // calls may be of anything
		"a[<-c] && a[<-c]":              "",
		"len(s) == 0 && len(s) == 1":    "TT",
		"x < 1.5 && x > 2.5":            "", // only integers, characters and strings are looked at
	} {
		file := &source.File{Whole: "package p\n\nfunc f() bool { return " + conditions + " }\n"}
		s := parse(file)
		if s == nil || len(s.logicals) != 1 {
			t.Fatalf("%s: %v", conditions, s)
		}
		f := &Function{syntax: s, file: file}
		var d Logical
		f.tree(s.logicals[0].expr, &d)
		var parts []string
		for _, c := range f.couplings(d.Conditions) {
			if c.Strong {
				parts = append(parts, "strong")
			}
			for _, pair := range c.Excludes {
				name := map[decision.Value]string{decision.True: "T", decision.False: "F"}
				parts = append(parts, fmt.Sprint(name[pair[0].Is], name[pair[1].Is]))
			}
		}
		if got := strings.Join(parts, " "); got != want {
			t.Errorf("%s: %q, want %q", conditions, got, want)
		}
	}
}
