package code

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// TestIn cuts a condition on both sides of the operand, which is there whole as long as there is room for it.
func TestIn(t *testing.T) {
	o := Operand{Text: "c == d", Before: strings.Repeat("a && ", 9), After: strings.Repeat(" && b", 9)}
	for width, want := range map[int]string{
		200: o.Before + "<c == d>" + o.After,
		30:  "…a && a && <c == d> && b && b…",
		11:  "…<c == d> …",
		9:   "<c == d>…",
		1:   "…",
		0:   "…",
	} {
		if got := o.In("<", ">", width); got != want {
			t.Errorf("%d: %q, want %q", width, got, want)
		}
	}
	for width := 2; width < 120; width++ {
		for _, cut := range []Operand{o, {Text: o.Text, Before: o.Before}, {Text: o.Text, After: o.After}} {
			if got := cut.In("<", ">", width); utf8.RuneCountInString(got) > width {
				t.Errorf("%q is wider than %d", got, width)
			}
		}
	}
}

func TestOneLine(t *testing.T) {
	for text, want := range map[string]string{
		"a":                          "a",
		"f(\n\ta,\n\tb,\n)":          "f(a, b,)",
		"a ||\r\n\t\tb":              "a || b",
		"a || // or\n\tb":            "a || b",
		"x == \"//\" ||\n\ty":        "x == \"//\" || y",
		"func() bool {\n\treturn\n}": "func() bool {return }",
	} {
		if got := oneLine(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
