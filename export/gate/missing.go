package gate

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"github.com/goprofinstr/goprofinstr/export/internal/code"
	"github.com/goprofinstr/goprofinstr/export/internal/holes"
	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/ssacfg/pathnum"
)

// Missing is something that could be executed and was not.
type Missing struct {
	Measure    Measure
	Function   *profile.Function
	Line, Col  int           // Col is 0 where it is not known
	What       string        // "path 3", "x > 1 never false", "a && b: b"
	Detail     string        // "true 4 times", "have true·true, want true·false"; or ""
	Within     *code.Operand // the operand in a longer condition; or nil
	Conditions []string      // what would have to happen, in order; nil if no way there was found
	Before     []string      // of these, what is not said in What
	Lines      []string      // of a path
	Lost       bool          // the baseline had it
	New        bool          // it is code that the baseline did not have
	OfBase     bool          // the two are about the base of a change, and not about a baseline

	new    int   // branches that nothing executes, and neither do those before in the list
	near   int64 // how often control came to where the way leaves what was executed
	length int
}

// order is that of usefulness.
func (m *Missing) order(other *Missing) int {
	return cmp.Or(
		compareBool(other.Lost, m.Lost),
		compareBool(other.New, m.New),
		compareBool(other.near > 0, m.near > 0), // functions that are never called last: that they are is seen without us
		compareBool(other.new > 0, m.new > 0),
		cmp.Compare(other.near, m.near),
		cmp.Compare(other.new, m.new),
		cmp.Compare(m.length, other.length),
	)
}

func compareBool(a, b bool) int { return cmp.Compare(one(a), one(b)) }

// mostEnumerated is how many paths a function may have to look at each of them. mostRanked is how many of them are ranked with
// those before taken for executed. That is for the first that are shown, and takes their product.
const (
	mostEnumerated = 1 << 12
	mostRanked     = 1 << 8
)

// A candidate is a path that may be shown.
type candidate struct {
	way
	id   uint64
	lost bool
	new  bool
}

// missingPaths returns at most so many paths of m that were not executed.
func (m *measured) missingPaths(most int, lost *lost) []*Missing {
	if uint64(m.covered) >= m.paths {
		return nil
	}
	m = m.withoutIgnored()
	executed := make([]bool, len(m.Edges)) // or by a path before in the list
	for id, n := range m.Edges {
		executed[id] = n > 0
	}
	rank := func(c *candidate) *Missing {
		near, new := m.near(&c.way, executed)
		return &Missing{Measure: Path, Function: m.Function, What: fmt.Sprintf("path %d", c.id), new: new, near: near, length: len(c.edges), Lost: c.lost, New: c.new}
	}
	candidates := m.candidates(lost)
	byRank := func(a, b *candidate) int { return cmp.Or(rank(a).order(rank(b)), cmp.Compare(a.id, b.id)) }
	slices.SortFunc(candidates, byRank)
	candidates = candidates[:min(len(candidates), mostRanked)]
	var list []*Missing
	for len(candidates) > 0 && len(list) < most {
		best := slices.MinFunc(candidates, byRank)
		item := rank(best)
		item.Conditions = m.words(&best.way)
		item.Before = item.Conditions
		item.Lines = m.Steps(&profile.Path{Start: best.start, Edges: best.edges})
		item.Line = m.lineOfWay(&best.way, executed)
		list = append(list, item)
		for _, id := range best.edges {
			executed[id] = true
		}
		candidates = slices.DeleteFunc(candidates, func(c *candidate) bool { return c == best })
	}
	return list
}

// lineOfWay returns the line of the first branch on a way that is new, or that the way starts on.
func (m *measured) lineOfWay(w *way, executed []bool) int {
	for _, id := range w.edges {
		if line := m.Table.Edges[id].Line; !executed[id] && line > 0 {
			return line
		}
	}
	return lineOf(m.Table, w.start)
}

// near returns how often control came to where a way leaves what was executed, and how many edges on it are new.
func (m *measured) near(w *way, executed []bool) (near int64, new int) {
	near = m.Blocks[w.start]
	left := false
	for _, id := range w.edges {
		if !executed[id] {
			new++
		}
		left = left || m.Edges[id] == 0
		if !left {
			near = min(near, m.Edges[id])
		}
	}
	return near, new
}

// candidates returns paths that were not executed: all of them, or of many those that are worth a look.
func (m *measured) candidates(lost *lost) []*candidate {
	d := m.Decoder()
	seen := make(map[uint64]bool)
	for i := range m.Paths {
		seen[m.Paths[i].ID] = true
	}
	var list []*candidate
	add := func(w *way) {
		id, err := d.Number(pathnum.Path{Start: w.start, Loop: w.loop, Edges: w.edges})
		if err != nil {
			panic("BUG: not a path: " + err.Error())
		}
		if !seen[id] && !m.Infeasible(w.edges) && m.demands(w.start, w.edges) {
			list = append(list, &candidate{*w, id, lost.path(m.Function, w.edges), lost.isNew(m.Function, w.edges...)})
		}
		seen[id] = true
	}
	if n := m.Table.Values.NumPaths; n <= mostEnumerated {
		for id := range n {
			if p, err := d.Path(id); err == nil {
				add(&way{p.Start, p.Loop, p.Edges})
			}
		}
		return list
	}
	searched := 0
	for _, b := range m.branches {
		if b.executed || searched == mostSearched {
			continue
		}
		searched++
		if w := m.wayThrough(b.edge); w != nil {
			add(w)
		}
	}
	m.neighbours(add)
	return list
}

func (m *measured) wayThrough(edge int) *way {
	w, _ := m.find(func(id int) bool { return id == edge }, nil)
	return w
}

