package link

import (
	"fmt"

	"github.com/goprofinstr/goprofinstr/rewrite/copies"
	"github.com/goprofinstr/goprofinstr/rewrite/derive"
	"github.com/goprofinstr/goprofinstr/rewrite/label"
	"github.com/goprofinstr/goprofinstr/rewrite/machine"
	"github.com/goprofinstr/goprofinstr/rewrite/pathmap"
	rt "github.com/goprofinstr/goprofinstr/rt/copies"
)

// A mapper maps the machine code of a program.
type mapper struct {
	*sources
	image   *machine.Image
	codes   []*code
	targets map[*pathmap.Func][]*pathmap.Target
	not     map[*pathmap.Func]reason // why functions are not counted
}

// A code is a machine function that has functions of the source in it.
type code struct {
	*machine.Function
	targets []*pathmap.Target
	plans   []*pathmap.Plan
}

// A reason says why a function is not counted, to the program and to people.
type reason struct {
	number uint32 // of package rt/copies
	text   string
}

// mapAll maps all machine functions that have functions of the sources in them.
func (s *sources) mapAll(binary string) (*mapper, error) {
	ours := func(file string) bool { _, _, ok := label.Split(file); return ok }
	im, err := machine.Open(binary, s.wanted, ours)
	if err != nil {
		return nil, err
	}
	m := &mapper{sources: s, image: im, targets: make(map[*pathmap.Func][]*pathmap.Target), not: make(map[*pathmap.Func]reason)}
	for _, f := range im.Funcs {
		c := &code{Function: f}
		if err := tried(func() error { return im.Build(f) }); err != nil {
			m.leave(f, reason{rt.Uncopied, err.Error()})
			continue
		}
		m.find(c)
		if len(c.targets) > 0 {
			m.codes = append(m.codes, c)
		}
	}
	return m, nil
}

// tried runs a function. Its panic is an error: one function must not cost the build.
func tried(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("goprofinstr has a mistake: %v", p)
		}
	}()
	return f()
}

// scopes calls a function for a machine function and all calls that were inlined into it.
func scopes(f *machine.Function, visit func(s, at *machine.Scope)) {
	visit(f.Root, nil)
	var inner func(s *machine.Scope)
	inner = func(s *machine.Scope) {
		for _, c := range s.Children {
			visit(c, c)
			inner(c)
		}
	}
	inner(f.Root)
}

// leave notes of all functions of the source that are in a machine function that they are not counted. There may be literals among
// them that only instructions tell, so names have to do.
func (m *mapper) leave(f *machine.Function, why reason) {
	scopes(f, func(s, _ *machine.Scope) {
		if fn := m.named[derive.Function(s.Name)]; fn.Func != nil {
			m.not[fn.Func] = why
		}
	})
}

// find maps the functions of the source in a machine function.
func (m *mapper) find(c *code) {
	scopes(c.Function, func(s, at *machine.Scope) {
		f := m.funcOf(c.Function, s)
		if f.Func == nil {
			return
		}
		err := tried(func() error {
			t := f.source.NewTarget(f.Func, c.Function, at)
			plan := t.Plan()
			c.targets, c.plans = append(c.targets, t), append(c.plans, plan)
			m.targets[f.Func] = append(m.targets[f.Func], t)
			return nil
		})
		if err != nil {
			m.not[f.Func] = reason{rt.Internal, err.Error()}
		}
	})
}

// funcOf returns the function of the source that a machine function is, or a call that was inlined into it.
func (m *mapper) funcOf(f *machine.Function, s *machine.Scope) sourced {
	if fn := m.named[derive.Function(s.Name)]; fn.Func != nil || !pathmap.IsLiteral(s.Name) {
		return fn
	}
	for _, src := range m.list {
		if fn := src.FuncOf(f, s); fn != nil {
			return sourced{fn, src}
		}
	}
	return sourced{}
}

// whyNot returns why a function is not counted, as far as the map says; the number is 0 if it may be.
func (m *mapper) whyNot(f *pathmap.Func) reason {
	if why, ok := m.not[f]; ok {
		return why
	}
	if len(m.targets[f]) == 0 {
		return reason{rt.NoCode, "no code of it is in the program"}
	}
	d, err := f.Decoder()
	if err != nil {
		return reason{rt.Unmapped, err.Error()}
	}
	if d.NumPaths() == 1 {
		return reason{rt.Unmapped, "it has one path, and nothing may be left of it where it is inlined"}
	}
	if why := pathmap.Prove(f, m.targets[f]).Failed(); why != "" {
		return reason{rt.Unmapped, why}
	}
	return reason{}
}

// copyAll makes the copies, whose code begins at an address. Targets are where the paths of each plan are counted.
func (m *mapper) copyAll(base uint64, at func(f *pathmap.Func) rt.Target) (c *copies.Copied, targets []rt.Target, err error) {
	counts := make(map[*pathmap.Func]bool)
	for f := range m.places {
		why := reason{}
		if err := tried(func() error { why = m.whyNot(f); return nil }); err != nil {
			why = reason{rt.Internal, err.Error()}
		}
		if counts[f] = why.number == 0; !counts[f] {
			m.not[f] = why
		}
	}
	for again := true; again; {
		again, targets = false, nil
		k := copies.New(base)
		for _, c := range m.codes {
			var list []copies.Counted
			for i, t := range c.targets {
				if counts[t.F] {
					list = append(list, copies.Counted{Plan: c.plans[i], Target: uint32(len(targets))})
					targets = append(targets, at(t.F))
				}
			}
			if err := tried(func() error { return k.Add(c.Function, list) }); err != nil {
				for _, t := range c.targets {
					if counts[t.F] { // the other places of it tell too little
						counts[t.F], again = false, true
						m.not[t.F] = reason{rt.Uncopied, c.Name + ": " + err.Error()}
					}
				}
			}
		}
		if c, err = k.Finish(); err != nil {
			return nil, nil, err
		}
	}
	return c, targets, nil
}
