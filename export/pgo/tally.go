package pgo

import (
	"math"
	"math/bits"

	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/internal/pgofile"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// A tally adds up the counts of calls of many runs. Sums are of whole numbers, so that they do not depend on the order.
type tally struct {
	calls  map[call]int64
	found  [byMatch + 1]int64     // executions, by how calls were found
	lostIn map[table.Callee]int64 // executions of calls that were lost, by the function that they were in
	timed  map[pgofile.Edge]int64 // CPU time of calls that were on stacks, ns
}

func newTally() *tally {
	return &tally{calls: make(map[call]int64), lostIn: make(map[table.Callee]int64), timed: make(map[pgofile.Edge]int64)}
}

// add adds what the functions of a build have counted, and what was on stacks, as calls of the latest build.
func (t *tally) add(p *profile.Profile, m *match) {
	t.addTimed(p, m)
	for _, pkg := range p.Packages {
		for _, f := range pkg.Functions {
			for c, n := range callsIn(pkg, f) {
				now, how := m.find(function{pkg.Path, f.Table.Name}, c)
				t.found[how] = sum(t.found[how], n)
				if how == lost {
					t.lostIn[c.caller] = sum(t.lostIn[c.caller], n)
					continue
				}
				t.calls[now] = sum(t.calls[now], n)
			}
		}
	}
}

// weights returns the calls with their counts, each times a weight.
func (t *tally) weights(weight float64) map[call]float64 {
	weights := make(map[call]float64, len(t.calls))
	for c, n := range t.calls {
		weights[c] = weight * float64(n)
	}
	return weights
}

// sum returns a + b, which are not negative, or what is the most. Counts of one profile fit 64 bits, but those of a
// fleet may not. Neither does it depend on the order then.
func sum(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

// product returns a × b, which are not negative, or what is the most.
func product(a, b int64) int64 {
	high, low := bits.Mul64(uint64(a), uint64(b))
	if high > 0 || low > math.MaxInt64 {
		return math.MaxInt64
	}
	return int64(low)
}
