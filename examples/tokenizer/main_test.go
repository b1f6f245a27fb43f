package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTokenize(t *testing.T) {
	tests := []struct {
		name, src string
		want      []token
	}{
		{"nothing", "", nil},
		{"setting", "size = 10\n", []token{
			{word, "size", 1, 1}, {symbol, "=", 1, 6}, {word, "10", 1, 8},
		}},
		{"no blanks", "a=b", []token{
			{word, "a", 1, 1}, {symbol, "=", 1, 2}, {word, "b", 1, 3},
		}},
		{"many blanks", "a   =", []token{
			{word, "a", 1, 1}, {symbol, "=", 1, 5},
		}},
		{"lines", "[x]\nflag\n!", []token{
			{symbol, "[", 1, 1}, {word, "x", 1, 2}, {symbol, "]", 1, 3},
			{word, "flag", 2, 1}, {symbol, "!", 3, 1},
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := tokenize(test.src)
			if diff := cmp.Diff(test.want, got, cmp.AllowUnexported(token{})); diff != "" {
				t.Errorf("tokenize(%q), -want +got:\n%s", test.src, diff)
			}
		})
	}
}

func TestSettings(t *testing.T) {
	want := "[section_0]\nkey_0 = 0\nenabled\n[section_1]\nkey_0 = 1000\nenabled\n"
	if diff := cmp.Diff(want, settings(2, 2)); diff != "" {
		t.Errorf("settings(2, 2), -want +got:\n%s", diff)
	}
}
