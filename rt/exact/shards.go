//go:build linux && (amd64 || arm64 || riscv64)

package exact

import (
	"unsafe"

	"github.com/goprofinstr/goprofinstr/rt/runfile"
	"github.com/goprofinstr/goprofinstr/rt/sys"
)

// A shard is a copy of all counters of the program in which one goroutine
// counts at a time, with plain increments. It is a record of the run file, mapped as a
// whole, so that what its counters have is kept like that of others. The reader adds them
// up. A shard spans the part of the program's data in which the counter arrays lie. So a
// counter is at the same distance from its shard's in every package. What is not a counter
// there is a hole in the file.

var shards struct {
	lo, hi U              // addresses of the program's data that a shard spans, whole pages; hi is 0 when there are none
	list   unsafe.Pointer // *runfile.ShardRecord, of the shard made last
	arrays unsafe.Pointer // *array, the one registered last
	latest *array         // the same: CASP alone would not tell a garbage collection that is under way of it
	failed U              // 1 when one could not be made: it is not tried again
}

// spanShards has shards for the part of the program's data from lo to hi.
//
//go:norace
func spanShards(lo, hi uintptr) {
	shards.lo, shards.hi = U(lo)&^(runfile.Page-1), sys.RoundUp(U(hi), runfile.Page)
	runfile.ShardsReserve = reserveSpan
}

// An array is the whole pages of a package's counters.
type array struct {
	lo, hi U
	next   unsafe.Pointer // *array
}

// newShard returns the distance of a new shard from the program's data, or 0. It is called by the
// scheduler, where nothing may block or wait for a goroutine.
//
//go:norace
func newShard() uintptr {
	if !runfile.Recording() || sys.Load64(&shards.failed) != 0 {
		return 0
	}
	size := runfile.Page + shards.hi - shards.lo
	record, off, err := runfile.NewSparse(runfile.KindShard, size)
	if err != 0 {
		sys.Store64(&shards.failed, 1)
		runfile.Lose()
		runfile.TellIncomplete("making counters for a thread in", err.Text())
		return 0
	}
	shard := (*runfile.ShardRecord)(unsafe.Pointer(record))
	shard.Region, shard.RegionSize = runfile.Page, size-runfile.Page
	shard.Address, shard.Offset = shards.lo, off
	hang(shard)
	for a := (*array)(sys.LoadP(&shards.arrays)); a != nil; a = (*array)(a.next) {
		a.reserveIn(shard)
	}
	shard.Publish()
	return uintptr(unsafe.Pointer(shard)) + uintptr(runfile.Page) - uintptr(shards.lo)
}

// hang puts a shard into the list. Of a shard and an array that are new at the same time, one sees the other.
//
//go:norace
func hang(shard *runfile.ShardRecord) {
	for {
		next := sys.LoadP(&shards.list)
		shard.Next = U(uintptr(next))
		if sys.CASP(&shards.list, next, unsafe.Pointer(shard)) {
			return
		}
	}
}

// reserveSpan reserves the space for the counters from lo to hi, which have not counted yet, in all shards there are.
// Threads that have a shard count in it after the run has been abandoned, too: then these counters are in no file.
//
//go:norace
func reserveSpan(lo, hi U) {
	if shards.hi == 0 || lo >= hi {
		return
	}
	a := &array{lo, hi, sys.LoadP(&shards.arrays)}
	shards.latest = a
	sys.CASP(&shards.arrays, a.next, unsafe.Pointer(a)) // packages are initialised one after the other
	for s := (*runfile.ShardRecord)(sys.LoadP(&shards.list)); s != nil; {
		a.reserveIn(s)
		s = (*runfile.ShardRecord)(sys.Pointer(uintptr(s.Next)))
	}
}

// reserveIn reserves a's space in a shard. What there is none for is counted outside of the file, and lost. A hole of the file,
// if it were written to when the disk is full, would kill the process with SIGBUS. Nothing is reserved for a run that has been
// abandoned.
//
//go:norace
func (a *array) reserveIn(shard *runfile.ShardRecord) {
	at := runfile.Page + a.lo - shards.lo
	if runfile.Recording() {
		err := runfile.Allocate(shard.Offset+at, a.hi-a.lo)
		if err == 0 {
			return
		}
		runfile.Lose()
		runfile.TellIncomplete("making counters for a thread in", err.Text())
	}
	sys.MmapNothing(uintptr(unsafe.Pointer(shard))+uintptr(at), a.hi-a.lo)
}
