package toolexec

import (
	"bytes"
	"testing"
)

// TestStripper writes compiler output in pieces of all lengths.
func TestStripper(t *testing.T) {
	const (
		in = "./a.go~gpi3:5:2: x redeclared in this block\n\t/d/b c.go~gpi1z0:4:6: other declaration of x\n" +
			"a.go~gpi:1:1: ~gpi7 and a~gpi7\ninlined: a.go~gpiz:7"
		want = "./a.go:5:2: x redeclared in this block\n\t/d/b c.go:4:6: other declaration of x\n" +
			"a.go~gpi:1:1: ~gpi7 and a~gpi7\ninlined: a.go:7"
	)
	for n := 1; n <= len(in); n++ {
		var out bytes.Buffer
		s := stripper{to: &out}
		for rest := []byte(in); len(rest) > 0; {
			k := min(n, len(rest))
			if m, err := s.Write(rest[:k]); m != k || err != nil {
				t.Fatalf("%d, %v", m, err)
			}
			rest = rest[k:]
		}
		if err := s.flush(); err != nil {
			t.Fatal(err)
		}
		if out.String() != want {
			t.Fatalf("in pieces of %d:\n%s", n, &out)
		}
	}
}
