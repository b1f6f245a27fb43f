package mirror

import (
	"slices"
	"testing"
	"unsafe"
)

// words are outside of the heap, as in programs.
var words, kept1 [5]U

func TestCopy(t *testing.T) {
	defer func() { list = nil }()
	other, keptOther := U(7), U(7)
	words[0], kept1[0] = 1, 1
	Keep(&words[0], &kept1[0], 3)
	Keep(&other, &keptOther, 1)
	for i := range words {
		words[i]++
	}
	other--
	if !Copy() {
		t.Fatal("nothing copied")
	}
	if want := []U{2, 1, 1, 0, 0}; !slices.Equal(kept1[:], want) || keptOther != 6 {
		t.Errorf("%d, %d: want %d, 6", kept1, keptOther, want)
	}
}

func TestCopyOnce(t *testing.T) {
	defer func() { list, busy = nil, 0 }()
	var from, to U
	Keep(&from, &to, 1)
	from, busy = 1, 1
	if Copy() || to != 0 {
		t.Error("copied while another thread does")
	}
	busy = 0
	if !Copy() || to != 1 {
		t.Error("not copied")
	}
}

// TestUnchanged copies to words that cannot be written, which are those that have not changed.
func TestUnchanged(t *testing.T) {
	defer func() { list = nil }()
	text := "8 bytes." // read-only
	var from U
	copy(unsafe.Slice((*byte)(unsafe.Pointer(&from)), 8), text)
	Keep(&from, (*U)(unsafe.Pointer(unsafe.StringData(text))), 1)
	if !Copy() {
		t.Error("nothing copied")
	}
}

var mebibyte struct{ from, to [1 << 17]U }

func BenchmarkCopyUnchanged(b *testing.B) {
	defer func() { list = nil }()
	Keep(&mebibyte.from[0], &mebibyte.to[0], U(len(mebibyte.from)))
	b.SetBytes(int64(len(mebibyte.from) * 8))
	for b.Loop() {
		Copy()
	}
}