// mostNeighbours is how many executed paths are looked at for others that leave them by one branch.
const mostNeighbours = 32

// neighbours adds paths that are as those executed most often up to some branch, and then go another way.
func (m *measured) neighbours(add func(*way)) {
	hot := make([]*profile.Path, len(m.Paths))
	for i := range hot {
		hot[i] = &m.Paths[i]
	}
	slices.SortStableFunc(hot, func(a, b *profile.Path) int { return cmp.Compare(b.Count, a.Count) })
	for _, p := range hot[:min(len(hot), mostNeighbours)] {
		for i, id := range p.Edges {
			for _, other := range m.out[m.Table.Edges[id].From] {
				if other == id {
					continue
				}
				prefix := append(slices.Clone(p.Edges[:i]), other)
				if w := m.complete(&way{p.Start, p.Loop, prefix}); w != nil {
					add(w)
				}
			}
		}
	}
}

// complete returns a path that begins so.
func (m *measured) complete(w *way) *way {
	known := make(profile.Known)
	for _, id := range w.edges {
		if !known.Take(m.Function, id) {
			return nil
		}
	}
	last := m.Table.Edges[w.edges[len(w.edges)-1]]
	if last.Back {
		return w
	}
	s := &search{measured: m, wanted: func(int) bool { return true }, edges: w.edges, through: len(w.edges)}
	s.leads = make([]bool, len(m.Table.Blocks))
	if !s.from(last.To, known) {
		return nil
	}
	return &way{w.start, w.loop, s.edges}
}

// missingBranches returns the branches of m that were not executed.
func (m *measured) missingBranches(lost *lost) []*Missing {
	var list []*Missing
	for _, b := range m.branches {
		if !b.missing() {
			continue
		}
		text := m.texts.Of(m.Function)
		item := m.missing(Branch, text.Branch(b.edge), func(id int) bool { return id == b.edge }, nil)
		item.Lost, item.New = lost.edge(m.Function, b.edge), lost.isNew(m.Function, b.edge)
		item.Line, item.Col = text.At(b.edge)
		list = append(list, item)
	}
	return list
}

// missingOutcomes returns the conditions that were never true, or never false.
func (m *measured) missingOutcomes(lost *lost) []*Missing {
	var list []*Missing
	several := m.severalOf()
	for _, o := range m.outcomes {
		if !o.missing() {
			continue
		}
		text := m.texts.Of(m.Function).Condition(&o.Condition)
		item := m.missing(Condition, conditionText(&o, &text, several), func(id int) bool { return slices.Contains(o.edges, id) }, nil)
		item.Lost = slices.ContainsFunc(o.edges, func(id int) bool { return lost.edge(m.Function, id) })
		item.New = lost.isNew(m.Function, o.edges...)
		item.Line, item.Col = text.Line, text.Col
		if other := o.True + o.False; other > 0 {
			hole := holes.Hole{Decision: o.Decision, Function: m.Function, Never: strconv.FormatBool(o.is), Other: other}
			item.Detail = hole.Otherwise()
		}
		if text.Longer() {
			item.Within = &text
		}
		list = append(list, item)
	}
	return list
}

// conditionText returns "x > 1 never false", with the place of what has the same text elsewhere in the function.
func conditionText(o *outcome, text *code.Operand, several map[string]bool) string {
	what := text.Text
	if what == "" {
		what = fmt.Sprintf("line %d", o.Line)
	}
	if several[what] {
		what += fmt.Sprintf(" (%d:%d)", text.Line, text.Col)
	}
	return fmt.Sprintf("%s never %v", what, o.is)
}

// missingStatements returns the runs of statements that were not executed.
func (m *measured) missingStatements(lost *lost) []*Missing {
	var list []*Missing
	for _, s := range m.statements {
		if !s.missing() {
			continue
		}
		at := m.Table.Statements[s.index]
		what := fmt.Sprintf("line %d", at.Line)
		if last := lastLine(m.Table, s.index); last > at.Line {
			what = fmt.Sprintf("lines %d to %d", at.Line, last)
		}
		if text := m.texts.Of(m.Function).Line(at.Line, at.Col); text != "" {
			what += ": " + text
		}
		into := func(id int) bool { return m.Table.Edges[id].To == at.Block && !m.Table.Edges[id].Back }
		item := m.missing(Statement, what, into, func(block int) bool { return block == at.Block })
		item.Line, item.Lost = at.Line, lost.statement(m.Function, s.index)
		item.Col, item.New = at.Col, lost.isNewBlock(m.Function, at.Block)
		list = append(list, item)
	}
	return list
}

// mostSearched is how many ways are looked for in one function. It bounds the time for generated ones, in which each takes
// thousands of steps.
const mostSearched = 256

// missing returns something with the way up to it.
func (m *measured) missing(measure Measure, what string, wanted func(edge int) bool, start func(block int) bool) *Missing {
	item := &Missing{Measure: measure, Function: m.Function, What: what}
	if m.searched++; m.searched > mostSearched {
		return item
	}
	w, through := m.find(wanted, start)
	if w == nil {
		return item
	}
	w.edges = w.edges[:through]
	executed := make([]bool, len(m.Edges))
	for id, n := range m.Edges {
		executed[id] = n > 0
	}
	item.near, item.new = m.near(w, executed)
	item.length, item.Conditions = len(w.edges), m.words(w)
	item.Before = item.Conditions
	if measure == Branch || measure == Condition || measure == MCDC {
		w.edges = w.edges[:len(w.edges)-1]
		if item.Before = nil; len(w.edges) > 0 || w.loop {
			item.Before = m.words(w)
		}
	}
	return item
}
