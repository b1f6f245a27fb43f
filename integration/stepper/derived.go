package main

import (
	"github.com/goprofinstr/goprofinstr/rewrite/machine"
	"github.com/goprofinstr/goprofinstr/rewrite/pathmap"
)

// derive counts the executions of functions that have one path from where they are called. Their own code tells of itself.
// What is inlined of them is executed as often as the block that the call is in.
func (r *report) derive() error {
	rows := make(map[*pathmap.Func]*row)
	for _, row := range r.rows {
		if row.derived {
			rows[row.f] = row
		}
	}
	for _, fn := range r.program.funcs {
		walkers := make(map[*machine.Scope]*pathmap.Walker)
		for k, t := range fn.targets {
			scope := t.At
			if scope == nil {
				scope = fn.machine.Root
			}
			walkers[scope] = fn.walkers[k]
		}
		memo := make(map[*machine.Scope][]int64)
		for scope, w := range walkers {
			row := rows[w.T.F]
			if row == nil {
				continue
			}
			n, err := executions(scope, walkers, memo)
			if err != nil {
				return err
			}
			if n != nil {
				row.follows += n[0]
			}
		}
	}
	return nil
}

// executions returns how often each block of a function was executed in a scope; nil if that is not known.
func executions(scope *machine.Scope, walkers map[*machine.Scope]*pathmap.Walker, memo map[*machine.Scope][]int64) ([]int64, error) {
	if n, ok := memo[scope]; ok {
		return n, nil
	}
	w := walkers[scope]
	if w == nil {
		return nil, nil
	}
	n, err := w.Executions()
	if err != nil {
		return nil, err
	}
	if scope.Parent != nil && len(w.T.F.Graph.Edges) == 1 { // one path
		up, err := executions(scope.Parent, walkers, memo)
		if err != nil {
			return nil, err
		}
		n = nil
		if parent := walkers[scope.Parent]; parent != nil && up != nil {
			if b := parent.T.CallBlock(scope); b >= 0 {
				n = []int64{up[b], up[b]}
			}
		}
	}
	memo[scope] = n
	return n, nil
}
