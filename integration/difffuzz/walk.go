package difffuzz

import (
	"fmt"

	"github.com/goprofinstr/goprofinstr/ssacfg/pathnum"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// count returns how often each path is executed by acts, or what is wrong.
func (w *walker) count(d *pathnum.Decoder, acts [][]event) (map[uint64]int64, string) {
	w.strict = true
	counts, problem := w.countWalks(d, acts)
	if problem != "" {
		// The sites that no trace has may be those of dead code, which is in no block.
		w.strict = false
		counts, problem = w.countWalks(d, acts)
	}
	return counts, problem
}

func (w *walker) countWalks(d *pathnum.Decoder, acts [][]event) (map[uint64]int64, string) {
	w.decoder, w.undecided = d, false
	counts := make(map[uint64]int64)
	for _, events := range acts {
		events = w.kept(events)
		edges, ways, stuck := w.walk(events)
		if ways == 0 {
			return nil, fmt.Sprintf("no walk through the graph fits a trace of %d events; the first %d do: line(block) %s",
				len(events), stuck, w.describe(events[:min(stuck+1, len(events))]))
		}
		if ways > 1 {
			w.undecided = true
			return nil, ""
		}
		if err := w.add(counts, edges); err != nil {
			return nil, err.Error()
		}
	}
	return counts, ""
}

// add counts the paths of a walk.
func (w *walker) add(counts map[uint64]int64, edges []int) error {
	p := pathnum.Path{Start: w.f.Table.Entry}
	for _, e := range edges {
		p.Edges = append(p.Edges, e)
		edge := w.f.Table.Edges[e]
		if !edge.Back && edge.To != w.f.Table.Exit {
			continue
		}
		id, err := w.decoder.Number(p)
		if err != nil {
			return err
		}
		counts[id]++
		p = pathnum.Path{Start: edge.To, Loop: true}
	}
	return nil
}

// state is a point of a walk: a block is entered with so many events behind.
type state struct{ block, at int }

// step is what is known of a state. It is the number of ways to the exit, at most 2, and the edge to take if there is one.
type step struct {
	ways, edge int
	active     bool // being visited
}

// walk returns the edges of the walk that emits the events, and whether there is none or are several.
func (w *walker) walk(events []event) (edges []int, ways, stuck int) {
	memo, ways, stuck := w.search(events)
	if ways != 1 {
		return nil, ways, stuck
	}
	for s := (state{w.f.Table.Entry, 0}); s.block != w.f.Table.Exit; {
		at, _ := w.emit(s, events)
		e := memo[s].edge
		edges = append(edges, e)
		s = state{w.f.Table.Edges[e].To, at}
	}
	return edges, 1, 0
}

// search finds the states from which events can be emitted to their end, and how many ways there are from the entry.
func (w *walker) search(events []event) (memo map[state]*step, ways, stuck int) {
	memo = make(map[state]*step)
	var visit func(s state) int
	visit = func(s state) int {
		if k := memo[s]; k != nil {
			if k.active {
				return 2 // a cycle that emits nothing
			}
			return k.ways
		}
		k := &step{edge: -1, active: true}
		defer func() { k.active = false }()
		memo[s] = k
		stuck = max(stuck, s.at)
		at, ok := w.emit(s, events)
		if !ok {
			return 0
		}
		if s.block == w.f.Table.Exit {
			if at == len(events) {
				k.ways = 1
			}
			return k.ways
		}
		ways := 0
		for _, e := range w.out[s.block] {
			if !w.allowed(e, s, at, events) {
				continue
			}
			if n := visit(state{w.f.Table.Edges[e].To, at}); n > 0 {
				ways += n
				k.edge = e
			}
		}
		k.ways = min(ways, 2)
		return k.ways
	}
	ways = visit(state{w.f.Table.Entry, 0})
	return memo, ways, stuck
}

// emit consumes the events of a block: each of its sites once.
func (w *walker) emit(s state, events []event) (at int, ok bool) {
	end := s.at + w.size[s.block]
	if end > len(events) || w.strict && w.never[s.block] {
		return 0, false
	}
	for i := s.at; i < end; i++ {
		b, known := w.blockOf[events[i].id]
		if !known || b != s.block {
			return 0, false
		}
		for k := s.at; k < i; k++ {
			if events[k].id == events[i].id {
				return 0, false
			}
		}
	}
	return end, true
}

// allowed reports whether the outcome of the call of B that ends a block allows edge e.
func (w *walker) allowed(e int, s state, at int, events []event) bool {
	if w.counted && w.f.Edges[e] == 0 {
		return false
	}
	if at == s.at {
		return true
	}
	last := events[at-1]
	site := w.j.sites[last.id]
	edge := w.f.Table.Edges[e]
	if !site.Whole || edge.Line != site.Line || edge.Col < site.Col || edge.Col > site.End {
		return true // another condition decides
	}
	switch edge.Kind {
	case table.CondTrue:
		return last.outcome
	case table.CondFalse:
		return !last.outcome
	case table.IfThen:
		return last.outcome != site.Negated
	case table.IfElse:
		return last.outcome == site.Negated
	}
	return true
}
