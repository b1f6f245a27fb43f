//go:build !linux || !(amd64 || arm64 || riscv64)

package rt

import "unsafe"

// streamRecord is what the exit hook writes; nil if no events are sampled.
var streamRecord []U

// openStream makes the stream record.
//
//go:norace
func openStream(spec string, rate, bits U) {
	words := streamWords(MinPage, roundUp(4<<bits, MinPage), rate, bits, spec)
	streamRecord = make([]U, words[RecSize]/8)
	copy(streamRecord, words[:])
	copy(unsafe.Slice((*byte)(unsafe.Pointer(&streamRecord[StrWords])), len(spec)), spec)
	streamRecord[words[RecRegion]/8-1] = words[StrAddress]
}

// finishStream returns the stream record, with the strata as they are.
//
//go:norace
func finishStream() [][]U {
	if streamRecord == nil {
		return nil
	}
	region := streamRecord[streamRecord[RecRegion]/8:]
	copy(region, unsafe.Slice((*U)(stratum(0)), len(region)))
	return [][]U{streamRecord}
}

// noteHeld notes how many events no message stands for.
//
//go:norace
func noteHeld(n U) {
	if streamRecord != nil {
		streamRecord[StrHeld], streamRecord[StrHeldKnown] = n, 1
	}
}
