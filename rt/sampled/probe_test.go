package sampled_test

import (
	"testing"

	"github.com/goprofinstr/goprofinstr/rt/sampled"
)

// TestMark has the marks of the functions of a file: they differ, and do not depend on where the file was when it was compiled.
func TestMark(t *testing.T) {
	seen := make(map[uint64]bool)
	for line := range uint64(5000) {
		m := sampled.Mark("p.go", line)
		if m != sampled.Mark("/home/user/src/p.go", line) || m == sampled.Mark("q.go", line) {
			t.Fatalf("line %d: mark %#x depends on the folder, or not on the file", line, m)
		}
		if int64(m) != int64(int32(m)) || m>>31 != 1<<33-1 {
			t.Fatalf("line %d: mark %#x is no number for an instruction", line, m)
		}
		seen[m] = true
	}
	if len(seen) != 5000 {
		t.Errorf("%d marks of 5000 lines", len(seen))
	}
}
