//go:build amd64 || arm64 || riscv64

package rt_test

import (
	"slices"
	"testing"
	"unsafe"

	"github.com/goprofinstr/goprofinstr/rt"
)

// blocked is package-level so that it is not on the Go heap, as in programs.
var blocked struct {
	p [rt.Pad + 1000 + rt.Pad]uint64
	q [rt.Pad + 1 + rt.Pad]uint64
}

// TestBlocks counts in the arrays of two packages and in blocks that were made before, between and after them.
func TestBlocks(t *testing.T) {
	dir := t.TempDir()
	stop := rt.StartIn(dir)
	defer stop()
	p, q := &blocked.p, &blocked.q
	lo := uintptr(unsafe.Pointer(&blocked))
	rt.SpanBlocks(lo, lo+unsafe.Sizeof(blocked))
	blocks := []uintptr{0, rt.NewBlock()}
	rt.Register("example.com/p", "tableP", &p[0], 1000, nil, 0)
	blocks = append(blocks, rt.NewBlock())
	rt.Register("example.com/q", "tableQ", &q[0], 1, nil, 0)
	blocks = append(blocks, rt.NewBlock())

	for i, block := range blocks {
		if i > 0 && block == 0 {
			t.Fatal("no block")
		}
		for _, c := range []*rt.U{&p[rt.Pad], &p[rt.Pad+999], &q[rt.Pad]} {
			*(*rt.U)(unsafe.Add(unsafe.Pointer(c), block)) += 1 << (8 * i)
		}
	}
	run := readDir(t, dir)
	const sum = 0x01010101
	want := make([]uint64, 1000)
	want[0], want[999] = sum, sum
	if run.Lost != 0 || !slices.Equal(run.Packages[0].Counters, want) {
		t.Errorf("%d lost; p: %x", run.Lost, run.Packages[0].Counters)
	}
	if got := run.Packages[1].Counters; !slices.Equal(got, []uint64{sum}) {
		t.Errorf("q: %x", got)
	}
}
