//go:build goprofinstr_std && goprofinstr_sampler && linux && amd64 && !goprofinstr_basic

package native

import (
	"unsafe"

	"github.com/goprofinstr/goprofinstr/rt/contexts"
	"github.com/goprofinstr/goprofinstr/rt/runfile"
	"github.com/goprofinstr/goprofinstr/rt/sys"
)

// Besides the paths that end there, two things are known of each site: how often it ran, and the marker it is a copy of. So
// loops in the source are found again in the binary, as AUDIT section 8 proposes of markers.

// mostResolved is how many sites at which no path ended are looked up when the program exits: some milliseconds. The rest
// have addresses only.
const mostResolved = 4096

var sites struct {
	list    *runfile.Site // first of them, in the run file; nil if there is none
	pending [8]U          // numbers of sites that have been sampled and not been looked up, which takes a microsecond each
	n       int           // of these
}

// startSites writes the sites to the run file.
//
//go:norace
func startSites() {
	n := U(native.n)
	const before, each = U(unsafe.Sizeof(runfile.SiteRecord{})), U(unsafe.Sizeof(runfile.Site{}))
	head, _ := runfile.NewRecord(runfile.KindSites, sys.RoundUp(before+n*each, runfile.Page))
	if head == nil {
		return // and of the profile nothing else is amiss
	}
	record := (*runfile.SiteRecord)(unsafe.Pointer(head))
	record.Region, record.RegionSize = before, n*each
	record.Number = n
	list := (*runfile.Site)(unsafe.Add(unsafe.Pointer(record), before))
	for i := range n {
		site := siteOf(list, i)
		site.Address = U(*(*uint32)(sys.Pointer(native.sites + uintptr(i)*4)))
		site.At = U(*(*uint32)(sys.Pointer(native.sites + uintptr(n+i)*4)))
	}
	record.Publish()
	sites.list = list
}

// siteOf returns the site of a number in a list.
//
//go:norace
func siteOf(list *runfile.Site, number U) *runfile.Site {
	return (*runfile.Site)(unsafe.Add(unsafe.Pointer(list), number*U(unsafe.Sizeof(runfile.Site{}))))
}

// split returns where the estimate is, and the number of the site.
//
//go:norace
func (e *ended) split() (at uintptr, site U) {
	if e.at&isHash != 0 {
		return e.at & (1<<32 - 1), U(e.at >> 32)
	}
	return e.at, e.path
}

// noteSite adds path ends to the site that they are from, and a number of samples.
//
//go:norace
func noteSite(e *ended, weight, samples U) {
	at, number := e.split()
	s := &sites
	if s.list == nil || number >= U(native.n) {
		return
	}
	site := siteOf(s.list, number)
	site.Estimate += weight
	site.Samples += samples
	path := U(at)
	if at&isHash != 0 {
		path = e.path
	}
	site.Path = path
	if site.Location == 0 && s.n < len(s.pending) {
		s.pending[s.n] = number
		s.n++
	}
}

// resolvePending looks some sites up, in signal handlers.
//
//go:norace
func resolvePending() {
	for _, number := range sites.pending[:sites.n] {
		resolveSite(number)
	}
	sites.n = 0
}

// ResolveSites looks up what has been sampled, and other sites as long as that does not take long: the process is about to exit.
//
//go:norace
func ResolveSites() {
	if sites.list == nil {
		return
	}
	others := mostResolved
	for i := range U(native.n) {
		if siteOf(sites.list, i).Estimate == 0 {
			if others == 0 {
				continue
			}
			others--
		}
		resolveSite(i)
	}
}

//go:norace
func resolveSite(number U) {
	site := siteOf(sites.list, number)
	if site.Location != 0 {
		return
	}
	site.Location = U(contexts.Location(site.Address))
}
