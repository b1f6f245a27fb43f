package pprof

import (
	"fmt"
	"io"

	google "github.com/google/pprof/profile"

	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/internal/show"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// WriteEdges writes a gzipped pprof profile with a sample for each executed edge. Its value is edge_execs, its
// frame pkg.Func at the line the edge leads to. So listings of pkg.Func show how often control came to each line.
// An edge to the exit leads to the closing brace, and one to a block without source to where that block leads.
// Labels: edge, such as "12→14 i < n true"; kind; edge_id. With -tagleaf=edge pprof has edges as frames. They are
// none here, for its view of the source has a section for each function that it sees.
func WriteEdges(w io.Writer, p *profile.Profile) error {
	b := newBuilder(p, "edge_execs")
	var comments []comment
	for _, f := range p.Functions() {
		titles := make([]string, len(f.Edges))
		next := nextBlocks{f.Table, onlyEdges(f.Table)}
		for id, n := range f.Edges {
			e := f.Table.Edges[id]
			if n == 0 || next.passed(e.From) {
				continue
			}
			from, to := next.lines(e)
			title := fmt.Sprintf("%d→%d %s", from, to, e.Kind)
			if text := b.texts.Of(f).Branch(id); text != "" && b.texts.Of(f).HasSource() {
				title = show.Printable(fmt.Sprintf("%d→%d %s", from, to, text))
			}
			titles[id] = title
			b.prof.Sample = append(b.prof.Sample, &google.Sample{
				Location: []*google.Location{b.location(f, "", to)},
				Value:    []int64{n},
				Label:    map[string][]string{"edge": {title}, "kind": {string(e.Kind)}},
				NumLabel: map[string][]int64{"edge_id": {int64(id)}},
				NumUnit:  map[string][]string{"edge_id": {"id"}},
			})
		}
		comments = append(comments, b.edgeComments(f, titles)...)
	}
	b.commentEstimates("executions of edges", comments)
	return b.write(w)
}

// nextBlocks finds where edges lead in the source. A block without source that has only one edge out
// of it, such as the end of a loop's body, is not where anything happens. Edges into it lead on to
// its target, and the edge out of it is not counted again.
type nextBlocks struct {
	*table.Function
	only []int // see onlyEdges
}

// onlyEdges returns for each block the one edge out of it, or -1 if there are more or none.
func onlyEdges(f *table.Function) []int {
	only := make([]int, len(f.Blocks))
	for i := range only {
		only[i] = -1
	}
	seen := make([]bool, len(f.Blocks))
	for id, e := range f.Edges {
		only[e.From] = id
		if seen[e.From] {
			only[e.From] = -1
		}
		seen[e.From] = true
	}
	return only
}

func (f nextBlocks) passed(block int) bool {
	return f.Blocks[block].Line == 0 && f.only[block] >= 0
}

// lines returns the line of the branch that takes e and the line e leads to.
func (f nextBlocks) lines(e table.Edge) (from, to int) {
	from = firstNonZero(e.Line, f.Blocks[e.From].Line, f.Line)
	block := e.To
	for range f.Blocks { // at most: there may be a loop of nothing
		if block == f.Exit || !f.passed(block) {
			break
		}
		block = f.Edges[f.only[block]].To
	}
	if block == f.Exit {
		return from, firstNonZero(f.EndLine, from)
	}
	return from, firstNonZero(f.Blocks[block].Line, from)
}

func firstNonZero(lines ...int) int {
	for _, l := range lines {
		if l != 0 {
			return l
		}
	}
	return 0
}
