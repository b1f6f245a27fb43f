package profile

import (
	"math"

	"github.com/goprofinstr/goprofinstr/export/profile/internal/interval"
	"github.com/goprofinstr/goprofinstr/export/profile/internal/windows"
)

// A Number is how often something was executed, with what is known of its error. Of paths that were never seen it does not
// know: where some may have ended at sampled sites, High is more than the estimate.
type Number struct {
	Exact     int64 // executions that were counted
	Estimate  int64 // all of them
	Samples   int64 // that the rest is estimated from
	Low, High int64 // 95 of 100 times it is between these; both are Estimate if all executions were counted

	selections []float64 // as Path has them, nil if all are Estimate
}

// Sure reports whether all executions were counted.
func (n *Number) Sure() bool { return n.Low == n.High }

// A Ratio is the quotient of two numbers with its 95% interval.
type Ratio struct{ Estimate, Low, High float64 }

// PathNumber returns how often a path of f was executed. It is nil if no more is known than its Count.
func (f *Function) PathNumber(p *Path) *Number { return f.PathNumbers()(p) }

// PathNumbers returns what PathNumber does, for many paths.
func (f *Function) PathNumbers() func(p *Path) *Number {
	if !f.Counted {
		return func(*Path) *Number { return nil }
	}
	loose := f.loosePaths()
	return func(p *Path) *Number {
		if loose[p.ID] {
			return nil
		}
		return f.pathNumber(p)
	}
}

func (f *Function) pathNumber(p *Path) *Number {
	n := new(Number)
	n.add(p)
	if missed := f.Missed != nil && f.Missed[p.last()]; !missed || p.Samples > 0 {
		if n.finish(false, 0, nil); !missed || !n.Sure() {
			return n
		}
	}
	// No window has seen the path, or flow leaves it one number, for want of other paths that no window has seen.
	return n.finish(true, 0, f.unseen)
}

// CallsNumber returns how many activations f has had. It is how many have ended, if all ends were counted, or else how
// many have come to the end of a path. High is more by those that may have been abandoned before. The number is nil if no
// more is known of them than Entries.
func (f *Function) CallsNumber() *Number {
	if !f.Counted {
		return nil
	}
	begun, ended := new(Number), new(Number)
	for i := range f.Paths {
		p := &f.Paths[i]
		if !p.Loop {
			begun.add(p)
		}
		if !f.EndsInLoop(p) {
			ended.add(p)
		}
	}
	missed := f.mayMiss()
	if missed.from(f.Table.Entry) && !f.missesEnds() && ended.Estimate >= begun.Exact {
		return ended.finish(false, f.Cut, f.unseen)
	}
	return begun.finish(missed.from(f.Table.Entry), f.Cut, f.unseen)
}

// missesEnds reports whether activations may have ended that were not counted.
func (f *Function) missesEnds() bool {
	for i, e := range f.Table.Edges {
		if e.To == f.Table.Exit && f.Missed != nil && f.Missed[i] {
			return true
		}
	}
	return false
}

// An EdgeNumber is how often an edge was executed; all nil if no more is known than the count.
type EdgeNumber struct {
	*Number
	Share *Ratio // of all edges out of its block, if there are others and control came to it
}

// FlowNumber returns the flow of all paths of p. It is nil if no more is known than the sum.
func (p *Profile) FlowNumber() *Number { return FlowNumber(p.Functions()...) }

// FlowNumber returns the flow of all paths of functions. It is nil if no more is known than the sum.
func FlowNumber(functions ...*Function) *Number {
	n := new(Number)
	for _, f := range functions {
		if !f.addFlow(n, f.paths()) {
			return nil
		}
	}
	return n.finish(false, 0, nil)
}

// FlowNumber returns the flow of paths of f. It is nil if no more is known than the sum.
func (f *Function) FlowNumber(paths ...*Path) *Number {
	if len(paths) == 0 {
		paths = f.paths()
	}
	n := new(Number)
	if !f.addFlow(n, paths) {
		return nil
	}
	return n.finish(false, 0, nil)
}

// addFlow adds the flow of paths of f, and reports whether it is known how far off it may be.
func (f *Function) addFlow(n *Number, paths []*Path) bool {
	if !f.Counted && f.Certainty() < HowOften && len(paths) > 0 {
		return false
	}
	for _, p := range paths {
		n.addTimes(p, int64(p.Branches))
	}
	return true
}

func (f *Function) paths() []*Path {
	list := make([]*Path, len(f.Paths))
	for i := range list {
		list[i] = &f.Paths[i]
	}
	return list
}

