package sys_test

import (
	"hash/fnv"
	"testing"

	"github.com/goprofinstr/goprofinstr/rt/sys"
)

// TestHash32 holds the hash of names against that of the standard library.
func TestHash32(t *testing.T) {
	for _, text := range []string{"", "a", "parser.go", "example.com/p", "größer"} {
		h := fnv.New32a()
		h.Write([]byte(text))
		if got, want := sys.Hash32(text), h.Sum32(); got != want {
			t.Errorf("%q: %#x, want %#x", text, got, want)
		}
	}
}

func TestDecimal(t *testing.T) {
	for n, want := range map[uint64]string{0: "0", 10: "10", 1<<64 - 1: "18446744073709551615"} {
		if got := sys.Decimal(n); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
