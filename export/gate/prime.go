package gate

import (
	"errors"
	"fmt"
	"math/big"

	"github.com/goprofinstr/goprofinstr/export/prime"
	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/internal/show"
)

// ErrNoPairs is the error for profiles that do not tell what happens over back edges.
var ErrNoPairs = errors.New("prime paths lead through several rounds of loops, which this profile does not tell; " +
	"goprofinstr wrap -iterations 2 counts them")

// HasPairs reports whether pairs of paths were counted, wherever there are any.
func HasPairs(p *profile.Profile) bool {
	loops := false
	for _, f := range p.Functions() {
		if !f.Declined() && prime.HasLoop(f) {
			if f.Table.Pairs != nil {
				return true
			}
			loops = true
		}
	}
	return !loops
}

// addPrimes adds the prime paths that pass a changed line, of which most are kept that are missing.
func (m *measured) addPrimes(most int) {
	m.primes = prime.Of(m.Function, prime.Options{Most: most, Has: func(edges []int) bool {
		return m.demands(m.Table.Edges[edges[0]].From, edges)
	}})
}

// missingPrimes returns prime paths that were not executed: those that begin where control came most often first.
func (m *measured) missingPrimes() (list []*Missing) {
	text := m.texts.Of(m.Function)
	executed := make([]bool, len(m.Edges))
	for id, n := range m.Edges {
		executed[id] = n > 0
	}
	for _, p := range m.primes.List[prime.Missing] {
		first := m.Table.Edges[p.Edges[0]].From
		w := &way{start: first, edges: p.Edges}
		item := &Missing{Measure: Prime, Function: m.Function, What: "prime path", length: len(p.Edges)}
		item.near, item.new = m.near(w, executed)
		item.Conditions = prime.Steps(m.primes, &p, text)
		item.Before = item.Conditions
		item.Line = m.lineOfWay(w, executed)
		list = append(list, item)
	}
	return list
}

// addPrimesTo adds the coverage of prime paths to that of other functions.
func (m *measured) addPrimesTo(c *Coverage) {
	if m.primes == nil || m.primes.TooMany {
		return
	}
	c.Covered += int64(m.primes.Total[prime.Covered])
	c.Possible.Add(c.Possible, big.NewInt(int64(m.primes.Demanded())))
}

// primeNotes says which prime paths are not demanded.
func (r *Result) primeNotes() (list []string) {
	if !r.demands(Prime) {
		return nil
	}
	t := &r.Primes
	if n := t.States[prime.Untold]; n > 0 {
		list = append(list, fmt.Sprintf("not known: %s over more than one back edge", show.Plural(n, "prime path")))
	}
	if n := t.States[prime.Infeasible]; n > 0 {
		list = append(list, fmt.Sprintf("not demanded: %s on which conditions contradict each other", show.Plural(n, "prime path")))
	}
	if t.TooMany > 0 {
		list = append(list, fmt.Sprintf("not demanded: prime paths of %s with more than %s each",
			show.Plural(t.TooMany, "function"), show.Grouped(prime.Most)))
	}
	if t.Uncounted > 0 {
		list = append(list, fmt.Sprintf("not known: rounds of loops in %s", show.Plural(t.Uncounted, "function")))
	}
	return list
}
