package flags

import (
	"slices"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	for line, want := range map[string]string{
		"":                     "20:",
		"a":                    "20:a",
		"-top 3 a b":           "3:a b",
		"a -top 3 b":           "3:a b",
		"a b -top=3":           "3:a b",
		"a -- -top 3":          "20:a -top 3",
		"-- a":                 "20:a",
		"- -top 3":             "3:-",
		"a -atomic -top 3 -- ": "3:a",
	} {
		var v values
		fs := v.table().Set("test")
		if err := Parse(fs, strings.Fields(line)); err != nil {
			t.Errorf("%s: %v", line, err)
			continue
		}
		number, words, _ := strings.Cut(want, ":")
		if fs.Lookup("top").Value.String() != number || !slices.Equal(fs.Args(), strings.Fields(words)) {
			t.Errorf("%s: -top %d, %q, want %s", line, v.top, fs.Args(), want)
		}
	}
	for _, line := range []string{"a -nosuch", "-top x a", "a -top"} {
		if err := Parse(new(values).table().Set("test"), strings.Fields(line)); err == nil {
			t.Errorf("%s: no error", line)
		}
	}
}
