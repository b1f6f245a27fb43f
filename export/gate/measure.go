package gate

import (
	"math/big"
	"slices"

	"github.com/goprofinstr/goprofinstr/export/gate/internal/ignore"
	"github.com/goprofinstr/goprofinstr/export/internal/code"
	"github.com/goprofinstr/goprofinstr/export/mcdc"
	"github.com/goprofinstr/goprofinstr/export/prime"
	"github.com/goprofinstr/goprofinstr/export/profile"
)

// Measure is what coverage is measured in.
type Measure string

// The measures.
const (
	Path      Measure = "path"
	Branch    Measure = "branch"
	Condition Measure = "condition"
	Statement Measure = "statement"
	MCDC      Measure = "mcdc"  // conditions that have been shown to affect their decisions: see package mcdc
	Prime     Measure = "prime" // prime paths: see package prime
)

// Measures are all of them, in the order in which they are reported.
var Measures = []Measure{Path, Branch, Condition, Statement, MCDC, Prime}

// title returns what a measure is called in front of "coverage".
func (m Measure) title() string {
	switch m {
	case MCDC:
		return "MC/DC"
	case Prime:
		return "prime path"
	}
	return string(m)
}

// Coverage is how much of what is possible was executed.
type Coverage struct {
	Covered  int64
	Possible *big.Int // there may be more paths than 64 bits can number
	Doubtful *big.Int // that were not seen and may have been executed all the same, since paths were sampled
}

// newCoverages returns the coverage of nothing, in all measures.
func newCoverages() map[Measure]*Coverage {
	all := make(map[Measure]*Coverage)
	for _, m := range Measures {
		all[m] = &Coverage{Possible: new(big.Int), Doubtful: new(big.Int)}
	}
	return all
}

// share returns the coverage as a fraction; that of nothing is 1.
func (c Coverage) share() *big.Rat {
	if c.Possible.Sign() == 0 {
		return big.NewRat(1, 1)
	}
	return new(big.Rat).SetFrac(big.NewInt(c.Covered), c.Possible)
}

// most returns what share would be if all that is doubtful was executed.
func (c Coverage) most() *big.Rat {
	if c.Possible.Sign() == 0 {
		return big.NewRat(1, 1)
	}
	return new(big.Rat).SetFrac(new(big.Int).Add(big.NewInt(c.Covered), c.Doubtful), c.Possible)
}

// Percent returns the coverage in percent.
func (c Coverage) Percent() float64 {
	p, _ := c.share().Float64()
	return 100 * p
}

// add adds n things that are possible, of which the same is known.
func (c *Coverage) add(s evidence, n int) {
	c.Covered += int64(n * one(s.executed))
	c.Possible.Add(c.Possible, big.NewInt(int64(n)))
	c.Doubtful.Add(c.Doubtful, big.NewInt(int64(n*one(s.doubtful()))))
}

// An evidence is what is known of something that can be executed.
type evidence struct {
	executed bool
	known    bool // that it was not, if it was not seen
}

// doubtful reports whether it may have been executed, and was not seen.
func (s evidence) doubtful() bool { return !s.executed && !s.known }

// missing reports whether it was not executed.
func (s evidence) missing() bool { return !s.executed && s.known }

// measured is a function with its coverage on the lines that matter.
type measured struct {
	*profile.Function
	feasibility
	texts      *code.Texts
	changed    []bool // of blocks
	out        [][]int
	ignore     *ignore.Function
	without    []bool               // edges that no path takes which is demanded; nil if there are none
	ignored    map[Measure]*big.Int // how much of what is possible; nil if nothing is
	searched   int                  // ways to what is missing of one measure that were looked for
	covered    int                  // paths
	branches   []branch
	outcomes   []outcome
	statements []statement
	effects    []effect
	apart      mcdc.Total // what of MC/DC is in none of these
	primes     *prime.Function

	unreadDecisions bool // it is not known which there are
}

// A branch is an edge that can be taken or not.
type branch struct {
	edge int
	evidence
}

// An outcome is a condition that is true or false.
type outcome struct {
	profile.Decision
	is    bool
	edges []int // any of which has it
	evidence
}

// A statement is a run of statements.
type statement struct {
	index int
	count int // of its statements
	evidence
}

// measure measures f on changed lines.
func measure(f *profile.Function, lines Lines, texts *code.Texts, directives *ignore.Sources) *measured {
	m := &measured{Function: f, changed: lines.blocks(f), out: outEdges(f), texts: texts, ignore: directives.Of(f)}
	m.feasibility = feasible(f, m.changed, m.out)
	m.ignorePaths()
	for i := range f.Paths {
		if m.demands(f.Paths[i].Start, f.Paths[i].Edges) {
			m.covered++
		}
	}
	known := f.Knower()
	for id, is := range f.BranchEdges() {
		if is && m.edges[id] && lines.edge(f, id) && !m.ignoresBranch(id) {
			m.branches = append(m.branches, branch{id, evidence{f.Edges[id] > 0, f.Edges[id] == 0 && known(id)}})
		}
	}
	for _, d := range f.Decisions() {
		if lines.has(f, d.Line, d.Line) {
			m.addOutcome(outcome{d, true, []int{d.Then}, evidence{d.True > 0, d.NeverTrue}})
			m.addOutcome(outcome{d, false, d.Else, evidence{d.False > 0, d.NeverFalse}})
		}
	}
	blocks := f.KnownBlocks()
	for i, n := range f.StatementCounts() {
		if s := f.Table.Statements[i]; s.Block >= 0 && s.Count > 0 && lines.statement(f, i) {
			if count := m.demandedStatements(i); count > 0 {
				m.statements = append(m.statements, statement{i, count, evidence{n > 0, blocks[s.Block]}})
			}
		}
	}
	return m
}

// passes reports whether a path passes a changed line.
func (m *measured) passes(start int, edges []int) bool {
	if m.changed[start] {
		return true
	}
	for _, id := range edges {
		if m.changed[m.Table.Edges[id].To] {
			return true
		}
	}
	return false
}

// addOutcome adds an outcome unless it is infeasible, or ignored.
func (m *measured) addOutcome(o outcome) {
	possible := func(id int) bool { return m.edges[id] }
	if slices.ContainsFunc(o.edges, possible) && !m.ignoresOutcome(&o) {
		m.outcomes = append(m.outcomes, o)
	}
}

// addTo adds the coverage of m to that of other functions.
func (m *measured) addTo(all map[Measure]*Coverage) {
	paths := all[Path]
	paths.Covered += int64(m.covered)
	paths.Possible.Add(paths.Possible, new(big.Int).SetUint64(m.paths))
	if !m.KnowsAll() {
		rest := new(big.Int).SetUint64(m.paths)
		paths.Doubtful.Add(paths.Doubtful, rest.Sub(rest, big.NewInt(int64(m.covered))))
	}
	for _, b := range m.branches {
		all[Branch].add(b.evidence, 1)
	}
	for _, o := range m.outcomes {
		all[Condition].add(o.evidence, 1)
	}
	for _, s := range m.statements {
		all[Statement].add(s.evidence, s.count)
	}
	for _, e := range m.effects {
		all[MCDC].add(e.evidence, 1)
	}
	m.addPrimesTo(all[Prime])
}

func one(is bool) int {
	if is {
		return 1
	}
	return 0
}
