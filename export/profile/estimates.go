package profile

import (
	"math"
	"slices"

	"github.com/goprofinstr/goprofinstr/export/profile/internal/balance"
	"github.com/goprofinstr/goprofinstr/export/profile/internal/windows"
	"github.com/goprofinstr/goprofinstr/rt/rundata"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// A windowed count is what windows say of a path: how often it was executed and not counted.
type windowed struct {
	total      float64
	selections []float64 // what it might have been: see package windows
}

// addWindows returns the packages of a run with estimates and samples in place of executions, and notes what windows say.
func (b *builder) addWindows(run *rundata.Run) ([]*rundata.Package, error) {
	copies := slices.ContainsFunc(run.Packages, func(p *rundata.Package) bool {
		t, err := b.table(p)
		return err == nil && t.Unknown
	})
	pkgs, paths, err := windows.Fill(run, func(p *rundata.Package) bool {
		t, err := b.table(p)
		return err == nil && t.Counts == table.Ticks
	}, copies)
	for i := range paths {
		b.addWindowed(&paths[i])
	}
	return pkgs, err
}

// addWindowed adds what windows say of a path.
func (b *builder) addWindowed(e *windows.Path) {
	key := pathKey{e.Package.Path, e.Hash, e.Number}
	m := b.windowed[key]
	if m == nil {
		m = &windowed{selections: make([]float64, len(e.Selections))}
		b.windowed[key] = m
	}
	m.total += e.Total
	for k, s := range e.Selections {
		m.selections[k] += s
	}
}

// balance has the estimates of paths agree with the flow through f, and with the paths that were counted.
func (f *Function) balance(known map[pathKey]*windowed) {
	var estimates, samples float64
	sampled := make([]bool, len(f.Table.Edges)) // paths have ended with the edge at a sampled site
	for i := range f.Paths {
		p := &f.Paths[i]
		if w := known[f.pathKey(p)]; w != nil {
			estimates, samples = estimates+w.total, samples+float64(p.Samples)
			sampled[p.last()] = true
		}
	}
	if samples == 0 {
		return
	}
	weight := estimates / samples
	places := newPlaces(f)
	list := make([]balance.Path, len(f.Paths))
	for i := range f.Paths {
		p := &f.Paths[i]
		w := known[f.pathKey(p)]
		exact := float64(p.Count)
		if w != nil {
			exact = math.Max(0, math.Round(exact-w.total))
		}
		list[i] = balance.Path{From: places.from(p), To: places.to(p), Exact: exact, Counts: w.counts(exact)}
		if sampled[p.last()] { // and if it has no sample, it may be for want of luck
			list[i].Variance = math.Max(windows.Design.Variance(list[i].Counts[0], list[i].Counts[1:]), weight*weight)
		}
	}
	balance.Balance(list, len(places.header)+1)
	for i := range f.Paths {
		if p := &f.Paths[i]; sampled[p.last()] {
			p.Count = max(1, int64(math.Round(list[i].Counts[0])))
			p.Exact, p.Selections = int64(list[i].Exact), list[i].Counts[1:]
		}
	}
}

// last returns the edge that a path ends with.
func (p *Path) last() int { return p.Edges[len(p.Edges)-1] }

// pathKey returns what names a path of f.
func (f *Function) pathKey(p *Path) pathKey {
	if f.inHash() {
		return pathKey{f.Package, f.Table.Hash, p.ID}
	}
	return pathKey{f.Package, -1, f.Table.First + p.ID}
}

// places numbers where paths begin and end: outside of the function is 0, then there are the headers of its loops.
type places struct {
	f      *Function
	header map[int]int // by block
}

func newPlaces(f *Function) *places {
	p := &places{f, make(map[int]int)}
	for _, e := range f.Table.Edges {
		if _, ok := p.header[e.To]; e.Back && !ok {
			p.header[e.To] = len(p.header) + 1
		}
	}
	return p
}

func (ps *places) from(p *Path) int {
	if p.Loop {
		return ps.header[p.Start]
	}
	return 0
}

func (ps *places) to(p *Path) int {
	if ps.f.EndsInLoop(p) {
		return ps.header[ps.f.Table.Edges[p.last()].To]
	}
	return 0
}

// counts returns estimates of the executions, of which some were counted: what windows say, and then what they might
// have said. w may be nil.
func (w *windowed) counts(exact float64) []float64 {
	list := slices.Repeat([]float64{exact}, 1+len(windows.Design.Weights))
	if w == nil {
		return list
	}
	list[0] += w.total
	for i, s := range w.selections {
		list[1+i] += s
	}
	return list
}

// Counted returns how many of the executions of p were counted. It is for functions that are Counted.
func (p *Path) Counted() int64 {
	if p.Selections == nil {
		return p.Count
	}
	return p.Exact
}

// Interval returns between which numbers the executions of p are, 95 of 100 times. They are Count if it was counted.
func (p *Path) Interval() (low, high int64) {
	if p.Selections == nil {
		return p.Count, p.Count
	}
	return countInterval(p.Count, p.Exact, p.Selections)
}

// Off returns how far off all estimates of p may be together: the standard deviation of a logarithm, 0 if nothing is known.
// That is the clock of windows. Samples do not tell of it, and it does not become less where runs are added up.
func (p *Profile) Off() float64 {
	c := newClock()
	for _, f := range p.Functions() {
		c.add(f)
	}
	return c.off()
}

// A clock adds up what windows say of paths.
type clock struct {
	total      float64
	selections []float64
}

func newClock() *clock { return &clock{selections: make([]float64, len(windows.Design.Weights))} }

// add adds the estimates of a function.
func (c *clock) add(f *Function) {
	for i := range f.Paths {
		p := &f.Paths[i]
		if p.Selections == nil {
			continue
		}
		c.total += float64(p.Count - p.Exact)
		for k, s := range p.Selections {
			c.selections[k] += s - float64(p.Exact)
		}
	}
}

func (c *clock) off() float64 { return windows.Off(c.total, c.selections) }
