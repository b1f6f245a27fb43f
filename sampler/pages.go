package sampler

// Which pages of a program's text have their sites armed. To arm a site is a store, but its page has to be made writable, and tens of thousands of sites are
// hundreds of pages. So what ticks arm are the pages where path ends have been seen of late, the active ones; and now and then, at a full tick, all. What a full
// tick finds in pages that were not active stands for all ticks since the last full one.

// A Page is a page of the program's text with sites in it. The list of pages, by address, is memory of the caller's.
type Page struct {
	Address     uintptr
	First, Next uint32 // sites
	Idle        uint8  // full ticks since there was a path end, up to Inactive
	Armed       bool
	Spare       bool // was inactive when it was armed
}

const (
	// Inactive is after how many full ticks without a path end a page is not active any more.
	Inactive = 4
	// often is how often ticks are full, if not all are: the first ones, and then one in so many.
	often = 8
	// fewPages is with how many pages all ticks are full.
	fewPages = 64
)

// Pages is what is to be known of ticks. The zero value is ready.
type Pages struct {
	ticks uint64 // since the last full one
	total uint64 // all
	full  bool
	since uint64 // how many ticks a full one stands for
}

// Choose decides on what the next tick arms.
//
//go:norace
func (p *Pages) Choose(list []Page) {
	p.ticks++
	p.total++
	p.full = len(list) <= fewPages || p.total <= often || p.ticks >= often
	if p.full {
		p.since, p.ticks = p.ticks, 0
	}
}

// Arm says of each page whether it is to be armed.
//
//go:norace
func (p *Pages) Arm(list []Page) {
	for i := range list {
		t := &list[i]
		t.Armed = p.full || t.Idle < Inactive
		t.Spare = t.Idle >= Inactive
	}
}

// PageOf returns the page that has a site.
//
//go:norace
func PageOf(list []Page, site uint64) *Page {
	low, high := 0, len(list)-1
	for low < high {
		middle := (low + high) / 2
		if uint64(list[middle].Next) <= site {
			low = middle + 1
		} else {
			high = middle
		}
	}
	return &list[low]
}

// Weighs tells that not all ticks are alike: Share, Seen and Age are for then.
//
//go:norace
func (p *Pages) Weighs(list []Page) bool { return len(list) > fewPages }

// Share returns how many ticks' path ends one at a site stands for.
//
//go:norace
func (p *Pages) Share(list []Page, site uint64) uint64 {
	if !p.Weighs(list) || !p.full || !PageOf(list, site).Spare {
		return 1
	}
	return p.since
}

// Seen notes that a path has ended at a site.
//
//go:norace
func (p *Pages) Seen(list []Page, site uint64) { PageOf(list, site).Idle = 0 }

// Age has pages grow older at a full tick.
//
//go:norace
func (p *Pages) Age(list []Page) {
	if !p.Weighs(list) || !p.full {
		return
	}
	for i := range list {
		if t := &list[i]; t.Idle < Inactive {
			t.Idle++
		}
	}
}
