package contexts_test

import (
	"testing"

	"github.com/goprofinstr/goprofinstr/rt/contexts"
)

// TestFresh has the activation words of the functions of a file. They must differ, and must not depend on where the file was when
// it was compiled.
func TestFresh(t *testing.T) {
	seen := make(map[uint64]bool)
	for line := range uint64(5000) {
		m := contexts.Fresh("p.go", line)
		if m != contexts.Fresh("/home/user/src/p.go", line) || m == contexts.Fresh("q.go", line) {
			t.Fatalf("line %d: number %#x depends on the folder, or not on the file", line, m)
		}
		if int64(m) != int64(int32(m)) || m>>31 != 1<<33-1 {
			t.Fatalf("line %d: number %#x is no number for an instruction", line, m)
		}
		seen[m] = true
	}
	if len(seen) != 5000 {
		t.Errorf("%d numbers of 5000 lines", len(seen))
	}
}
