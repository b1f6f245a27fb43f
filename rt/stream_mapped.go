//go:build linux && (amd64 || arm64 || riscv64)

package rt

import "unsafe"

// openStream writes the stream record, and moves the strata into it.
//
//go:norace
func openStream(spec string, rate, bits U) {
	if loadp(&run.head) == nil {
		return // and no thread has a block yet
	}
	base := U(uintptr(unsafe.Pointer(&strata)))
	lo, hi := roundUp(base, page), roundUp(base+Pad*8+4<<bits, page)
	if what, err := writeStream(spec, rate, bits, lo, hi); err != 0 {
		abandonRun(what, err)
		reserveInBlocks(lo, hi)
	}
}

// writeStream writes the record of strata that lie from lo to hi.
//
//go:norace
func writeStream(spec string, rate, bits, lo, hi U) (what string, err errno) {
	words := streamWords(page, hi-lo, rate, bits, spec)
	off, err := reserve(words[RecSize])
	if err != 0 {
		return "reserving space in", err
	}
	region := off + words[RecRegion]
	if err = pwriteString(run.fd, spec, off+StrWords*8); err == 0 {
		err = pwrite(run.fd, unsafe.Pointer(&lo), 8, region-8)
	}
	if err != 0 {
		return "writing a run file in", err
	}
	reserveInBlocks(lo, hi)
	if _, err = mmap(uintptr(lo), hi-lo, run.fd, region); err != 0 {
		return "mapping a run file in", err
	}
	if err = pwrite(run.fd, unsafe.Pointer(&words), StrWords*8, off); err != 0 {
		return "writing a run file in", err
	}
	streamRecord = off
	return "", 0
}

// streamRecord is where in the run file the stream record is.
var streamRecord U

// noteHeld notes how many events no message stands for.
//
//go:norace
func noteHeld(n U) {
	known := U(1)
	if id, err := identify(run.fd); streamRecord == 0 || err != 0 || id != run.id { // closed by the program
		return
	}
	pwrite(run.fd, unsafe.Pointer(&n), 8, streamRecord+StrHeld*8)
	pwrite(run.fd, unsafe.Pointer(&known), 8, streamRecord+StrHeldKnown*8)
}
