//go:build !(linux && (amd64 || arm64 || riscv64)) && !darwin && !(windows && !386)

package runfile

import (
	"unsafe"

	"github.com/goprofinstr/goprofinstr/rt/sys"
)

// streamRecord is what the exit hook writes; nil if no events are sampled.
var streamRecord []U

// streamHeader is the beginning of streamRecord.
//
//go:norace
func streamHeader() *StreamRecord { return (*StreamRecord)(unsafe.Pointer(&streamRecord[0])) }

// streamStrata are the strata.
var streamStrata *U

// OpenStream makes the stream record.
//
//go:norace
func OpenStream(spec string, rate, bits U, strata *U) {
	record := newStreamRecord(MinPage, sys.RoundUp(4<<bits, MinPage), rate, bits, U(uintptr(unsafe.Pointer(strata))), spec)
	streamRecord = make([]U, record.Size/8)
	streamStrata = strata
	*streamHeader() = record
	sys.PutText(unsafe.Pointer(&streamRecord[streamHead/8]), spec)
	streamRecord[record.Region/8-1] = record.Address
}

// finishStream returns the stream record, with the strata as they are.
//
//go:norace
func finishStream() [][]U {
	if streamRecord == nil {
		return nil
	}
	region := streamRecord[streamHeader().Region/8:]
	for i := range region { // each word has two strata, the first in its lower half
		two := (*[2]uint32)(unsafe.Pointer(sys.Word(streamStrata, U(i))))
		region[i] = U(two[0]) | U(two[1])<<32
	}
	return [][]U{streamRecord}
}

// NoteHeld notes how many events no message stands for.
//
//go:norace
func NoteHeld(n U) {
	if streamRecord != nil {
		streamHeader().Held, streamHeader().HeldKnown = n, 1
	}
}
