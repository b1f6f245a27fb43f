package main

import (
	"github.com/goprofinstr/goprofinstr/rewrite/derive"
	"github.com/goprofinstr/goprofinstr/rewrite/pathmap"
)

// derive counts the executions that leave no evidence, from where functions are called.
func (r *report) derive() (map[*pathmap.Func]*derive.Count, error) {
	p := &derive.Program{Sources: r.program.sources, Inlinable: func(name string) bool { return r.pkg.inlinable[name] }}
	for _, fn := range r.program.funcs {
		p.Codes = append(p.Codes, &derive.Code{M: fn.machine, Walkers: fn.walkers, Entries: fn.entries, Lost: fn.lost})
	}
	followed := make(map[string]bool)
	for _, fn := range r.program.funcs {
		followed[fn.machine.Name] = true
	}
	for _, m := range r.program.image.Funcs {
		if !followed[m.Name] {
			p.Codes = append(p.Codes, &derive.Code{M: m, Left: true})
		}
	}
	return p.Derive()
}
