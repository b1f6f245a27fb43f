//go:build goprofinstr_std && goprofinstr_copies && linux && (amd64 || arm64) && !goprofinstr_basic

package copies

import (
	"unsafe"

	"github.com/goprofinstr/goprofinstr/rt/pathlog"
	"github.com/goprofinstr/goprofinstr/rt/runfile"
	"github.com/goprofinstr/goprofinstr/rt/sys"
	"github.com/goprofinstr/goprofinstr/rt/tick"
)

// UsePackage has the functions of a package be sampled. Their words in the run file say so, or why nothing can count them. It
// returns 0.
//
//go:norace
//go:noinline
func UsePackage(p *Package) U {
	if tick.Sampling.Record == nil || p.N == 0 {
		return 0
	}
	if image.Code == 0 {
		tellNoImage()
		return 0
	}
	const before = U(unsafe.Sizeof(runfile.FunctionRecord{}))
	head, _ := runfile.NewRecord(runfile.KindFunctions, sys.RoundUp(before+p.N*8, runfile.Page))
	if head == nil {
		runfile.Lose() // all of their path ends, or they would seem to have none
		return 0
	}
	record := (*runfile.FunctionRecord)(unsafe.Pointer(head))
	record.Region, record.RegionSize, record.Number = before, p.N*8, p.N
	p.Words = (*U)(unsafe.Add(unsafe.Pointer(record), before))
	for i := range p.N {
		*sys.Word(p.Words, i) = p.place(i)
	}
	p.useCold()
	for _, u := range program.uncounted {
		if u.Package == U(uintptr(unsafe.Pointer(p))) && U(u.Function) < p.N {
			i := U(u.Function)
			*sys.Word(p.Words, i) = p.place(i) | runfile.SiteUncounted | U(u.Reason)%NumReasons<<runfile.SiteReason
		}
	}
	record.Publish()
	return 0
}

// place returns where a function has its pairs, or the address of its Hash with the bit that says so.
//
//go:norace
func (p *Package) place(i U) U {
	f := (*Function)(unsafe.Add(unsafe.Pointer(p.Functions), uintptr(i)*unsafe.Sizeof(Function{})))
	if f.Paths == 0 {
		return U(uintptr(unsafe.Pointer(p.Hashes))) + U(f.Hash)*runfile.HashSize | pathlog.IsHash
	}
	return U(uintptr(unsafe.Pointer(p.Counters))) + f.First*pairSize
}

var toldNoImage bool

// tellNoImage tells the user, once, that there is nothing to be sampled with.
func tellNoImage() {
	if !toldNoImage {
		sys.Warn(noCopies("the linker was not run by goprofinstr wrap, which says so where it has made none"))
	}
	toldNoImage = true
}
