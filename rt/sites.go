//go:build goprofinstr_std && goprofinstr_sampler && linux && amd64

package rt

// What is known of each site, besides of the paths that end there: how often it ran, and what the compiler has made it a copy of. So loops in the source are
// found again in the binary, as AUDIT section 8 proposes of markers.

// mostResolved is how many sites that were never sampled are looked up when the program exits: some milliseconds. The rest have addresses only.
const mostResolved = 4096

var sites struct {
	list    *U   // in the run file; nil if there is none
	pending [8]U // numbers of sites that have been sampled and not been looked up, which takes a microsecond each
	n       int  // of these
}

// startSites writes the sites to the run file.
//
//go:norace
func startSites() {
	n := U(native.n)
	record := newSites(n)
	if record == nil {
		return // and of the profile nothing else is amiss
	}
	list := Word(record, SitWords)
	for i := range n {
		site := Word(list, i*SiteWords)
		*Word(site, SiteAddress) = U(*(*uint32)(pointer(native.sites + uintptr(i)*4)))
		*Word(site, SiteAt) = U(*(*uint32)(pointer(native.sites + uintptr(n+i)*4)))
	}
	store64(Word(record, RecMagic), RecordMagic)
	sites.list = list
}

// split returns where the estimate is, and the number of the site.
//
//go:norace
func (e *ended) split() (at uintptr, site U) {
	switch {
	case native.sites == 0:
		return e.at, 0
	case e.at&isHash != 0:
		return e.at & (1<<32 - 1), U(e.at >> 32)
	}
	return e.at, e.path
}

// countSite adds a sample to the site that it is from.
//
//go:norace
func countSite(e *ended, weight U) {
	at, number := e.split()
	s := &sites
	if s.list == nil || number >= U(native.n) {
		return
	}
	site := Word(s.list, number*SiteWords)
	*Word(site, SiteEstimate) += weight
	*Word(site, SiteSamples)++
	path := U(at)
	if at&isHash != 0 {
		path = e.path
	}
	*Word(site, SitePath) = path
	if *Word(site, SiteLocation) == 0 && s.n < len(s.pending) {
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

// resolveSites looks up what has been sampled, and other sites as long as that does not take long: the process is about to exit.
//
//go:norace
func resolveSites() {
	if sites.list == nil {
		return
	}
	others := mostResolved
	for i := range U(native.n) {
		if *Word(sites.list, i*SiteWords+SiteSamples) == 0 {
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
	site := Word(sites.list, number*SiteWords)
	if *Word(site, SiteLocation) != 0 {
		return
	}
	feed()
	*Word(site, SiteLocation) = U(resolve(*Word(site, SiteAddress)))
}
