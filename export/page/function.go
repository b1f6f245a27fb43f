package page

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/goprofinstr/goprofinstr/export/internal/about"
	"github.com/goprofinstr/goprofinstr/export/internal/code"
	"github.com/goprofinstr/goprofinstr/export/internal/holes"
	"github.com/goprofinstr/goprofinstr/export/internal/known"
	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/internal/show"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// shownPaths is how many paths of a function are listed unless all are asked for. In the tests of goldmark one function has more.
const shownPaths = 100

// functionView is the page of a function.
type functionView struct {
	*function
	ThisFunction *function // for links
	Package      *pkg
	Sampled      bool // counts are estimates
	Timed        bool // CPU time of paths is known
	Facts        []fact
	Shares       []share
	Paths        []pathRow
	More         int // paths that are not listed
	Selected     string

	Source *sourceView
	NoFile string // why there is no source
	Graph  graph
	Edges  []edgeRow
	Trees  []callerTree
	Holes  []hole

	Decisions []decisionView
}

// fact is a number about a function, and what the number is if that is not plain.
type fact struct{ Name, Value, About string }

// pathRow is a path in the list of its function.
type pathRow struct {
	*profile.Path
	Percent  string // of the function's flow, or of its path executions if it has no flow
	Part     float64
	Times    string   // executions
	Interval string   // of an estimate
	Steps    []string // what happens on it
	Lines    []string
	Selected bool
}

// graph is what the script knows of a function, in short: it is in the page as JSON.
type graph struct {
	Blocks [][]any             `json:"blocks"` // line, executions, heat, and if they are estimated, how many that is known to be
	Edges  [][]any             `json:"edges"`  // from, to, what the branch says, line of the branch, executions, and the same
	Back   []int               `json:"back"`   // edges that end paths
	Paths  map[string]pathJSON `json:"paths"`  // by number
	Exit   int                 `json:"exit"`
}

type pathJSON struct {
	Start int   `json:"start"`
	Edges []int `json:"edges"`
}

// edgeRow is an edge in the table that says what the picture of the graph does.
type edgeRow struct {
	From, To, Says string
	Count          int64
	Times          string
	Percent        string // of what leaves the block
}

// hole is a condition that was never true, or never false, with its text.
type hole struct {
	*holes.Hole
	code.Operand
	In *function
}

// newFunctionView returns the page of f with path selected, nil for none. At most as many paths as most are listed, and the
// selected one.
func (s *Site) newFunctionView(f *function, selected *profile.Path, most int) *functionView {
	v := &functionView{function: f, ThisFunction: f, Package: s.packageOf(f),
		Sampled: f.Certainty() < profile.Whether, Shares: shares([]*profile.Function{f.Function}, f.Coverage)}
	if f.Declined() {
		v.Source, v.NoFile = s.source(f)
		return v
	}
	if selected != nil {
		v.Selected = strconv.FormatUint(selected.ID, 10)
	}
	v.Facts = s.factsOf(f)
	v.addPaths(s.texts, selected, most)
	v.Source, v.NoFile = s.source(f)
	edges := known.EdgesOf(f.Function)
	v.Graph = newGraph(v, edges)
	v.Edges = edgeRows(f, edges)
	v.Trees = s.callerTrees(v)
	for _, h := range holes.Of(f.Function) {
		v.Holes = append(v.Holes, s.newHole(h))
	}
	v.Decisions = s.decisionsOf(f)
	return v
}

func (s *Site) packageOf(f *function) *pkg {
	i := slices.IndexFunc(s.packages, func(p *pkg) bool { return p.Path == f.Package })
	return s.packages[i]
}

func (s *Site) factsOf(f *function) []fact {
	facts := []fact{
		{noun(f.Entries, "call"), f.Calls(), ""},
		{"of all flow", f.FlowShare(s.flow), show.Word("flow")},
	}
	if f.Unknown > 0 {
		facts = append(facts, fact{"of its paths not known", about.UnknownShare(f.Function), "how many ended is known, and not which"})
	}
	if f.Self > 0 {
		facts = append(facts, fact{"CPU time", duration(f.Self), ""})
	}
	switch {
	case f.Abandoned > 0 && s.p.Alive():
		facts = append(facts, fact{"under way or abandoned", show.Grouped(f.Abandoned), show.Word("abandoned")})
	case f.Abandoned > 0:
		facts = append(facts, fact{"abandoned", show.Grouped(f.Abandoned), show.Word("abandoned")})
	}
	return facts
}

// noun returns a noun in the number that n things have.
func noun(n int64, one string) string {
	if n == 1 {
		return one
	}
	return one + "s"
}

