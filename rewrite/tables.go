package rewrite

import (
	"go/token"

	"github.com/goprofinstr/goprofinstr/ssacfg"
	"github.com/goprofinstr/goprofinstr/ssacfg/mark"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// describe returns the table entry of a function; p is nil if it is declined.
func describe(fset *token.FileSet, pkg, file string, fn *ssacfg.Func, p *plan) table.Function {
	line := func(pos token.Pos) int { return fset.PositionFor(pos, false).Line }
	f := table.Function{
		Name:     pkg + "." + fn.Name,
		File:     file,
		Line:     line(fn.Node.Pos()),
		EndLine:  line(fn.Body.Rbrace),
		Declined: fn.Declined,
		Entries:  -1,
	}
	if p == nil {
		return f
	}
	g := fn.Graph
	for _, b := range g.Blocks {
		f.Blocks = append(f.Blocks, extent(fset, b))
	}
	for i, e := range g.Edges {
		edge := table.Edge{From: e.From.Index(), To: e.To.Index(), Kind: e.Kind, Back: fn.Numbering.Cut[i]}
		if e.Pos.IsValid() {
			at := fset.PositionFor(e.Pos, false)
			edge.Line, edge.Col = at.Line, at.Column
		}
		f.Edges = append(f.Edges, edge)
	}
	f.Statements = statements(fset, fn)
	f.Exit = len(g.Blocks) - 1
	f.Values = fn.Numbering.Values
	f.Positions = p.positions
	f.Storage, f.First, f.Hash, f.Entries, f.Merged = p.storage, p.first, p.hash, p.entries, g.Merged
	return f
}

func extent(fset *token.FileSet, b *ssacfg.Block) table.Block {
	if !b.From.IsValid() {
		return table.Block{}
	}
	from, to := fset.PositionFor(b.From, false), fset.PositionFor(b.To, false)
	return table.Block{Line: from.Line, Col: from.Column, EndLine: to.Line, EndCol: to.Column}
}

func statements(fset *token.FileSet, fn *ssacfg.Func) []table.Statement {
	type where struct{ block, index int }
	at := make(map[*mark.Place]where)
	for i, b := range fn.Graph.Blocks {
		n := 0
		for _, p := range b.Places {
			if p.Kind == mark.Stmt {
				at[p] = where{i, n}
				n++
			}
		}
	}
	var list []table.Statement
	for _, p := range fn.Places {
		pos := fset.PositionFor(p.Pos, false)
		s := table.Statement{Line: pos.Line, Col: pos.Column, Block: -1}
		if w, ok := at[p]; ok {
			s.Block, s.Index = w.block, w.index
		}
		list = append(list, s)
	}
	return list
}
