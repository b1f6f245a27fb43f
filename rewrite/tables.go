package rewrite

import (
	"go/token"

	"github.com/goprofinstr/goprofinstr/ssacfg"
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
		Body:     between(fset, fn.Body.Lbrace, fn.Body.Rbrace+1),
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
	f.Positions, f.ByLine, f.LineHash = p.positions, p.byLine, p.lineHash
	f.Counted, f.Cut, f.Pairs = p.counted, p.cut, p.pairs.Pairs
	f.Facts = fn.Facts()
	f.Storage, f.First, f.Hash, f.Entries, f.Merged = p.Storage, p.First, p.Hash, p.entries, g.Merged
	if f.Storage == table.StorageHash {
		f.First = 0
	}
	p.paths.DescribeFunction(&p.Function, &f)
	return f
}

func extent(fset *token.FileSet, b *ssacfg.Block) table.Block {
	if !b.From.IsValid() {
		return table.Block{}
	}
	return between(fset, b.From, b.To)
}

func between(fset *token.FileSet, from, to token.Pos) table.Block {
	f, t := fset.PositionFor(from, false), fset.PositionFor(to, false)
	return table.Block{Line: f.Line, Col: f.Column, EndLine: t.Line, EndCol: t.Column}
}
