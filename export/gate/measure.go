package gate

import (
	"math/big"

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
)

// Measures are all of them, in the order in which they are reported.
var Measures = []Measure{Path, Branch, Condition, Statement}

// Coverage is how much of what is possible was executed.
type Coverage struct {
	Covered  int64
	Possible *big.Int // there may be more paths than 64 bits can number
}

// share returns the coverage as a fraction; that of nothing is 1.
func (c Coverage) share() *big.Rat {
	if c.Possible.Sign() == 0 {
		return big.NewRat(1, 1)
	}
	return new(big.Rat).SetFrac(big.NewInt(c.Covered), c.Possible)
}

// Percent returns the coverage in percent.
func (c Coverage) Percent() float64 {
	p, _ := c.share().Float64()
	return 100 * p
}

func (c *Coverage) add(covered int, possible int) {
	c.Covered += int64(covered)
	c.Possible.Add(c.Possible, big.NewInt(int64(possible)))
}

// measured is a function with its coverage on the lines that matter.
type measured struct {
	*profile.Function
	feasibility
	changed    []bool // of blocks
	out        [][]int
	several    map[int]bool // lines with several conditions
	searched   int          // ways to what is missing of one measure that were looked for
	covered    int          // paths
	branches   []branch
	outcomes   []outcome
	statements []statement
}

// A branch is an edge that can be taken or not.
type branch struct {
	edge     int
	executed bool
}

// An outcome is a condition that is true or false.
type outcome struct {
	profile.Decision
	is       bool
	edges    []int // any of which has it
	executed bool
}

// A statement is a run of statements.
type statement struct {
	index    int
	executed bool
}

// measure measures f on changed lines.
func measure(f *profile.Function, lines Lines) *measured {
	m := &measured{Function: f, changed: lines.blocks(f), out: outEdges(f), several: severalOn(f)}
	m.feasibility = feasible(f, m.changed)
	for i := range f.Paths {
		if m.passes(f.Paths[i].Start, f.Paths[i].Edges) {
			m.covered++
		}
	}
	for id, is := range f.BranchEdges() {
		if is && m.edges[id] && lines.edge(f, id) {
			m.branches = append(m.branches, branch{id, f.Edges[id] > 0})
		}
	}
	for _, d := range f.Decisions() {
		if lines.has(f, d.Line, d.Line) {
			m.addOutcome(outcome{d, true, []int{d.Then}, d.True > 0})
			m.addOutcome(outcome{d, false, d.Else, d.False > 0})
		}
	}
	for i, n := range f.StatementCounts() {
		if f.Table.Statements[i].Block >= 0 && lines.statement(f, i) {
			m.statements = append(m.statements, statement{i, n > 0})
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

// addOutcome adds an outcome unless it is infeasible.
func (m *measured) addOutcome(o outcome) {
	for _, id := range o.edges {
		if m.edges[id] {
			m.outcomes = append(m.outcomes, o)
			return
		}
	}
}

// addTo adds the coverage of m to that of other functions.
func (m *measured) addTo(all map[Measure]*Coverage) {
	paths := all[Path]
	paths.Covered += int64(m.covered)
	paths.Possible.Add(paths.Possible, new(big.Int).SetUint64(m.paths))
	n := 0
	for _, b := range m.branches {
		n += one(b.executed)
	}
	all[Branch].add(n, len(m.branches))
	n = 0
	for _, o := range m.outcomes {
		n += one(o.executed)
	}
	all[Condition].add(n, len(m.outcomes))
	n = 0
	for _, s := range m.statements {
		n += one(s.executed)
	}
	all[Statement].add(n, len(m.statements))
}

func one(is bool) int {
	if is {
		return 1
	}
	return 0
}