// ShareOf returns what share n has of a sum that it is a part of. It is nil if that is not known.
func (n *Number) ShareOf(sum *Number) *Ratio {
	if n == nil || sum == nil || sum.Estimate == 0 {
		return nil
	}
	if r := n.share(sum, 0); !math.IsNaN(r.Low + r.High) {
		return r
	}
	return nil
}

// EdgeNumbers returns how often edges of f were executed, by id. It is nil if no more is known of any than the count.
func (f *Function) EdgeNumbers() []EdgeNumber {
	if !f.Counted {
		return nil
	}
	list := make([]EdgeNumber, len(f.Edges))
	for i := range list {
		list[i].Number = new(Number)
	}
	loose := f.loosePaths()
	open := make([]bool, len(list))
	for i := range f.Paths {
		p := &f.Paths[i]
		for _, e := range p.Edges {
			list[e].add(p)
			open[e] = open[e] || loose[p.ID]
		}
	}
	missed, unseen := f.mayMiss(), f.unseen()
	for i := range list {
		if open[i] && list[i].Samples == 0 {
			list[i].Number = nil
			continue
		}
		list[i].Number = list[i].finish(missed.through(i), f.Cut, func() float64 { return unseen })
	}
	f.addShares(list, unseen)
	return list
}

// BlockNumbers returns how often blocks of f were executed, by id, nil for those of which no more is known than the count. It is
// nil if that is so of all.
func (f *Function) BlockNumbers() []*Number {
	if !f.Counted {
		return nil
	}
	list := make([]*Number, len(f.Blocks))
	for i := range list {
		list[i] = new(Number)
	}
	loose := f.loosePaths()
	open, missing := make([]bool, len(list)), make([]bool, len(list))
	times := make([]int64, len(list))
	for i := range f.Paths {
		p := &f.Paths[i]
		for _, e := range p.Edges {
			times[f.Table.Edges[e].To]++
		}
		for _, e := range p.Edges {
			to := f.Table.Edges[e].To
			open[to] = open[to] || loose[p.ID]
			if times[to] > 0 { // the head of a loop is in a path twice that goes round from before it
				list[to].addTimes(p, times[to])
				times[to] = 0
			}
		}
	}
	missed, unseen := f.mayMiss(), f.unseen()
	for i, e := range f.Table.Edges {
		missing[e.To] = missing[e.To] || missed.through(i)
	}
	for i, n := range list {
		switch {
		case i == f.Table.Entry:
			n = f.CallsNumber()
		case open[i] && n.Samples == 0:
			n = nil
		default:
			n = n.finish(missing[i], f.Cut, func() float64 { return unseen })
		}
		if list[i] = n; n != nil && n.Estimate != f.Blocks[i] { // it is more than the sum of paths
			list[i] = nil
		}
	}
	return list
}

// addShares sets the shares of edges.
func (f *Function) addShares(list []EdgeNumber, unseen float64) {
	all := make([]*Number, len(f.Table.Blocks)) // executions; nil where they are not known
	for block := range all {
		all[block] = new(Number)
	}
	for i, e := range f.Table.Edges {
		all[e.From] = all[e.From].plus(list[i].Number)
	}
	for i, branch := range f.BranchEdges() {
		if total := all[f.Table.Edges[i].From]; branch && total != nil && total.Estimate > 0 {
			list[i].Share = list[i].share(total, unseen)
		}
	}
}

// add adds the executions of a path.
func (n *Number) add(p *Path) { n.addTimes(p, 1) }

// addTimes adds a multiple of the executions of a path.
func (n *Number) addTimes(p *Path, times int64) {
	if p.Selections != nil && n.selections == nil {
		n.selections = make([]float64, len(p.Selections))
		for k := range n.selections {
			n.selections[k] = float64(n.Estimate)
		}
	}
	for k := range n.selections {
		if p.Selections != nil {
			n.selections[k] += p.Selections[k] * float64(times)
		} else {
			n.selections[k] += float64(p.Count * times)
		}
	}
	n.Estimate += p.Count * times
	n.Samples += p.Samples
	n.Exact += p.Counted() * times
}

// finish sets the interval of a sum of paths. Cut is how many activations may belong to it that were abandoned, missed tells
// that paths may that no window has seen.
func (n *Number) finish(missed bool, cut int64, unseen func() float64) *Number {
	n.Low, n.High = n.Estimate, n.Estimate
	if n.selections != nil && n.Estimate > 0 {
		n.Low, n.High = countInterval(n.Estimate, n.Exact, n.selections)
	}
	n.High += cut
	if !missed {
		return n
	}
	more := unseen()
	if more == 0 {
		return nil
	}
	n.High = max(n.High, n.Estimate+int64(math.Ceil(more)))
	return n
}

