package link

import (
	"slices"

	"github.com/goprofinstr/goprofinstr/rewrite/copies"
	"github.com/goprofinstr/goprofinstr/rewrite/derive"
	"github.com/goprofinstr/goprofinstr/rewrite/machine"
	"github.com/goprofinstr/goprofinstr/rewrite/pathmap"
	"github.com/goprofinstr/goprofinstr/rt/pathlog"
)

// A derived is what is executed without evidence.
type derived struct {
	*derive.Executions
	found *derive.Found
}

// derive finds what is executed without evidence, from where functions are called.
func (m *mapper) derive() error {
	p := &derive.Program{Arch: m.image.GOARCH(), Sources: make(map[string]*pathmap.Source), Symbols: make(map[string]string)}
	for _, src := range m.list {
		p.Sources[src.Path()] = src.Source
		for _, symbol := range src.symbols {
			p.Symbols[symbol] = src.Path()
		}
	}
	for _, c := range m.all {
		code := &derive.Code{M: c.Function, Left: c.err != nil}
		for _, t := range c.targets {
			if t.err == nil {
				code.Targets = append(code.Targets, t.Target)
			}
		}
		p.Codes = append(p.Codes, code)
	}
	found, err := p.Find()
	if err != nil {
		return err
	}
	m.derived = &derived{found.Executions(), found}
	return nil
}

// plan makes the plans of a code. A call of a function of one path needs none if what is around it counts it. Nor does a function
// that is not counted (of a test file), unless something is executed with it.
func (m *mapper) plan(c *code) {
	for k := range c.targets {
		t := &c.targets[k]
		_, placed := m.places[t.F]
		if t.err == nil && !m.derived.found.Counted[t.Target] && (placed || m.derived.Targets[t.Target] != nil) {
			t.err = tried(func() error {
				t.plan = t.Plan(m.derived.Targets[t.Target])
				return nil
			})
		}
		if t.Target != nil {
			t.Release()
		}
	}
}

// number gives targets their numbers: those of plans, and then one for each function that is executed without evidence. Such a
// function is never said to be counted exactly: what it is executed in may be sampled. At tells where targets are counted. A
// target that is not counted may be followed for what is executed besides.
func (m *mapper) number(
	k *copies.Copier, at func(f *pathmap.Func) pathlog.Target,
) (lists [][]copies.Counted, targets []pathlog.Target) {
	d := copies.Derived{Entries: m.derived.Entries, Calls: m.derived.Calls, Back: m.derived.Back,
		Counters: make(map[*pathmap.Func]uint32), Targets: make(map[*pathmap.Target]uint32)}
	counts := func(f *pathmap.Func) bool {
		_, placed := m.places[f]
		return placed && m.not[f].number == 0
	}
	for _, c := range m.codes {
		var list []copies.Counted
		for _, t := range c.targets {
			of := pathlog.Target{}
			switch {
			case t.plan == nil:
				continue
			case counts(t.F):
				if of = at(t.F); t.At != nil {
					of.At |= pathlog.Inlined
				}
			case m.derived.Targets[t.Target] == nil:
				continue
			}
			d.Targets[t.Target] = uint32(len(targets))
			list = append(list, copies.Counted{Plan: t.plan, Target: uint32(len(targets))})
			targets = append(targets, of)
		}
		lists = append(lists, list)
	}
	for f := range m.placed() { // in order, so that a program always gets the same copies
		if counts(f) && m.derived.has(f) {
			d.Counters[f] = uint32(len(targets))
			of := at(f)
			of.At |= pathlog.Inlined // it may be
			targets = append(targets, of)
		}
	}
	k.Derived = d
	return lists, targets
}

// has reports whether anything is executed of a function without evidence.
func (d *derived) has(f *pathmap.Func) bool { return len(d.found.Shares[f]) > 0 }

// opens returns why nothing tells how often the only path of a function is executed, "" if something does. One execution before
// the program begins is none that samples miss. Of a function with several paths the others count.
func (d *derived) opens(f *pathmap.Func) string {
	for _, s := range d.Open[f] {
		if len(f.Graph.Edges) == 1 && !s.N.Once() {
			return "where it is inlined nothing tells how often it is executed: " + s.Why
		}
	}
	return ""
}

// in reports whether something is counted in a machine function where it is entered, or calls.
func (d *derived) in(f *machine.Function) bool { return len(d.list(f)) > 0 }

// of returns the functions that are counted so in a code.
func (d *derived) of(c *code) (list []*pathmap.Func) {
	for _, a := range d.list(c.Function) {
		if a.F != nil {
			list = append(list, a.F)
		}
	}
	return list
}

func (d *derived) list(f *machine.Function) (list []*pathmap.Also) {
	list = append(list, d.Entries[f]...)
	for _, b := range f.Blocks {
		list = append(append(list, d.Calls[b]...), d.Back[b]...)
	}
	for k := 0; k < len(list); k++ {
		list = append(append(list, list[k].Then...), slices.Concat(list[k].Ways...)...)
	}
	return list
}
