package align

import (
	"fmt"
	"slices"
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

// TestLong has sequences that are too long for Lines, with a change now and then, and more of what is there often.
func TestLong(t *testing.T) {
	var a, b []string
	same := make(map[int]int)
	for i := range 5000 {
		line := fmt.Sprint("line ", i)
		if i%10 == 9 {
			line = "}"
		}
		a = append(a, line)
		switch {
		case i%1000 == 0: // another line
			b = append(b, "new")
			continue
		case i == 1500: // and one more
			b = append(b, "new")
		}
		same[i] = len(b)
		b = append(b, line)
	}
	for i, j := range Long(a, b) {
		want, ok := same[i]
		if ok && j != want || !ok && j != -1 {
			t.Fatalf("%d is %d, want %d", i, j, want)
		}
	}
	if got := Long([]string{"a", "b"}, nil); got[0] != -1 || got[1] != -1 {
		t.Error(got)
	}
	for _, j := range Long(slices.Repeat([]string{"a"}, 2000), slices.Repeat([]string{"b"}, 2000)) {
		if j != -1 {
			t.Fatal("different sequences have something in common")
		}
	}
}