// unseen returns how often paths of f may have been executed that no window has seen, with 95% confidence. It is three
// times what a sample stands for in the mean. unseen returns 0 if there is no sample that tells.
func (f *Function) unseen() float64 {
	rest, samples := int64(0), int64(0)
	for i := range f.Paths {
		if p := &f.Paths[i]; p.Selections != nil && p.Samples > 0 {
			rest, samples = rest+p.Count-p.Exact, samples+p.Samples
		}
	}
	if samples == 0 {
		return 0
	}
	return max(3, 3*float64(rest)/float64(samples))
}

// plus returns a sum, nil if a part is not known.
func (n *Number) plus(other *Number) *Number {
	if n == nil || other == nil {
		return nil
	}
	sum := &Number{Estimate: n.Estimate + other.Estimate, Low: n.Low + other.Low, High: n.High + other.High}
	if n.selections == nil && other.selections == nil {
		return sum
	}
	sum.selections = make([]float64, len(windows.Design.Weights))
	for k := range sum.selections {
		sum.selections[k] = n.selection(k) + other.selection(k)
	}
	return sum
}

// selection returns what n might have been.
func (n *Number) selection(k int) float64 {
	if n.selections == nil {
		return float64(n.Estimate)
	}
	return n.selections[k]
}

// share returns what share n has of a sum that it is a part of. Unseen are executions that belong to any part.
func (n *Number) share(sum *Number, unseen float64) *Ratio {
	estimate, total := float64(n.Estimate), float64(sum.Estimate)
	r := &Ratio{Estimate: estimate / total}
	if sum.Sure() {
		r.Low, r.High = r.Estimate, r.Estimate
		return r
	}
	var list []float64
	for k := range sum.selections {
		if sum.selections[k] <= 0 { // all that was seen is in one replicate
			r.Low, r.High = 0, 1
			return r
		}
		list = append(list, n.selection(k)/sum.selections[k])
	}
	r.Low, r.High = windows.Design.Of(interval.Logit, r.Estimate, list, 0)
	r.Low = min(r.Low, estimate/(total+unseen))
	r.High = max(r.High, (estimate+unseen)/(total+unseen))
	return r
}

// PerCall returns an amount of CPU time for each of n calls, of which so many ticks tell, and its interval. It is nil if
// either is not known, or if there is no telling how few calls there may be.
func (n *Number) PerCall(time, ticks int64) *Ratio {
	if n == nil || n.Estimate == 0 || ticks == 0 {
		return nil
	}
	r := &Ratio{Estimate: float64(time) / float64(n.Estimate)}
	var list []float64
	for k := range n.selections {
		if n.selection(k) <= 0 { // all calls that were seen are in one replicate
			return nil
		}
		list = append(list, float64(time)/n.selection(k))
	}
	r.Low, r.High = windows.Design.Of(interval.Log, r.Estimate, list, 1/float64(ticks))
	r.Low = min(r.Low, float64(time)/float64(max(n.High, 1)))
	return r
}

// countInterval returns between which numbers a count is of which so much is exact, given what it might be.
func countInterval(count, exact int64, selections []float64) (low, high int64) {
	least, most := windows.Design.Of(interval.Log, float64(count), selections, 0)
	return max(exact, int64(least)), int64(math.Ceil(most))
}

// missed tells through which edges of a function paths may lead that have ended without being counted.
type missed struct {
	f   *Function
	out [][]int // edges out of each block
	may map[int]bool
}

func (f *Function) mayMiss() *missed {
	m := &missed{f: f, may: make(map[int]bool)}
	if f.Missed == nil {
		return m
	}
	m.out = make([][]int, len(f.Table.Blocks))
	for i, e := range f.Table.Edges {
		m.out[e.From] = append(m.out[e.From], i)
	}
	return m
}

// from reports whether paths may that come to a block.
func (m *missed) from(block int) bool {
	if m.f.Missed == nil {
		return false
	}
	if may, ok := m.may[block]; ok {
		return may
	}
	m.may[block] = false
	for _, e := range m.out[block] {
		m.may[block] = m.may[block] || m.through(e)
	}
	return m.may[block]
}

// through reports whether paths may that take an edge.
func (m *missed) through(edge int) bool {
	e := m.f.Table.Edges[edge]
	if m.f.Missed == nil || e.Back || e.To == m.f.Table.Exit {
		return m.f.Missed != nil && m.f.Missed[edge]
	}
	return m.from(e.To)
}
