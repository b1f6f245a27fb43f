package sampler

// Which path ends are looked at with their stack, and how many executions each look stands for. A stack takes some
// microseconds, so there are few looks, and what ends most often would have them all. So sites are strata. Looks that
// begin together are at different sites, and a look stands for the executions at its site since the last look there.
// How many looks a site has does not matter then, as long as they are at any of its path ends.

// A Look is a path end that was looked at.
type Look struct {
	Path uint64 // in its context; the caller's own
	Site uint64
}

const (
	// MostLooks is how many path ends are looked at of those that begin together.
	MostLooks = 4
	// mostWaiting is how many looks can be waiting for an estimate of what they stand for. Windows that tell it are one
	// in two if there are sites of both levels.
	mostWaiting = 64
)

// Looks are those that have not been weighed yet.
type Looks struct {
	list  [mostWaiting]Look
	n     int
	begun int // those that were there when looks began
	kept  int // of those that are being weighed
}

// Begin begins some looks.
//
//go:norace
func (l *Looks) Begin() { l.begun = l.n }

// Wants reports whether there is to be a look at a site: none that began with it is there.
//
//go:norace
func (l *Looks) Wants(site uint64) bool {
	for i := l.begun; i < l.n; i++ {
		if l.list[i].Site == site {
			return false
		}
	}
	return l.n-l.begun < MostLooks && l.n < mostWaiting
}

// Add adds a look at a site that Wants wants.
//
//go:norace
func (l *Looks) Add(look Look) {
	l.list[l.n] = look
	l.n++
}

// Len returns how many looks there are.
//
//go:norace
func (l *Looks) Len() int { return l.n }

// At returns look i.
//
//go:norace
func (l *Looks) At(i int) Look { return l.list[i] }

// Weigh returns for how many executions look i stands, of those at its site for which no look stands yet. It has to be
// called for all looks in turn, and then Weighed. The result is 0 if there are no such executions and the look waits for
// some. It waits only if wait allows it, and not if many looks are waiting.
//
//go:norace
func (l *Looks) Weigh(i int, executions uint64, wait bool) (weight uint64) {
	same := uint64(0) // looks at the site from i on
	for k := i; k < l.n; k++ {
		if l.list[k].Site == l.list[i].Site {
			same++
		}
	}
	weight = executions / same
	if weight > 0 {
		return weight
	}
	if !wait || l.n >= mostWaiting-2*MostLooks {
		return 1 // there must be room for others
	}
	l.list[l.kept] = l.list[i]
	l.kept++
	return 0
}

// Weighed leaves the looks that wait.
//
//go:norace
func (l *Looks) Weighed() {
	l.n, l.begun, l.kept = l.kept, l.kept, 0
}
