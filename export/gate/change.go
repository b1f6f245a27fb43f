package gate

import (
	"cmp"
	"maps"
	"math/big"
	"slices"

	"github.com/goprofinstr/goprofinstr/export/internal/code"
	"github.com/goprofinstr/goprofinstr/export/profile"
)

// A Base is the commit that a change begins at.
type Base struct {
	Profile  *profile.Profile // of the same tests at that commit
	Revision string           // what the commit is the merge base with, as the user calls it
	Commit   string           // its hash
}

// A Change is what a change does to coverage. No gate is about it.
type Change struct {
	*Base
	Measures []Compared
	Files    []ChangedFile // with code on changed lines, by name
	Missing  []*Missing    // of changed lines, the most useful first
	Lost     []*Missing    // outcomes of conditions that the base has, and this run has not, the most useful first

	MoreMissing, MoreLost int // that are in none of these lists
}

// Compared is a measure before and after a change.
type Compared struct {
	Measure Measure
	Before  Coverage // of all code, at the base
	Now     Coverage // of all code
	Changed Coverage // of changed lines
}

// A ChangedFile is the coverage of the changed lines of a file.
type ChangedFile struct {
	Name     string // as tables have it
	Coverage map[Measure]*Coverage
}

// compared are the measures that a change is told in. The truth of MC/DC is in the sources, and those of the base are gone.
var compared = []Measure{Statement, Branch, Condition, Path}

// addChange compares p with the base. Changed are the functions as they are measured on changed lines.
func (r *Result) addChange(p *profile.Profile, o Options, texts *code.Texts, changed []*measured) {
	everywhere, now := measureAll(p, &scope{texts: texts, directives: o.directives(texts)})
	_, before := measureAll(o.Base.Profile, &scope{texts: texts, directives: o.earlierDirectives(p, o.Base.Profile)})
	onLines := newCoverages()
	for _, m := range changed {
		m.addTo(onLines)
	}
	c := &Change{Base: o.Base, Files: changedFiles(changed)}
	for _, m := range compared {
		c.Measures = append(c.Measures, Compared{m, *before[m], *now[m], *onLines[m]})
	}
	lost := findLost(o.Base.Profile, p)
	c.Missing, c.MoreMissing = mostUseful(missingOnLines(changed, lost), o.Most)
	c.Lost, c.MoreLost = mostUseful(lostOutcomes(everywhere, lost), o.Most)
	for _, m := range slices.Concat(c.Missing, c.Lost) {
		m.OfBase = true
	}
	r.Change = c
}

// changedFiles sums up what is measured on changed lines by file.
func changedFiles(changed []*measured) (list []ChangedFile) {
	files := make(map[string]map[Measure]*Coverage)
	for _, m := range changed {
		if !m.hasAny() {
			continue
		}
		name := m.Table.File
		if files[name] == nil {
			files[name] = newCoverages()
		}
		m.addTo(files[name])
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		list = append(list, ChangedFile{name, files[name]})
	}
	return list
}

// hasAny reports whether anything is measured of a function.
func (m *measured) hasAny() bool { return len(m.statements)+len(m.branches)+len(m.outcomes) > 0 }

// missingOnLines returns what changed lines are missing: functions that nobody calls, and outcomes of conditions in others.
// Nothing else need be said of a function that was never called.
func missingOnLines(changed []*measured, lost *lost) (list []*Missing) {
	for _, m := range changed {
		switch {
		case m.Executed() || !m.KnowsAll():
			list = append(list, m.missingOutcomes(lost)...)
		case m.hasAny():
			list = append(list, &Missing{
				Measure: Statement, Function: m.Function, What: "never called", Line: m.Table.Line, New: lost.known[m.Function] == nil,
			})
		}
	}
	return list
}

// lostOutcomes returns the outcomes of conditions that were there before and are not now.
func lostOutcomes(functions []*measured, lost *lost) (list []*Missing) {
	for _, m := range functions {
		wasThere := func(o outcome) bool {
			return o.missing() && slices.ContainsFunc(o.edges, func(id int) bool { return lost.edge(m.Function, id) })
		}
		if !slices.ContainsFunc(m.outcomes, wasThere) { // to find the ways to all of them takes long
			continue
		}
		for _, item := range m.missingOutcomes(lost) {
			if item.Lost {
				list = append(list, item)
			}
		}
	}
	return list
}

// mostUseful returns the first of a list, in order, and how many it has besides.
func mostUseful(list []*Missing, most int) ([]*Missing, int) {
	slices.SortStableFunc(list, (*Missing).order)
	n := min(len(list), most)
	return list[:n], len(list) - n
}

// Points returns by how many points coverage has changed, and whether that can be said: there has to be something to cover
// before and after.
func (c *Compared) Points() (points *big.Rat, ok bool) {
	if c.Before.Possible.Sign() == 0 || c.Now.Possible.Sign() == 0 {
		return nil, false
	}
	points = new(big.Rat).Sub(c.Now.share(), c.Before.share())
	return points.Mul(points, big.NewRat(100, 1)), true
}

// pointsText returns "+0.4", "-0.003", "0", "≈0" or "-".
func (c *Compared) pointsText() string {
	points, ok := c.Points()
	switch {
	case !ok:
		return "-"
	case points.Sign() == 0:
		return "0"
	}
	text := points.FloatString(1)
	for digits := 2; digits <= mostDigits && isZero(text); digits++ {
		text = points.FloatString(digits)
	}
	switch {
	case isZero(text):
		return "≈0"
	case points.Sign() > 0:
		return "+" + text
	}
	return text
}

// isZero reports whether a number has no digit but 0.
func isZero(text string) bool {
	return !slices.ContainsFunc([]rune(text), func(r rune) bool { return '1' <= r && r <= '9' })
}

// nouns are what measures are called in tables.
var nouns = map[Measure]string{Path: "paths", Branch: "branches", Condition: "conditions", Statement: "statements"}

// shortCommit returns as much of the hash of a commit as people read.
func (b *Base) shortCommit() string { return b.Commit[:min(len(b.Commit), 12)] }

// title returns "the merge base with origin/main, 1a2b3c4d5e6f".
func (b *Base) title() string {
	return "the merge base with " + cmp.Or(b.Revision, "HEAD") + ", " + b.shortCommit()
}
