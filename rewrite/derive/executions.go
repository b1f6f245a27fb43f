package derive

import (
	"cmp"
	"slices"

	"github.com/goprofinstr/goprofinstr/rewrite/machine"
	"github.com/goprofinstr/goprofinstr/rewrite/pathmap"
)

// Executions are what is to be counted at events.
type Executions struct {
	Targets map[*pathmap.Target]*pathmap.Executions
	Entries map[*machine.Function][]*pathmap.Also // where a machine function is entered
	Calls   map[*machine.Block][]*pathmap.Also    // in front of the call that a block ends in
	Back    map[*machine.Block][]*pathmap.Also    // behind it, or where control passes the check that it ends in
	Once    map[*pathmap.Func]map[uint64]int64    // before the program begins

	Open map[*pathmap.Func][]Share // those that are not counted, and why
}

// Executions returns what plans and copies count when events happen.
func (f *Found) Executions() *Executions {
	x := &Executions{Targets: make(map[*pathmap.Target]*pathmap.Executions), Entries: make(map[*machine.Function][]*pathmap.Also),
		Calls: make(map[*machine.Block][]*pathmap.Also), Back: make(map[*machine.Block][]*pathmap.Also),
		Once: make(map[*pathmap.Func]map[uint64]int64), Open: make(map[*pathmap.Func][]Share)}
	byWay := make(map[Event][]*pathmap.Also)
	byPath := func(a, b Share) int { return cmp.Compare(a.Path, b.Path) }
	for _, fn := range f.order { // so that a program always gets the same copies
		for _, s := range slices.SortedStableFunc(slices.Values(f.Shares[fn]), byPath) {
			if s.Why = f.opens(s); s.Why != "" {
				x.Open[fn] = append(x.Open[fn], s)
				continue
			}
			for e, n := range s.N.Terms {
				switch {
				case n < 0: // evidence that does not count
				case e.Kind == Once:
					x.once(fn, uint64(s.Path), n)
				default:
					x.at(e, slices.Repeat([]*pathmap.Also{{F: fn, Path: uint64(s.Path)}}, int(n)), byWay)
				}
			}
		}
	}
	for _, t := range slices.Backward(f.ways) { // the inner ones first
		also := &pathmap.Also{Unless: t}
		some := false
		for k := range t.Unseen {
			list := byWay[Event{Kind: Way, M: t.M, T: t, K: k}]
			also.Ways, some = append(also.Ways, list), some || len(list) > 0
		}
		if !some || f.waits(t) != "" {
			continue
		}
		if len(t.Unseen) == 1 {
			also.Then, also.Ways = also.Ways[0], nil
		}
		of := x.of(t)
		of.Begin = append([]*pathmap.Also{{Marks: true}}, of.Begin...)
		for at := range f.runs[t].Terms {
			x.at(at, []*pathmap.Also{also}, byWay)
		}
	}
	return x
}

// opens returns why a share is not counted, "" if it is.
func (f *Found) opens(s Share) string {
	switch {
	case s.Why != "":
		return s.Why
	case s.N.Why != "":
		return s.N.Why
	}
	for e := range s.N.Terms {
		if e.T != nil && e.T.Failed != "" {
			return e.T.F.Name + " is not mapped"
		}
		if e.Kind == Way {
			if why := f.waits(e.T); why != "" {
				return why
			}
		}
	}
	return ""
}

// Runs returns how often a call is executed that was inlined, and has ways without evidence.
func (f *Found) Runs(t *pathmap.Target) Sum { return f.runs[t] }

// waits returns why executions of a target without evidence are not counted, "" if they are. They are counted where control has
// passed the call, if it has left no evidence until then.
func (f *Found) waits(t *pathmap.Target) string {
	runs := f.runs[t]
	if runs.Why != "" {
		return runs.Why
	}
	for e, n := range runs.Terms {
		switch {
		case n != 1:
			return "it is called several times at one place"
		case e.Kind == Once:
			return "it is called in an initial value"
		case e.Kind == Way && f.waits(e.T) != "":
			return f.waits(e.T)
		}
	}
	return ""
}

func (x *Executions) once(f *pathmap.Func, path uint64, n int64) {
	if x.Once[f] == nil {
		x.Once[f] = make(map[uint64]int64)
	}
	x.Once[f][path] += n
}

// of returns what is executed besides the paths of a target.
func (x *Executions) of(t *pathmap.Target) *pathmap.Executions {
	if x.Targets[t] == nil {
		x.Targets[t] = &pathmap.Executions{Blocks: make(map[int][]*pathmap.Also), Edges: make(map[int][]*pathmap.Also)}
	}
	return x.Targets[t]
}

// at has executions be counted at an event.
func (x *Executions) at(e Event, list []*pathmap.Also, byWay map[Event][]*pathmap.Also) {
	switch e.Kind {
	case Entered:
		x.Entries[e.M] = append(x.Entries[e.M], list...)
	case Called:
		b := e.M.Blocks[e.K]
		x.Calls[b] = append(x.Calls[b], list...)
	case Back:
		b := e.M.Blocks[e.K]
		x.Back[b] = append(x.Back[b], list...)
	case Block:
		of := x.of(e.T)
		of.Blocks[e.K] = append(of.Blocks[e.K], list...)
	case Seen: // of a function of one path, whose blocks are left once
		of := x.of(e.T)
		of.Blocks[0] = append(of.Blocks[0], list...)
	case Edge:
		of := x.of(e.T)
		of.Edges[e.K] = append(of.Edges[e.K], list...)
	case Begun:
		of := x.of(e.T)
		of.Begin = append(of.Begin, list...)
	case Way:
		byWay[e] = append(byWay[e], list...)
	}
}
