package table

import (
	"cmp"
	"errors"
	"fmt"
	"math"
)

// What numbers of a table may be. No source has so many lines, and no function code on so many of them. A damaged
// table may have anything, and readers loop from a first to a last line.
const (
	mostLine  = 1 << 30
	mostLines = 1 << 20 // of a function's positions, all together
	mostMore  = 1 << 20
)

// Check reports for each function what keeps it from being used. Each index must be that of something that is
// there. Lines must be such that one can count from one to the other. No two functions may share counters.
// Declined functions have nothing but names and lines. The keys are indices of p.Functions.
//
// A path that is in the package's array has a number of words there, which depends on the way of counting.
// The table does not say how many counters and hash tables there really are, nor whether the graph can be
// numbered. See package profile and [pathnum.NewDecoder].
func (p *Package) Check(words uint64) map[int]error {
	damaged := make(map[int]error)
	room := p.Counters / words // for paths
	left := room               // of functions with counters, path by path
	for i := range p.Functions {
		f := &p.Functions[i]
		err := p.check(f, room)
		if err == nil && f.Declined == "" && f.Storage == StorageArray {
			if n := p.numCounts(f); n <= left {
				left -= n
			} else {
				err = fmt.Errorf("%d paths, and there are %d counters that no other function has", n, left)
			}
		}
		if err != nil {
			damaged[i] = err
		}
	}
	return damaged
}

func (p *Package) check(f *Function, room uint64) error {
	if err := f.checkPlace(); err != nil {
		return err
	}
	if f.Declined != "" {
		return f.checkDeclined()
	}
	for _, check := range []func() error{
		f.checkGraph, f.checkFacts, f.checkStatements, f.checkPositions, f.checkCounted, f.checkEnds, f.checkSelectors,
	} {
		if err := check(); err != nil {
			return err
		}
	}
	if f.Entries < -1 || f.Entries >= 0 && uint64(f.Entries) >= p.Counters {
		return fmt.Errorf("entry counter %d of %d", f.Entries, p.Counters)
	}
	return cmp.Or(f.checkStorage(p, room), f.checkCalls(p), f.checkPairs(p))
}

func isLine(lines ...int) bool {
	for _, l := range lines {
		if l < 0 || l > mostLine {
			return false
		}
	}
	return true
}

func (b Block) isPlace() bool { return isLine(b.Line, b.Col, b.EndLine, b.EndCol) }

func (f *Function) isBlock(id int) bool { return 0 <= id && id < len(f.Blocks) }

func (f *Function) isEdge(id int) bool { return 0 <= id && id < len(f.Edges) }

// checkPlace is about where the function is.
func (f *Function) checkPlace() error {
	if !isLine(f.Line, f.EndLine) || !f.Body.isPlace() {
		return fmt.Errorf("it is on lines %d to %d, its body at %v", f.Line, f.EndLine, f.Body)
	}
	return nil
}

// checkDeclined makes sure that nobody finds a graph in a function without counts.
func (f *Function) checkDeclined() error {
	graph := len(f.Blocks) + len(f.Edges) + len(f.Statements) + len(f.Facts)
	if graph+len(f.Positions)+len(f.Ends)+len(f.Calls)+len(f.Selectors) > 0 || f.Counted != nil || f.Pairs != nil {
		return fmt.Errorf("declined (%s), and instrumented", f.Declined)
	}
	return nil
}

func (f *Function) checkGraph() error {
	if !f.isBlock(f.Entry) || !f.isBlock(f.Exit) || f.Entry == f.Exit {
		return fmt.Errorf("entry %d and exit %d of %d blocks", f.Entry, f.Exit, len(f.Blocks))
	}
	for id, b := range f.Blocks {
		if !b.isPlace() {
			return fmt.Errorf("block %d at %v", id, b)
		}
	}
	for id, e := range f.Edges {
		if !f.isBlock(e.From) || !f.isBlock(e.To) || e.Back && e.To == f.Exit || !isLine(e.Line, e.Col) {
			return fmt.Errorf("edge %d, %d→%d at %d:%d, of %d blocks", id, e.From, e.To, e.Line, e.Col, len(f.Blocks))
		}
	}
	if f.Merged < 0 {
		return fmt.Errorf("%d merged edges", f.Merged)
	}
	return nil
}

// checkFacts also makes sure that conditions are numbered without many gaps, for there are arrays of them.
func (f *Function) checkFacts() error {
	if f.Facts == nil {
		return nil
	}
	if len(f.Facts) != len(f.Edges) {
		return fmt.Errorf("facts of %d edges, not %d", len(f.Facts), len(f.Edges))
	}
	all := 0
	for _, facts := range f.Facts {
		all += len(facts)
	}
	for id, facts := range f.Facts {
		for _, fact := range facts {
			if fact < 0 || fact.Condition() >= all {
				return fmt.Errorf("fact %d of edge %d, of %d in all", int(fact), id, all)
			}
		}
	}
	return nil
}

func (f *Function) checkStatements() error {
	for i, s := range f.Statements {
		if s.Block != -1 && !f.isBlock(s.Block) || s.Index < 0 || !isLine(s.Line, s.Col, s.Count) {
			return fmt.Errorf("statement %d at %d:%d, %d in block %d of %d", i, s.Line, s.Col, s.Index, s.Block, len(f.Blocks))
		}
	}
	return nil
}

