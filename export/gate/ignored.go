package gate

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/goprofinstr/goprofinstr/export/gate/internal/ignore"
	"github.com/goprofinstr/goprofinstr/export/internal/code"
	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/internal/show"
)

// Ignored is what is not demanded because the sources say so.
type Ignored struct {
	Functions int                // in which something is marked with //goprofinstr:ignore
	Generated int                // functions in generated files
	Files     int                // generated
	Faults    []ignore.FileFault // directives that are not honoured
	Changed   int                // functions whose directives are not, since they have changed
	Unread    int                // functions whose directives are not known, since their sources cannot be read
	Given     int                // branches that are not covered any more, as they were in the baseline
}

func (o *Options) directives(texts *code.Texts) *ignore.Sources {
	s := ignore.New(texts.Files)
	s.Generated = o.Generated
	return s
}

// earlierDirectives returns the directives for functions of an earlier profile than p. They are the directives of now, so that
// what is ignored is left out of both. Else marking what is not covered would make room for other code to lose its tests. Where a
// function has been edited since, they are about the lines that both have.
func (o *Options) earlierDirectives(p, earlier *profile.Profile) *ignore.Sources {
	here := *earlier
	here.Root, here.Sums = p.Root, nil // sources of now are meant, whatever the baseline was of
	s := o.directives(code.New(&here))
	s.Edited = true
	return s
}

// addGiven adds the branches that the baseline has covered, and that are ignored now instead: the gates do not tell.
func (r *Result) addGiven(functions []*measured, lost *lost) {
	for _, m := range functions {
		branches := m.BranchEdges()
		for id, n := range m.Edges {
			if branches[id] && n == 0 && lost.edge(m.Function, id) && m.ignore.Any() && m.ignore.Branch(id) {
				r.Ignored.Given++
			}
		}
	}
}

// addIgnored adds what is ignored of functions.
func (r *Result) addIgnored(functions []*measured, directives *ignore.Sources) {
	files := make(map[string]bool)
	for _, m := range functions {
		if len(m.ignored) == 0 {
			continue
		}
		if m.ignore.Generated {
			files[m.Table.File] = true
			r.Ignored.Generated++
		} else {
			r.Ignored.Functions++
		}
	}
	r.Ignored.Files = len(files)
	r.Ignored.Faults, r.Ignored.Changed, r.Ignored.Unread = directives.Faults(), directives.Changed(), directives.Unread()
}

// sumIgnored returns how much of a measure is marked in functions.
func sumIgnored(functions []*measured, measure Measure) *big.Int {
	sum := new(big.Int)
	for _, m := range functions {
		if n := m.ignored[measure]; n != nil && !m.ignore.Generated {
			sum.Add(sum, n)
		}
	}
	return sum
}

// count counts n things that are ignored.
func (m *measured) count(measure Measure, n uint64) {
	if n == 0 {
		return
	}
	if m.ignored == nil {
		m.ignored = make(map[Measure]*big.Int)
	}
	if m.ignored[measure] == nil {
		m.ignored[measure] = new(big.Int)
	}
	m.ignored[measure].Add(m.ignored[measure], new(big.Int).SetUint64(n))
}

// ignorePaths takes the paths through ignored code from those that are demanded.
func (m *measured) ignorePaths() {
	if !m.ignore.Any() {
		return
	}
	m.without = make([]bool, len(m.edges))
	for id := range m.without {
		m.without[id] = m.ignoresEdge(id)
	}
	demanded := uint64(0)
	if !m.ignore.Whole {
		demanded = feasible(m.Function, m.changed, m.demandedOut()).paths
	}
	m.count(Path, m.paths-demanded)
	m.paths = demanded
}

// demandedOut returns the edges out of each block that paths take which are demanded.
func (m *measured) demandedOut() [][]int {
	out := make([][]int, len(m.out))
	for block, ids := range m.out {
		for _, id := range ids {
			if !m.without[id] {
				out[block] = append(out[block], id)
			}
		}
	}
	return out
}

// withoutIgnored returns m as if there were only what is demanded.
func (m *measured) withoutIgnored() *measured {
	if !m.ignore.Any() {
		return m
	}
	demanded := *m
	demanded.out = m.demandedOut()
	return &demanded
}

