//go:build goprofinstr_std && goprofinstr_sampler && ((linux && (amd64 || arm64 || riscv64)) || darwin || (windows && !386))

package contexts

import (
	"unsafe"

	"github.com/goprofinstr/goprofinstr/rt/runfile"
	"github.com/goprofinstr/goprofinstr/sampler/pcct"
)

// newContexts makes a new context record and returns its address, or 0.
//
//go:norace
func newContexts(chunk U) uintptr {
	const size = pcct.ChunkWords * 8
	head, _ := runfile.NewRecord(runfile.KindContexts, size)
	if head == nil {
		return 0
	}
	record := (*runfile.ContextRecord)(unsafe.Pointer(head))
	record.RegionSize = size // all of it
	record.Chunk = chunk
	record.Publish()
	return uintptr(unsafe.Pointer(record))
}
