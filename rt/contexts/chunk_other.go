//go:build goprofinstr_std && goprofinstr_sampler && !(linux && (amd64 || arm64 || riscv64)) && !darwin && !(windows && !386)

package contexts

import (
	"runtime"
	"unsafe"

	"github.com/goprofinstr/goprofinstr/rt/runfile"
	"github.com/goprofinstr/goprofinstr/sampler/pcct"
)

// newContexts makes a new context record and returns its address, or 0. It has all but the number of its chunk.
//
//go:norace
func newContexts(chunk U) uintptr {
	const size = pcct.ChunkWords * 8
	if !runfile.Recording() {
		return 0
	}
	record := (*runfile.ContextRecord)(runtime.GoprofinstrMemory(size))
	if record == nil {
		return 0
	}
	record.Kind, record.Size, record.RegionSize = runfile.KindContexts, size, size
	record.Chunk = chunk
	record.Publish()
	runfile.KeepContexts(chunk, record)
	return uintptr(unsafe.Pointer(record))
}
