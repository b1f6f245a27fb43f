//go:build (linux && (amd64 || arm64 || riscv64)) || darwin || (windows && !386)

package runfile

import (
	"unsafe"

	"github.com/goprofinstr/goprofinstr/rt/sys"
)

// OpenStream writes the stream record of 2^bits strata, and moves these into it: the words of an array behind its padding.
//
//go:norace
func OpenStream(spec string, rate, bits U, strata *U) {
	if !Recording() {
		return // and no thread has a shard yet
	}
	address := U(uintptr(unsafe.Pointer(strata))) + sys.Pad*8
	a := arrayOf(address, 4<<bits)
	if what, err := writeStream(spec, rate, bits, a, address); err != 0 {
		abandonRun(what, err)
		reserveInShards(a.lo, a.lo+a.size)
	}
}

// writeStream writes the record of strata that lie in an array.
//
//go:norace
func writeStream(spec string, rate, bits U, a array, address U) (what string, err sys.Errno) {
	record := newStreamRecord(Page, a.size, rate, bits, address, spec)
	off, err := reserve(record.Size)
	if err != 0 {
		return "reserving space in", err
	}
	region := off + record.Region
	if err = sys.PwriteString(run.fd, spec, off+streamHead); err == 0 {
		err = sys.Pwrite(run.fd, unsafe.Pointer(&a.lo), 8, region-8)
	}
	if err != 0 {
		return "writing a run file in", err
	}
	reserveInShards(a.lo, a.lo+a.size)
	if err = a.keepAt(region); err != 0 {
		return "mapping a run file in", err
	}
	if err = writeHead(unsafe.Pointer(&record), streamHead, off); err != 0 {
		return "writing a run file in", err
	}
	streamRecord = off
	return "", 0
}

// streamRecord is where in the run file the stream record is.
var streamRecord U

// NoteHeld notes how many events no message stands for.
//
//go:norace
func NoteHeld(n U) {
	known := U(1)
	if id, err := sys.Identify(run.fd); streamRecord == 0 || err != 0 || id != run.id { // closed by the program
		return
	}
	sys.Pwrite(run.fd, unsafe.Pointer(&n), 8, streamRecord+U(unsafe.Offsetof(StreamRecord{}.Held)))
	sys.Pwrite(run.fd, unsafe.Pointer(&known), 8, streamRecord+U(unsafe.Offsetof(StreamRecord{}.HeldKnown)))
}
