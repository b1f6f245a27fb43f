package align

import (
	"fmt"
	"strings"
	"testing"
)

func TestLines(t *testing.T) {
	for _, test := range []struct{ a, b, want string }{
		{"abcd", "abcd", "[0 1 2 3]"},
		{"abcd", "abxcd", "[0 1 3 4]"},
		{"abxcd", "abcd", "[0 1 -1 2 3]"},
		{"", "a", "[]"},
		{"aba", "b", "[-1 0 -1]"},
	} {
		got := fmt.Sprint(Lines(strings.Split(test.a, ""), strings.Split(test.b, "")))
		if test.a == "" {
			got = fmt.Sprint(Lines(nil, strings.Split(test.b, "")))
		}
		if got != test.want {
			t.Errorf("Lines(%s, %s) = %s, want %s", test.a, test.b, got, test.want)
		}
	}
}