func (v *functionView) addPaths(texts *code.Texts, selected *profile.Path, most int) {
	all := v.hottest()
	open, paths := known.IsOpen(v.function.Function), known.PathsOf(v.function.Function)
	total, weight := int64(0), func(p *profile.Path) int64 { return p.Flow() }
	if v.Coverage.Flow == 0 {
		weight = func(p *profile.Path) int64 { return p.Count }
	}
	for _, p := range all {
		total += weight(p)
		v.Timed = v.Timed || p.Time > 0
	}
	text, steps := texts.Of(v.Function), v.Stepper()
	for i, p := range all {
		if i >= most && p != selected {
			v.More++
			continue
		}
		row := pathRow{
			Path: p, Percent: show.Percent(weight(p), total), Part: part(weight(p), total), Times: paths.Count(p),
			Interval: paths.Interval(p), Steps: text.Path(p), Lines: steps(p), Selected: p == selected,
		}
		switch {
		case row.Interval != "":
			row.Percent = show.Share(weight(p), total, p.Samples)
		case open:
			row.Percent = show.Unknown
		}
		v.Paths = append(v.Paths, row)
	}
	if selected != nil && !slices.Contains(all, selected) {
		v.Paths = append(v.Paths, v.unexecuted(texts, selected))
	}
}

// unexecuted returns the row of a path that was not executed: check names such paths.
func (v *functionView) unexecuted(texts *code.Texts, p *profile.Path) pathRow {
	times := "never"
	if v.Sampled {
		times = "not seen"
	}
	return pathRow{Path: p, Times: times, Steps: texts.Of(v.Function).Path(p), Lines: v.Steps(p), Selected: true}
}

func newGraph(v *functionView, edges *known.AllEdges) graph {
	t := v.Table
	g := graph{Exit: t.Exit, Paths: make(map[string]pathJSON), Back: []int{}, Edges: [][]any{}}
	hottest := slices.Max(v.Blocks)
	for id, b := range t.Blocks {
		block := []any{b.Line, v.Blocks[id], heat(v.Blocks[id], hottest)}
		if v.Sampled {
			block = append(block, edges.Block(id, v.Blocks[id]))
		}
		g.Blocks = append(g.Blocks, block)
	}
	for id, e := range t.Edges {
		edge := []any{e.From, e.To, says(e.Kind), e.Line, v.function.Edges[id]}
		if v.Sampled {
			edge = append(edge, edges.Text(v.function.Edges[id], id))
		}
		g.Edges = append(g.Edges, edge)
		if e.Back {
			g.Back = append(g.Back, id)
		}
	}
	for _, p := range v.Paths {
		g.Paths[strconv.FormatUint(p.ID, 10)] = pathJSON{p.Start, p.Path.Edges}
	}
	return g
}

// says is what an edge is called on pages, "" if control has no choice.
func says(k table.EdgeKind) string {
	switch k {
	case table.Jump, table.LoopBack:
		return ""
	case table.IfThen, table.CondTrue:
		return "true"
	case table.IfElse, table.CondFalse:
		return "false"
	case table.CallPanic:
		return "panic"
	}
	return strings.TrimPrefix(strings.TrimPrefix(strings.TrimPrefix(string(k), "switch."), "select."), "range.")
}

func edgeRows(f *function, edges *known.AllEdges) []edgeRow {
	out := make([]int64, len(f.Table.Blocks))
	for id, e := range f.Table.Edges {
		out[e.From] += f.Edges[id]
	}
	var rows []edgeRow
	for id, e := range f.Table.Edges {
		rows = append(rows, edgeRow{blockName(f.Table, e.From), blockName(f.Table, e.To), says(e.Kind),
			f.Edges[id], edges.Text(f.Edges[id], id), edges.Share(id, f.Edges[id], out[e.From])})
	}
	return rows
}

// blockName is what a block is called where there is no room for its source.
func blockName(t *table.Function, id int) string {
	switch b := t.Blocks[id]; {
	case id == t.Exit:
		return "exit"
	case b.Line == 0:
		return fmt.Sprintf("block %d", id)
	default:
		return fmt.Sprintf("%d:%d", b.Line, b.Col)
	}
}

// newHole returns a hole with its text.
func (s *Site) newHole(h holes.Hole) hole {
	return hole{&h, h.Operand(s.texts), s.byFunc[h.Function]}
}

// Where is the address of a hole.
func (h hole) Where() string {
	return fmt.Sprintf("%s:%d:%d", show.Printable(h.Function.Table.File), h.Operand.Line, h.Operand.Col)
}
