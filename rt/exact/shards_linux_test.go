//go:build amd64 || arm64 || riscv64

package exact_test

import (
	"slices"
	"testing"
	"unsafe"

	"github.com/goprofinstr/goprofinstr/rt"
	"github.com/goprofinstr/goprofinstr/rt/exact"
	"github.com/goprofinstr/goprofinstr/rt/internal/rttest"
	"github.com/goprofinstr/goprofinstr/rt/runfile"
)

// program is the counters of two packages. It is package-level so that it is not on the Go heap, as in programs.
var program struct {
	p [rt.Pad + 1000 + rt.Pad]uint64
	q [rt.Pad + 1 + rt.Pad]uint64
}

// TestShards counts in the arrays of two packages and in shards that were made before, between and after them.
func TestShards(t *testing.T) {
	dir := t.TempDir()
	stop := runfile.StartIn(dir)
	defer stop()
	defer exact.ForgetShards()
	p, q := &program.p, &program.q
	lo := uintptr(unsafe.Pointer(&program))
	exact.SpanShards(lo, lo+unsafe.Sizeof(program))
	shards := []uintptr{0, exact.NewShard()}
	rt.Register(&rt.Package{Path: "example.com/p", Table: "tableP", Counters: &p[0], N: 1000})
	shards = append(shards, exact.NewShard())
	rt.Register(&rt.Package{Path: "example.com/q", Table: "tableQ", Counters: &q[0], N: 1})
	shards = append(shards, exact.NewShard())

	for i, shard := range shards {
		if i > 0 && shard == 0 {
			t.Fatal("no shard")
		}
		for _, c := range []*rt.U{&p[rt.Pad], &p[rt.Pad+999], &q[rt.Pad]} {
			*(*rt.U)(unsafe.Add(unsafe.Pointer(c), shard)) += 1 << (8 * i)
		}
	}
	run := rttest.ReadDir(t, dir)
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
