package page

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

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
}

// fact is a number about a function.
type fact struct{ Name, Value string }

// pathRow is a path in the list of its function.
type pathRow struct {
	*profile.Path
	Percent  string // of the function's flow, or of its path executions if it has no flow
	Part     float64
	Steps    []string
	Selected bool
}

// graph is what the script knows of a function, in short: it is in the page as JSON.
type graph struct {
	Blocks [][3]int64          `json:"blocks"` // line, executions, heat
	Edges  [][5]any            `json:"edges"`  // from, to, what the branch says, line of the branch, executions
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
	Percent        string // of what leaves the block
}

// hole is a condition that was never true, or never false.
type hole struct {
	profile.Condition
	Never string
	Other int64  // how often it was the other
	Text  string // of its line, if there is a source
}

// newFunctionView returns the page of f with path selected, nil for none. At most as many paths as most are listed, and the selected one.
func (s *Site) newFunctionView(f *function, selected *profile.Path, most int) *functionView {
	v := &functionView{function: f, ThisFunction: f, Package: s.packageOf(f), Sampled: f.Certainty() < profile.Whether, Shares: shares(f.Coverage)}
	if f.Declined() {
		v.Source, v.NoFile = s.source(f)
		return v
	}
	if selected != nil {
		v.Selected = strconv.FormatUint(selected.ID, 10)
	}
	v.Facts = s.factsOf(f)
	v.addPaths(selected, most)
	v.Source, v.NoFile = s.source(f)
	v.Graph = newGraph(v)
	v.Edges = edgeRows(f)
	v.Trees = s.callerTrees(v)
	v.Holes = holesOf(v)
	return v
}

func (s *Site) packageOf(f *function) *pkg {
	i := slices.IndexFunc(s.packages, func(p *pkg) bool { return p.Path == f.Package })
	return s.packages[i]
}

func (s *Site) factsOf(f *function) []fact {
	facts := []fact{
		{noun(f.Entries, "call"), show.Grouped(f.Entries)},
		{"of all flow", show.Percent(f.Coverage.Flow, s.total.Flow)},
	}
	if f.Self > 0 {
		facts = append(facts, fact{"CPU time", duration(f.Self)})
	}
	if f.Abandoned > 0 {
		facts = append(facts, fact{"abandoned", show.Grouped(f.Abandoned)})
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

func (v *functionView) addPaths(selected *profile.Path, most int) {
	all := v.hottest()
	total, weight := int64(0), func(p *profile.Path) int64 { return p.Flow() }
	if v.Coverage.Flow == 0 {
		weight = func(p *profile.Path) int64 { return p.Count }
	}
	for _, p := range all {
		total += weight(p)
		v.Timed = v.Timed || p.Time > 0
	}
	for i, p := range all {
		if i >= most && p != selected {
			v.More++
			continue
		}
		v.Paths = append(v.Paths, pathRow{p, show.Percent(weight(p), total), part(weight(p), total), v.Steps(p), p == selected})
	}
}

func newGraph(v *functionView) graph {
	t := v.Table
	g := graph{Exit: t.Exit, Paths: make(map[string]pathJSON), Back: []int{}, Edges: [][5]any{}}
	hottest := slices.Max(v.Blocks)
	for id, b := range t.Blocks {
		g.Blocks = append(g.Blocks, [3]int64{int64(b.Line), v.Blocks[id], int64(heat(v.Blocks[id], hottest))})
	}
	for id, e := range t.Edges {
		g.Edges = append(g.Edges, [5]any{e.From, e.To, says(e.Kind), e.Line, v.function.Edges[id]})
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

func edgeRows(f *function) []edgeRow {
	out := make([]int64, len(f.Table.Blocks))
	for id, e := range f.Table.Edges {
		out[e.From] += f.Edges[id]
	}
	var rows []edgeRow
	for id, e := range f.Table.Edges {
		rows = append(rows, edgeRow{blockName(f.Table, e.From), blockName(f.Table, e.To), says(e.Kind), f.Edges[id], show.Percent(f.Edges[id], out[e.From])})
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

// holesOf returns the conditions of a function that were not seen both ways, those first that were evaluated most.
func holesOf(v *functionView) []hole {
	var list []hole
	for _, c := range v.Conditions() {
		switch {
		case c.True == 0 && c.False == 0:
			list = append(list, hole{c, "evaluated", 0, v.Source.text(c.Line)})
		case c.True == 0:
			list = append(list, hole{c, "true", c.False, v.Source.text(c.Line)})
		case c.False == 0:
			list = append(list, hole{c, "false", c.True, v.Source.text(c.Line)})
		}
	}
	slices.SortStableFunc(list, func(a, b hole) int { return cmp.Compare(b.Other, a.Other) })
	return list
}