// ignoresEdge reports whether paths along an edge are ignored. The line of one that is no branch says where control
// leaves a block that has other lines, too.
func (m *measured) ignoresEdge(id int) bool {
	e := m.Table.Edges[id]
	return len(m.out[e.From]) > 1 && m.ignore.Branch(id) || m.ignore.Block(e.From) || m.ignore.Block(e.To)
}

// demands reports whether a path is demanded: it passes a changed line, and nothing that is ignored.
func (m *measured) demands(start int, edges []int) bool {
	if !m.ignore.Any() {
		return m.passes(start, edges)
	}
	ignored := func(id int) bool { return m.without[id] }
	return m.passes(start, edges) && !m.ignore.Block(start) && !slices.ContainsFunc(edges, ignored)
}

// ignoresBranch reports whether a branch is ignored, and counts it.
func (m *measured) ignoresBranch(id int) bool {
	if !m.ignore.Any() || !m.ignore.Branch(id) {
		return false
	}
	m.count(Branch, 1)
	return true
}

// ignoresOutcome reports whether an outcome is ignored, with its condition or since it leads to ignored code only,
// and counts it.
func (m *measured) ignoresOutcome(o *outcome) bool {
	if !m.ignore.Any() {
		return false
	}
	isDemanded := func(id int) bool { return m.edges[id] && !m.ignore.Branch(id) }
	if !m.ignore.Place(o.Line, o.Col) && slices.ContainsFunc(o.edges, isDemanded) {
		return false
	}
	m.count(Condition, 1)
	return true
}

// demandedStatements returns how many of a run of statements are demanded, and counts the others.
func (m *measured) demandedStatements(i int) int {
	ignored := m.ignore.Statements(i)
	m.count(Statement, uint64(ignored))
	return m.Table.Statements[i].Count - ignored
}

// mostFaults is how many directives that are not honoured are named.
const mostFaults = 3

// ignoredNotes says what is not demanded because the sources say so, and what they say in vain.
func (r *Result) ignoredNotes() (list []string) {
	if what := r.ignoredText(); what != "" {
		where := show.Plural(r.Ignored.Functions, "function")
		list = append(list, fmt.Sprintf("ignored: %s in %s, by //goprofinstr:ignore", what, where))
	}
	if n := r.Ignored.Given; n > 0 {
		list = append(list, fmt.Sprintf("ignored: %s among them that the baseline covers, and this run does not",
			countText(big.NewInt(int64(n)), Branch)))
	}
	if n := r.Ignored.Generated; n > 0 {
		list = append(list, fmt.Sprintf("left out: %s in %s; -generated has them back",
			show.Plural(n, "function"), show.Plural(r.Ignored.Files, "generated file")))
	}
	faults := r.Ignored.faults()
	for _, f := range faults[:min(len(faults), mostFaults)] {
		list = append(list, "not ignored: "+f)
	}
	if more := len(faults) - mostFaults; more > 0 {
		list = append(list, fmt.Sprintf("not ignored: and %d more", more))
	}
	return list
}

// ignoredText returns "3 branches, 1 outcome of a condition".
func (r *Result) ignoredText() string {
	var parts []string
	for _, m := range Measures {
		for _, g := range slices.Backward(r.Gates) { // that with a baseline is about all lines
			if g.Measure == m && g.Ignored.Sign() > 0 {
				parts = append(parts, countText(g.Ignored, m))
				break
			}
		}
	}
	return strings.Join(parts, ", ")
}

// countText returns "1 branch" or "3 branches".
func countText(n *big.Int, m Measure) string {
	if n.Cmp(big.NewInt(1)) == 0 {
		return "1 " + singulars[m]
	}
	return show.Possible(n) + " " + plurals[m]
}

var singulars = map[Measure]string{
	Path: "path", Branch: "branch", Condition: "outcome of a condition", Statement: "statement",
	MCDC: "condition", Prime: "prime path",
}

// faults says which directives are not honoured and why, a line each.
func (i *Ignored) faults() (list []string) {
	for _, f := range i.Faults {
		list = append(list, fmt.Sprintf("%s:%d: %s", show.Printable(f.File), f.Line, f.Why))
	}
	if i.Changed > 0 {
		list = append(list, fmt.Sprintf("directives in %s, changed since the run", show.Plural(i.Changed, "function")))
	}
	if i.Unread > 0 {
		list = append(list, fmt.Sprintf("directives in %s whose source cannot be read", show.Plural(i.Unread, "function")))
	}
	return list
}
