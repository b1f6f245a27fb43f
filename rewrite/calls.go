package rewrite

import (
	"cmp"
	"go/token"
	"slices"

	"github.com/goprofinstr/goprofinstr/ssacfg"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// callees numbers what the functions of one package call.
type callees struct {
	list  []table.Callee
	index map[table.Callee]int
}

func (c *callees) number(callee table.Callee) int {
	i, ok := c.index[callee]
	if !ok {
		if c.index == nil {
			c.index = make(map[table.Callee]int)
		}
		i = len(c.list)
		c.index[callee] = i
		c.list = append(c.list, callee)
	}
	return i
}

// calls returns the calls of a function as its table has them.
func (c *callees) calls(fset *token.FileSet, fn *ssacfg.Func) []table.Call {
	line := func(pos token.Pos) int { return fset.Position(pos).Line }
	start := line(fn.Node.Pos())
	var list []table.Call
	for _, site := range fn.Calls() {
		list = append(list, table.Call{Site: siteOf(fn, site), Line: line(site.Pos) - start, Callee: c.number(site.Callee)})
	}
	slices.SortFunc(list, func(a, b table.Call) int {
		return cmp.Or(
			cmp.Compare(a.At, b.At), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Callee, b.Callee), cmp.Compare(a.Reached, b.Reached))
	})
	merged := list[:0]
	for _, call := range list {
		if n := len(merged); n > 0 && call == (table.Call{Site: merged[n-1].Site, Line: merged[n-1].Line, Callee: merged[n-1].Callee}) {
			merged[n-1].More++
			continue
		}
		merged = append(merged, call)
	}
	return merged
}

// siteOf returns where a call is as tables have it.
func siteOf(fn *ssacfg.Func, call ssacfg.CallSite) table.Site {
	if call.Block < 0 {
		return table.Site{At: -1 - call.Edge}
	}
	site := table.Site{At: call.Block}
	for _, p := range fn.Graph.Blocks[call.Block].Places[:call.Reached] {
		if p.StartsRun() {
			site.Reached++
		}
	}
	return site
}
