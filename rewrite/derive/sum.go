package derive

import (
	"fmt"
	"maps"

	"github.com/goprofinstr/goprofinstr/rewrite/machine"
	"github.com/goprofinstr/goprofinstr/rewrite/pathmap"
)

// An Event is something that happens in machine code a number of times.
type Event struct {
	Kind Kind
	M    *machine.Function // that happens in, nil for Once
	T    *pathmap.Target   // nil for Once, Entered, Called and Back
	K    int               // a block or edge of T, or which of T.Unseen, or a block of M for Called and Back
}

// Kind says what an event is.
type Kind int

// The kinds of events.
const (
	Once    Kind = iota // before the program begins
	Entered             // a machine function
	Called              // control reaches the call at the end of a machine block
	Back                // control comes back from that call, or passes the check at the end of a block
	Block               // control leaves a block
	Edge                // an edge is taken
	Begun               // evidence of T, which is inlined, follows on evidence outside of it
	Seen                // evidence of T, which has one path, has counted it
	Way                 // T is executed by a way without evidence
)

// A Sum is how often something happens: as often as events, times numbers. It may not be known, and Why says why. Then it
// happens if any of the events does, or if there are none.
type Sum struct {
	Terms map[Event]int64
	Why   string
}

func one(e Event) Sum { return Sum{Terms: map[Event]int64{e: 1}} }

func unknown(format string, args ...any) Sum { return Sum{Why: fmt.Sprintf(format, args...)} }

// none reports whether there is nothing that happens.
func (s Sum) none() bool { return s.Why == "" && len(s.Terms) == 0 }

func (s Sum) plus(o Sum, times int64) Sum {
	sum := Sum{maps.Clone(s.Terms), s.Why}
	if sum.Terms == nil {
		sum.Terms = make(map[Event]int64)
	}
	if sum.Why == "" {
		sum.Why = o.Why
	}
	for e, n := range o.Terms {
		if sum.Terms[e] += n * times; sum.Terms[e] == 0 {
			delete(sum.Terms, e)
		}
	}
	return sum
}

// because says why a sum is not known.
func (s Sum) because(format string, args ...any) Sum {
	return Sum{s.Terms, fmt.Sprintf(format, args...)}
}

// Once reports whether nothing but what happens before the program begins is in a sum.
func (s Sum) Once() bool {
	for e := range s.Terms {
		if e.Kind != Once {
			return false
		}
	}
	return len(s.Terms) > 0
}

// told reports whether machine code tells how often each event happens, whatever the program does.
func (s Sum) told() bool {
	for e := range s.Terms {
		switch e.Kind {
		case Block:
			if !e.T.TellsBlock(e.K) {
				return false
			}
		case Edge:
			if !e.T.TellsEdge(e.K) {
				return false
			}
		}
	}
	return s.Why == ""
}

// A Share is a part of how often a function is executed without evidence.
type Share struct {
	Path int64 // -1: nothing tells which
	N    Sum
	Why  string // the path is open, if N is not 0
}

// Found is what there is to count.
type Found struct {
	Shares  map[*pathmap.Func][]Share
	Counted map[*pathmap.Target]bool // of one path, whose evidence does not count: shares have all of its executions

	order []*pathmap.Func         // that have Shares, or may have
	runs  map[*pathmap.Target]Sum // of those that have ways without evidence
	ways  []*pathmap.Target       // the same, the outer ones first
}

// A Run is what was counted when the program ran.
type Run struct {
	Walkers map[*pathmap.Target]*pathmap.Walker
	Entries map[*machine.Function]int64 // how often each was entered
	Reached map[*machine.Block]int64    // how often the call at the end of a block was
	Back    map[*machine.Block]int64    // how often control came back from it
	Lost    map[*machine.Function]bool  // control was where no edge leads, so that counts may be too low
}

// A Count is how often a function was executed without evidence.
type Count struct {
	Paths map[uint64]int64  // by path, those that are known
	Open  map[uint64]string // paths that may have been executed more often, and why
	Any   string            // why each path may have been, or ""
	Calls int               // shares of which some event has happened
}

