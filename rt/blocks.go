//go:build linux && (amd64 || arm64 || riscv64)

package rt

import "unsafe"

// A block is a copy of all counters of the program in which one goroutine
// counts at a time, with plain increments. It is a record of the run file, mapped
// as a whole, so that what its counters have is kept like that of others;
// the reader adds them up. A block spans the part of the program's data in which the counter
// arrays lie, so a counter is at the same distance from its block's in every
// package. What is not a counter there is a hole in the file.

var blocks struct {
	lo, hi U              // addresses of the program's data that a block spans, whole pages; hi is 0 when there are none
	list   unsafe.Pointer // header page of the block made last
	arrays unsafe.Pointer // *array, the one registered last
	failed U              // 1 when one could not be made: it is not tried again
}

// An array is the whole pages of a package's counters.
type array struct {
	lo, hi U
	next   unsafe.Pointer // *array
}

// newBlock returns the distance of a new block from the program's data, or 0. It is called by the
// scheduler, where nothing may block or wait for a goroutine.
//
//go:norace
func newBlock() uintptr {
	if loadp(&run.head) == nil || load64(&blocks.failed) != 0 {
		return 0
	}
	size := page + blocks.hi - blocks.lo
	off, err := reserveEnds(size)
	var b unsafe.Pointer
	if err == 0 {
		b, err = mmap(0, size, run.fd, off)
	}
	if err != 0 {
		store64(&blocks.failed, 1)
		lose()
		tellIncomplete("making counters for a thread in", err.text())
		return 0
	}
	block := (*U)(b)
	*Word(block, RecKind) = KindBlock
	*Word(block, RecSize) = size
	*Word(block, RecRegion) = page
	*Word(block, RecRegionSize) = size - page
	*Word(block, BlkAddress) = blocks.lo
	*Word(block, BlkOffset) = off
	hang(block)
	for a := (*array)(loadp(&blocks.arrays)); a != nil; a = (*array)(a.next) {
		a.reserveIn(block)
	}
	store64(Word(block, RecMagic), RecordMagic)
	return uintptr(b) + uintptr(page) - uintptr(blocks.lo)
}

// hang puts a block into the list. Of a block and an array that are new at the same time, one sees the other.
//
//go:norace
func hang(block *U) {
	for {
		next := loadp(&blocks.list)
		*Word(block, BlkNext) = U(uintptr(next))
		if casp(&blocks.list, next, unsafe.Pointer(block)) {
			return
		}
	}
}

// reserveInBlocks reserves the space for the counters from lo to hi, which have not counted yet, in all blocks there are. Threads that have a block count in it
// after the run has been abandoned, too: then these counters are in no file.
//
//go:norace
func reserveInBlocks(lo, hi U) {
	if blocks.hi == 0 || lo >= hi {
		return
	}
	a := &array{lo, hi, loadp(&blocks.arrays)}
	casp(&blocks.arrays, a.next, unsafe.Pointer(a)) // packages are initialised one after the other
	for b := loadp(&blocks.list); b != nil; b = *(*unsafe.Pointer)(unsafe.Pointer(Word((*U)(b), BlkNext))) {
		a.reserveIn((*U)(b))
	}
}

// reserveIn reserves a's space in a block. What there is none for is counted outside of the file, and lost: a hole of the file, if it were written to when
// the disk is full, would kill the process with SIGBUS. Nothing is reserved for a run that has been abandoned.
//
//go:norace
func (a *array) reserveIn(block *U) {
	at := page + a.lo - blocks.lo
	if loadp(&run.head) != nil {
		err := allocate(*Word(block, BlkOffset)+at, a.hi-a.lo)
		if err == 0 {
			return
		}
		lose()
		tellIncomplete("making counters for a thread in", err.text())
	}
	mmapNothing(uintptr(unsafe.Pointer(block))+uintptr(at), a.hi-a.lo)
}
