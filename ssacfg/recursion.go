package ssacfg

import "golang.org/x/tools/go/ssa"

// recursive returns which functions can call themselves by way of calls whose callee the source names; those through interfaces and
// function values are not seen. They are the strongly connected components of the call graph, found with Tarjan's algorithm. A
// function is taken to call the literals in it.
func recursive(bodies []*ssa.Function) map[*ssa.Function]bool {
	g := callGraph{
		known: make(map[*ssa.Function]bool), index: make(map[*ssa.Function]int), low: make(map[*ssa.Function]int),
		onStack: make(map[*ssa.Function]bool), found: make(map[*ssa.Function]bool),
	}
	for _, fn := range bodies {
		g.known[fn] = true
	}
	for _, fn := range bodies {
		if g.index[fn] == 0 {
			g.visit(fn)
		}
	}
	return g.found
}

type callGraph struct {
	known   map[*ssa.Function]bool
	index   map[*ssa.Function]int // from 1, in the order of visits
	low     map[*ssa.Function]int // least index that can be reached
	stack   []*ssa.Function
	onStack map[*ssa.Function]bool
	found   map[*ssa.Function]bool
}

func (g *callGraph) visit(fn *ssa.Function) {
	g.index[fn] = len(g.index) + 1
	g.low[fn] = g.index[fn]
	g.stack = append(g.stack, fn)
	g.onStack[fn] = true
	for _, callee := range g.callees(fn) {
		switch {
		case callee == fn:
			g.found[fn] = true
		case g.index[callee] == 0:
			g.visit(callee)
			g.low[fn] = min(g.low[fn], g.low[callee])
		case g.onStack[callee]:
			g.low[fn] = min(g.low[fn], g.index[callee])
		}
	}
	if g.low[fn] != g.index[fn] {
		return
	}
	alone := g.stack[len(g.stack)-1] == fn
	for {
		last := g.stack[len(g.stack)-1]
		g.stack = g.stack[:len(g.stack)-1]
		g.onStack[last] = false
		if !alone {
			g.found[last] = true
		}
		if last == fn {
			return
		}
	}
}

func (g *callGraph) callees(fn *ssa.Function) []*ssa.Function {
	callees := fn.AnonFuncs
	for _, b := range fn.Blocks {
		for _, instr := range b.Instrs {
			call, ok := instr.(ssa.CallInstruction)
			if !ok {
				continue
			}
			callee := call.Common().StaticCallee()
			if callee != nil && callee.Origin() != nil {
				callee = callee.Origin()
			}
			if g.known[callee] {
				callees = append(callees[:len(callees):len(callees)], callee)
			}
		}
	}
	return callees
}