func (f *Function) checkPositions() error {
	lines := 0
	for i := range f.Positions {
		p := &f.Positions[i]
		if !f.isBlock(p.Block) || p.Reached < 0 || p.Hash < -1 {
			return fmt.Errorf("position %d in block %d of %d, with hash table %d", i, p.Block, len(f.Blocks), p.Hash)
		}
		if p.Hash < 0 && !f.ByLine && f.Entries < 0 && f.Counted == nil {
			return fmt.Errorf("position %d in block %d without a hash table", i, p.Block)
		}
		if err := addLines(&lines, p.Lines); err != nil {
			return fmt.Errorf("position %d: %w", i, err)
		}
	}
	if f.ByLine && f.LineHash < 0 {
		return fmt.Errorf("hash table %d for lines", f.LineHash)
	}
	return nil
}

// addLines adds the lines of a list to their number.
func addLines(n *int, list []Lines) error {
	for _, l := range list {
		if !isLine(l.First, l.Last) || l.First > l.Last || l.Last-l.First >= mostLines-*n {
			return fmt.Errorf("lines %d to %d", l.First, l.Last)
		}
		*n += 1 + l.Last - l.First
	}
	return nil
}

func (f *Function) checkCounted() error {
	c := f.Counted
	if c == nil {
		return nil
	}
	if c.Hash < 0 {
		return fmt.Errorf("hash table %d for lines", c.Hash)
	}
	for _, e := range c.Edges {
		if e != -1 && !f.isEdge(e) {
			return fmt.Errorf("counter of edge %d of %d", e, len(f.Edges))
		}
	}
	lines := 0
	return addLines(&lines, c.Others)
}

func (f *Function) checkEnds() error {
	for _, e := range f.Ends {
		if !f.isEdge(e.Edge) {
			return fmt.Errorf("a marker of edge %d of %d", e.Edge, len(f.Edges))
		}
	}
	return nil
}

func (f *Function) checkSelectors() error {
	for i := range f.Selectors {
		s := &f.Selectors[i]
		switch s.Kind {
		case Calls, Trips, Numbers, Texts:
		default:
			return fmt.Errorf("selector of unknown kind %q", s.Kind)
		}
		if s.Hash < 0 && s.Declined == "" || !f.isBlock(s.Header) || !isLine(s.Line, s.Col) || !isOffset(s.Offset) {
			return fmt.Errorf("selector on line %d with hash table %d and header %d of %d blocks",
				s.Line, s.Hash, s.Header, len(f.Blocks))
		}
		for _, site := range s.Sites {
			if !f.isSite(site) {
				return fmt.Errorf("selector on line %d with a call at %d", s.Line, site.At)
			}
		}
	}
	return nil
}

// isOffset tells whether a number of lines from one to another is possible.
func isOffset(n int) bool { return -mostLine <= n && n <= mostLine }

func (f *Function) isSite(s Site) bool {
	return s.Reached >= 0 && (s.At < 0 && f.isEdge(-1-s.At) || f.isBlock(s.At))
}

// numCounts returns how many counts a function has in an array: those of its paths, and that of paths that are not known.
func (p *Package) numCounts(f *Function) uint64 {
	n := f.Values.NumPaths
	if p.Unknown && n < math.MaxUint64 {
		n++
	}
	return n
}

func (f *Function) checkStorage(p *Package, room uint64) error {
	if f.Cut < 0 {
		return fmt.Errorf("hash table %d for what was abandoned", f.Cut-1)
	}
	switch f.Storage {
	case StorageArray:
		if n := p.numCounts(f); f.First > room || n > room-f.First {
			return fmt.Errorf("%d path counters from %d on, of %d", n, f.First, room)
		}
		if f.Counts != Exact && p.Counts == Exact { // a path takes more counters than it does in other functions
			return errors.New("estimates in an array of exact counts")
		}
	case StorageHash:
		if f.Hash < 0 {
			return fmt.Errorf("hash table %d", f.Hash)
		}
	default:
		return fmt.Errorf("unknown storage %q", f.Storage)
	}
	if c := f.Counted; c != nil && (c.First > p.Counters || uint64(len(c.Edges)) > p.Counters-c.First) {
		return fmt.Errorf("%d edge counters from %d on, of %d", len(c.Edges), c.First, p.Counters)
	}
	return nil
}

func (f *Function) checkCalls(p *Package) error {
	for _, c := range f.Calls {
		known := 0 <= c.Callee && c.Callee < len(p.Callees)
		if !f.isSite(c.Site) || !known || c.More < 0 || c.More > mostMore || !isOffset(c.Line) {
			return fmt.Errorf("call at %d of function %d of %d, and %d more", c.At, c.Callee, len(p.Callees), c.More)
		}
	}
	return nil
}

// Hashes returns how many hash tables a package must have for a function.
func (f *Function) Hashes() int {
	most := -1
	if f.Storage == StorageHash {
		most = f.Hash
	}
	if f.ByLine {
		most = max(most, f.LineHash)
	}
	if f.Counted != nil {
		most = max(most, f.Counted.Hash)
	}
	for _, p := range f.Positions {
		most = max(most, p.Hash)
	}
	most = max(most, f.Cut-1)
	if f.Pairs.On() && f.Pairs.Storage == StorageHash {
		most = max(most, f.Pairs.Hash)
	}
	for i := range f.Selectors {
		most = max(most, f.Selectors[i].Hash)
	}
	return most + 1
}

// WithoutGraph returns what is left of a function that cannot be used: its name and place, declined for a reason.
func (f *Function) WithoutGraph(reason string) Function {
	left := Function{Name: f.Name, File: f.File, Declined: reason, Entries: -1}
	if f.checkPlace() == nil {
		left.Line, left.EndLine, left.Body = f.Line, f.EndLine, f.Body
	}
	return left
}
