package main

import (
	"github.com/goprofinstr/goprofinstr/rewrite/derive"
	"github.com/goprofinstr/goprofinstr/rewrite/machine"
	"github.com/goprofinstr/goprofinstr/rewrite/pathmap"
)

// find finds the executions that leave no evidence, from where functions are called. Functions are those whose machine code is
// counted.
func (m *program) find(p *pkg, functions []*function) (*derive.Found, error) {
	d := &derive.Program{Arch: m.image.GOARCH(), Sources: m.sources}
	if !p.copies { // what a product builds with copies is not told what can be inlined
		d.Inlinable = func(name string) bool { return p.inlinable[name] }
	}
	followed := make(map[*machine.Function]bool)
	for _, fn := range functions {
		followed[fn.machine] = true
		d.Codes = append(d.Codes, &derive.Code{M: fn.machine, Targets: fn.targets})
	}
	for _, mf := range m.image.Funcs {
		if !followed[mf] {
			d.Codes = append(d.Codes, &derive.Code{M: mf, Left: true})
		}
	}
	return d.Find()
}

// derive counts the executions that leave no evidence.
func (r *report) derive() (map[*pathmap.Func]*derive.Count, error) {
	found, err := r.program.find(r.pkg, r.program.funcs)
	if err != nil {
		return nil, err
	}
	run := &derive.Run{Walkers: make(map[*pathmap.Target]*pathmap.Walker), Entries: make(map[*machine.Function]int64),
		Reached: make(map[*machine.Block]int64), Back: make(map[*machine.Block]int64), Lost: make(map[*machine.Function]bool)}
	for _, fn := range r.program.funcs {
		run.Entries[fn.machine], run.Lost[fn.machine] = fn.entries, fn.lost
		for k, n := range fn.reached {
			run.Reached[fn.machine.Blocks[k]], run.Back[fn.machine.Blocks[k]] = n, fn.back[k]
		}
		for _, w := range fn.walkers {
			run.Walkers[w.T] = w
		}
	}
	r.explain = func(f *pathmap.Func) []string { return found.Explain(run, f) }
	return found.Count(run), nil
}
