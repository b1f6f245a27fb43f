package parquet

import (
	"math"
	"net/url"
	"strings"
	"time"

	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// A Group is what runs are of that were added up.
type Group struct {
	Service     string
	Labels      map[string]string // without those of the service and the host
	Build       string            // ID: equal ones have equal path tables
	Day         time.Time         // on which the runs started
	First, Last time.Time         // starts of the first and of the last run
	Runs, Hosts int
	Host, Run   string // "" if there are several
}

// group are the columns of a Group.
type group struct {
	Service string            `parquet:"service"`
	Labels  map[string]string `parquet:"labels"`
	Build   string            `parquet:"build"`
	Day     int32             `parquet:"day,date"`
	First   int64             `parquet:"first_start,timestamp(microsecond)"`
	Last    int64             `parquet:"last_start,timestamp(microsecond)"`
	Runs    int32             `parquet:"runs"`
	Hosts   int32             `parquet:"hosts"`
	Host    *string           `parquet:"host,optional"`
	Run     *string           `parquet:"run,optional"`
}

func (g *Group) columns() group {
	return group{
		Service: g.Service, Labels: g.Labels, Build: g.Build, Day: int32(g.Day.Unix() / (24 * 60 * 60)),
		First: g.First.UnixMicro(), Last: g.Last.UnixMicro(), Runs: int32(g.Runs), Hosts: int32(g.Hosts),
		Host: unlessEmpty(g.Host), Run: unlessEmpty(g.Run),
	}
}

// function are the columns of a function.
type function struct {
	Package   string `parquet:"package"`
	Function  string `parquet:"function"`
	File      string `parquet:"file"`
	Line      int32  `parquet:"line"`      // where it begins
	Estimated bool   `parquet:"estimated"` // counts of it may be estimates
}

func columnsOf(f *profile.Function) function {
	return function{f.Package, f.Table.Name, f.Table.File, int32(f.Table.Line), !f.Declined() && f.Certainty() < profile.HowOften}
}

// bounds say between which numbers a count is, 95 of 100 times. They are the count where it is exact, and null where nothing is
// known of the error.
type bounds struct {
	Low  *int64 `parquet:"low,optional"`
	High *int64 `parquet:"high,optional"`
}

// boundsOf returns the bounds of a count of f, of which n is known, or nothing if it is nil.
func boundsOf(f *profile.Function, count int64, n *profile.Number) bounds {
	switch {
	case n != nil:
		return bounds{&n.Low, &n.High}
	case f.Certainty() >= profile.HowOften:
		return bounds{&count, &count}
	}
	return bounds{}
}

// A functionRow is of a function.
type functionRow struct {
	group
	function
	Declined  *string `parquet:"declined,optional"`  // why it was left as it was
	Uncounted *string `parquet:"uncounted,optional"` // why copies of machine code do not count it; nothing is known of it
	Calls     int64   `parquet:"calls"`
	bounds
	Abandoned          int64  `parquet:"abandoned"`
	PossiblePaths      int64  `parquet:"possible_paths"`
	ExecutedPaths      int32  `parquet:"executed_paths"`
	Branches           int32  `parquet:"branches"`
	ExecutedBranches   int32  `parquet:"executed_branches"`
	Statements         int32  `parquet:"statements"`
	ExecutedStatements int32  `parquet:"executed_statements"`
	Time               *int64 `parquet:"time_ns,optional"`
}

func functionRows(g group, p *profile.Profile, _ *profile.Package, f *profile.Function) []functionRow {
	if f.Declined() {
		return []functionRow{{group: g, function: columnsOf(f), Declined: &f.Table.Declined}}
	}
	c := f.Coverage()
	row := functionRow{
		group: g, function: columnsOf(f), Uncounted: unlessEmpty(f.Uncounted),
		Calls: f.Entries, bounds: boundsOf(f, f.Entries, f.CallsNumber()), Abandoned: f.Abandoned,
		PossiblePaths: int64(f.Table.Values.NumPaths), ExecutedPaths: int32(len(f.Paths)),
		Branches: int32(c.Branches), ExecutedBranches: int32(c.BranchesExecuted),
		Statements: int32(c.Statements), ExecutedStatements: int32(c.StatementsExecuted),
	}
	if len(p.Contexts) > 0 {
		row.Time = new(int64)
		for i := range f.Paths {
			*row.Time += f.Paths[i].Time
		}
	}
	return []functionRow{row}
}

// A pathRow is of a path that was executed.
type pathRow struct {
	group
	function
	Path    int64  `parquet:"path"` // its number, which means the same in all groups of a build
	Count   int64  `parquet:"count"`
	Samples *int64 `parquet:"samples,optional"` // that Count is estimated from
	bounds
	Time     *int64  `parquet:"time_ns,optional"`
	Branches int32   `parquet:"branches"`
	Begins   string  `parquet:"begins_at"`  // entry or loop
	Ends     string  `parquet:"ends_at"`    // return or loop
	Lines    []int32 `parquet:"lines,list"` // of its blocks
}

func pathRows(g group, p *profile.Profile, _ *profile.Package, f *profile.Function) (rows []pathRow) {
	of, number := columnsOf(f), f.PathNumbers()
	for i := range f.Paths {
		path := &f.Paths[i]
		row := pathRow{
			group: g, function: of, Path: int64(path.ID), Count: path.Count, bounds: boundsOf(f, path.Count, number(path)),
			Branches: int32(path.Branches), Begins: "entry", Ends: "return",
		}
		if path.Samples > 0 {
			row.Samples = &path.Samples
		}
		if len(p.Contexts) > 0 {
			row.Time = &path.Time
		}
		if path.Loop {
			row.Begins = "loop"
		}
		if f.EndsInLoop(path) {
			row.Ends = "loop"
		}
		for _, line := range f.Lines(path) {
			row.Lines = append(row.Lines, int32(line))
		}
		rows = append(rows, row)
	}
	return rows
}

// An edgeRow is of an edge of a function's graph, executed or not.
type edgeRow struct {
	group
	function
	Edge  int32 `parquet:"edge"`
	From  int32 `parquet:"from_block"`
	To    int32 `parquet:"to_block"`
	Count int64 `parquet:"count"`
	bounds
	Kind     string `parquet:"kind"`
	Branch   bool   `parquet:"branch"` // there are others out of its block
	Back     bool   `parquet:"back"`   // it closes a loop
	FromLine int32  `parquet:"from_line"`
	ToLine   int32  `parquet:"to_line"`
}

func edgeRows(g group, _ *profile.Profile, _ *profile.Package, f *profile.Function) (rows []edgeRow) {
	of, numbers, branches := columnsOf(f), f.EdgeNumbers(), f.BranchEdges()
	for id, e := range f.Table.Edges {
		var n *profile.Number
		if numbers != nil {
			n = numbers[id].Number
		}
		rows = append(rows, edgeRow{
			group: g, function: of, Edge: int32(id), From: int32(e.From), To: int32(e.To),
			Count: f.Edges[id], bounds: boundsOf(f, f.Edges[id], n), Kind: string(e.Kind), Branch: branches[id], Back: e.Back,
			FromLine: int32(f.Table.Blocks[e.From].Line), ToLine: int32(f.Table.Blocks[e.To].Line),
		})
	}
	return rows
}

// A callRow is of the calls of one function on one line of another, executed or not. If the target is not known before, it
// is of the calls of one target.
type callRow struct {
	group
	function
	At      int32   `parquet:"call_line"`
	Callee  *string `parquet:"callee,optional"` // null if it is not known
	Dynamic bool    `parquet:"dynamic"`         // by an interface or a function value
	Count   int64   `parquet:"count"`
	Samples *int64  `parquet:"samples,optional"`
}

func callRows(g group, p *profile.Profile, pkg *profile.Package, f *profile.Function) (rows []callRow) {
	of, main := columnsOf(f), p.Main()
	counts := f.CallCounts()
	for i, c := range f.Table.Calls {
		to := pkg.Callees[c.Callee]
		callee := to.Package + "." + to.Name
		rows = append(rows, callRow{
			group: g, function: of, At: int32(f.Table.Line + c.Line), Callee: &callee, Count: product(counts[i], int64(1+c.More)),
		})
	}
	for i := range f.Events {
		e := &f.Events[i]
		for j := range e.Values {
			v := &e.Values[j]
			if e.Kind != table.Calls {
				continue
			}
			row := callRow{group: g, function: of, At: int32(e.Line), Dynamic: true, Count: v.Count}
			if v.Known() {
				callee := sourceName(v.Name)
				if rest, ok := strings.CutPrefix(callee, "main."); ok && main != "" { // as the linker has it
					callee = main + "." + rest
				}
				row.Callee = &callee
			}
			if v.Samples > 0 {
				row.Samples = &v.Samples
			}
			rows = append(rows, row)
		}
	}
	return rows
}

// sourceName returns a symbol with the import path as sources have it, of which the linker escapes some bytes.
func sourceName(symbol string) string {
	head, args, generic := strings.Cut(symbol, "[")
	from := strings.LastIndexByte(head, '/') + 1
	dot := strings.IndexByte(head[from:], '.')
	if dot < 0 {
		return symbol
	}
	path, err := url.PathUnescape(head[:from+dot])
	if err != nil {
		return symbol
	}
	name := path + head[from+dot:]
	if generic {
		name += "[" + args
	}
	return name
}

// product returns what a damaged table cannot make overflow.
func product(a, b int64) int64 {
	if b > 0 && a > math.MaxInt64/b {
		return math.MaxInt64
	}
	return a * b
}

// A valueRow is of a value of events that are no calls.
type valueRow struct {
	group
	function
	At      int32   `parquet:"at_line"`
	Value   *string `parquet:"value,optional"`  // null for all others, for which there was no room
	Number  *int64  `parquet:"number,optional"` // null for texts
	Count   int64   `parquet:"count"`
	Samples *int64  `parquet:"samples,optional"`
}

// valueRows returns what makes the rows of events of a kind, as Events.Name has it.
func valueRows(name string) maker[valueRow] {
	return func(g group, _ *profile.Profile, _ *profile.Package, f *profile.Function) (rows []valueRow) {
		of := columnsOf(f)
		for i := range f.Events {
			e := &f.Events[i]
			if e.Name() != name {
				continue
			}
			for j := range e.Values {
				v := &e.Values[j]
				row := valueRow{group: g, function: of, At: int32(e.Line), Count: v.Count}
				if v.Known() {
					row.Value = &v.Name
					if !e.Kind.Named() {
						row.Number = &v.Number
					}
				}
				if v.Samples > 0 {
					row.Samples = &v.Samples
				}
				rows = append(rows, row)
			}
		}
		return rows
	}
}

func unlessEmpty(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}
