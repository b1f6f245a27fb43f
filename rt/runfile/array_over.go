//go:build (linux && (amd64 || arm64 || riscv64)) || darwin

package runfile

import "github.com/goprofinstr/goprofinstr/rt/sys"

// Here the counters are in the run file while they count. Pages of the file are
// mapped over the pages of a counter array: an increment of the array is an
// increment of the file. Whatever ends the process (return from main, os.Exit, a
// panic, a deadlock, SIGKILL), the counts are there, with no exit hook, goroutine
// or signal.

// arrayOf returns the pages of the words that begin at an address, and that have padding on both sides.
//
//go:norace
func arrayOf(address, size U) array {
	lo := sys.RoundUp(address-sys.Pad*8, Page)
	hi := (address + size + sys.Pad*8) &^ (Page - 1)
	return array{lo, hi - lo, hi - lo, address - lo}
}

// keepAt has the array be the part of the run file that begins at an offset, which has what it has counted by then.
//
//go:norace
func (a array) keepAt(off U) sys.Errno {
	_, err := mmap(uintptr(a.lo), a.size, run.fd, off)
	return err
}

// startCopying has nothing to do: what is counted is in the file.
func startCopying() {}
