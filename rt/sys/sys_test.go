package sys_test

import (
	"encoding/binary"
	"hash/fnv"
	"testing"
	"unsafe"

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

// TestErrno has descriptions of errors. Nothing is allocated for one without a name: in a signal handler that would be the end
// of the program.
func TestErrno(t *testing.T) {
	for e, want := range map[sys.Errno]string{
		sys.NoEntry: "no such file or directory", sys.Exists: "file exists",
		0: "errno 0", 11: "errno 11", 1<<32 - 1: "errno 4294967295",
	} {
		if got := e.Text(); got != want {
			t.Errorf("%d is %q, want %q", e, got, want)
		}
	}
	text := ""
	if n := testing.AllocsPerRun(100, func() { text = sys.Errno(11).Text() }); n != 0 || text != "errno 11" {
		t.Errorf("%v allocations for %q", n, text)
	}
}

// TestPutText: words that are written in little-endian order have the texts, one behind the other.
func TestPutText(t *testing.T) {
	var words [4]uint64
	sys.PutText(unsafe.Pointer(&words), "service", "", "key=größer")
	var b []byte
	for _, w := range words {
		b = binary.LittleEndian.AppendUint64(b, w)
	}
	const want = "servicekey=größer"
	if got := string(b[:len(want)]); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	for _, c := range b[len(want):] {
		if c != 0 {
			t.Errorf("%q behind the texts", b[len(want):])
		}
	}
}