// Count returns what follows for each function from what was counted.
func (f *Found) Count(r *Run) map[*pathmap.Func]*Count {
	counts := make(map[*pathmap.Func]*Count)
	for fn, shares := range f.Shares {
		c := &Count{Paths: make(map[uint64]int64), Open: make(map[uint64]string)}
		counts[fn] = c
		for _, s := range shares {
			n, some := f.number(r, s.N)
			if !some {
				continue
			}
			c.Calls++
			why := n.why
			if s.Why != "" {
				why = s.Why
			}
			switch {
			case s.Path < 0:
				c.Any = why
			case why != "":
				c.Open[uint64(s.Path)] = why
			default:
				c.Paths[uint64(s.Path)] += n.n
			}
		}
	}
	return counts
}

// A number is of executions. It may not be known, and why says why.
type number struct {
	n   int64
	why string
}

// none reports whether there was no execution.
func (n number) none() bool { return n.why == "" && n.n == 0 }

// number returns what a sum comes to, and whether some event has happened.
func (f *Found) number(r *Run, s Sum) (sum number, some bool) {
	some = len(s.Terms) == 0 && s.Why != ""
	for e, times := range s.Terms {
		n := f.times(r, e)
		sum.n += n.n * times
		if n.why != "" {
			sum.why = n.why
		}
		some = some || !n.none()
	}
	if s.Why != "" && some {
		sum.why = s.Why
	}
	return sum, some
}

// times returns how often an event has happened.
func (f *Found) times(r *Run, e Event) number {
	if e.Kind == Once {
		return number{n: 1}
	}
	if r.Lost[e.M] {
		return number{why: e.M.Name + ": control was where no edge leads"}
	}
	switch e.Kind {
	case Entered:
		return number{n: r.Entries[e.M]}
	case Called:
		return number{n: r.Reached[e.M.Blocks[e.K]]}
	case Back:
		return number{n: r.Back[e.M.Blocks[e.K]]}
	}
	w := r.Walkers[e.T]
	if w == nil {
		return number{why: e.M.Name + " is not followed"}
	}
	n, known := int64(0), true
	switch e.Kind {
	case Seen:
		n = w.Counts[0]
	case Begun:
		n = w.Entered
	case Block:
		n, known = w.Departures(e.K)
	case Edge:
		n, known = w.Edge(e.K)
	case Way:
		return f.byWay(r, w, e.K)
	}
	if !known {
		return number{why: fmt.Sprintf("%s in %s: a block or edge is in doubt", e.T.F.Name, e.M.Name)}
	}
	return number{n: n}
}

// byWay returns how often a way without evidence was taken. Where there are several, looks tell that, if there was one in
// each execution.
func (f *Found) byWay(r *Run, w *pathmap.Walker, way int) number {
	runs, _ := f.number(r, f.runs[w.T])
	if runs.n -= w.Entered; runs.why == "" && runs.n < 0 {
		runs.why = fmt.Sprintf("%s in %s: executed %d times less than it was seen", w.T.F.Name, w.T.M.Name, -runs.n)
	}
	if runs.why != "" || runs.n == 0 || len(w.T.Unseen) == 1 {
		return runs
	}
	for _, chosen := range w.Chosen {
		sum := int64(0)
		for _, n := range chosen {
			sum += n
		}
		if sum == runs.n {
			return number{n: chosen[way]}
		}
	}
	return number{why: "several ways have no evidence"}
}

// Explain returns a line for each share of a function, with how often its events have happened.
func (f *Found) Explain(r *Run, fn *pathmap.Func) (lines []string) {
	for _, s := range f.Shares[fn] {
		line := fmt.Sprintf("path %d %s%s", s.Path, s.Why, s.N.Why)
		for e, n := range s.N.Terms {
			name := ""
			if e.M != nil {
				name = e.M.Name
			}
			if e.T != nil {
				name += ": " + e.T.F.Name
			}
			times := f.times(r, e)
			line += fmt.Sprintf("\n        %d × %v %d in %s, which is %d %s", n, e.Kind, e.K, name, times.n, times.why)
		}
		lines = append(lines, line)
	}
	return lines
}

func (k Kind) String() string {
	return [...]string{"once", "entry", "call", "return", "block", "edge", "beginning", "evidence", "way"}[k]
}
