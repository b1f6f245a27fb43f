//go:build goprofinstr_std && goprofinstr_sampler && ((linux && (amd64 || arm64 || riscv64)) || darwin || (windows && !386))

package contexts

import (
	"unsafe"

	"github.com/goprofinstr/goprofinstr/rt/runfile"
	"github.com/goprofinstr/goprofinstr/sampler/pcct"
)

// newContexts makes a new context record and returns its address, or 0. Ticks ask for one as long as there is none. So it is a
// chunk, which is not tried again on a full disk: each try leaves a gap in the file, which those who read it have to get over.
//
//go:norace
func newContexts(chunk U) uintptr {
	const size = pcct.ChunkWords * 8
	head := runfile.NewChunk(runfile.KindContexts, size)
	if head == nil {
		return 0
	}
	record := (*runfile.ContextRecord)(unsafe.Pointer(head))
	record.RegionSize = size // all of it
	record.Chunk = chunk
	record.Publish()
	return uintptr(unsafe.Pointer(record))
}
