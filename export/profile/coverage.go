package profile

import (
	"maps"
	"math/big"
	"regexp"
	"slices"
	"sort"
	"strings"

	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// Coverage says how much of the code was executed.
type Coverage struct {
	Functions         int // instrumented functions
	FunctionsExecuted int
	Declined          int // functions not instrumented, in none of the other numbers

	Paths         *big.Int // possible paths; their sum can exceed 64 bits
	PathsExecuted int

	Blocks         int // blocks with source
	BlocksExecuted int

	Branches         int // edges whose source has more than one successor edge
	BranchesExecuted int

	Conditions         int // outcomes of conditions: each can be true and false
	ConditionsExecuted int

	Statements         int // as go test -cover counts them, dead code included; see table.Statement
	StatementsExecuted int

	Abandoned int64 // activations that did not reach the exit of their function
	Flow      int64 // sum of Path.Flow
}

// Coverage sums up all packages.
func (p *Profile) Coverage() Coverage { return coverage(p.Functions()) }

// Coverage sums up the functions of one package.
func (p *Package) Coverage() Coverage { return coverage(p.Functions) }

// Coverage is that of one function.
func (f *Function) Coverage() Coverage { return coverage([]*Function{f}) }

func coverage(functions []*Function) Coverage {
	c := Coverage{Paths: new(big.Int)}
	shared := make(map[sharedUnit]bool)
	for _, f := range functions {
		if f.Declined() {
			c.Declined++
			continue
		}
		c.Functions++
		if f.Executed() {
			c.FunctionsExecuted++
		}
		c.Paths.Add(c.Paths, new(big.Int).SetUint64(f.Table.Values.NumPaths))
		c.PathsExecuted += len(f.Paths)
		c.addBlocks(f)
		c.addBranches(f)
		c.addConditions(f)
		c.addStatements(f, shared)
		c.Abandoned += f.Abandoned
		for i := range f.Paths {
			c.Flow += f.Paths[i].Flow()
		}
	}
	return c
}

func (c *Coverage) addBlocks(f *Function) {
	for id, b := range f.Table.Blocks {
		if b.Line == 0 {
			continue
		}
		c.Blocks++
		if f.Blocks[id] > 0 {
			c.BlocksExecuted++
		}
	}
}

func (c *Coverage) addBranches(f *Function) {
	for id, branch := range f.BranchEdges() {
		if !branch {
			continue
		}
		c.Branches++
		if f.Edges[id] > 0 {
			c.BranchesExecuted++
		}
	}
}

func (c *Coverage) addConditions(f *Function) {
	for _, cond := range f.Conditions() {
		c.Conditions += 2
		c.ConditionsExecuted += cond.Outcomes()
	}
}

// A sharedUnit is what several runs of statements are to Go's coverage.
type sharedUnit struct {
	pkg  string
	unit int
}

// addStatements adds the statements of f. Shared has the units that were added before, and whether they were executed.
func (c *Coverage) addStatements(f *Function, shared map[sharedUnit]bool) {
	for i, n := range f.StatementCounts() {
		statements := f.Table.Statements[i].Count
		added, executed := false, false
		if unit := f.Unit(i); unit > 0 {
			key := sharedUnit{f.Package, unit}
			executed, added = shared[key]
			shared[key] = executed || n > 0
		}
		if !added {
			c.Statements += statements
		}
		if n > 0 && !executed {
			c.StatementsExecuted += statements
		}
	}
}

// Unit returns what Go's coverage takes a run of statements for, by its index. Runs of one package with the same number are one
// to it. Unit returns 0 for a run that is like no other. Directives such as //line may give two runs of a function the same
// lines, of different files. Go counts these once, and as executed if one of them is (AddUnit of internal/coverage/cformat).
func (f *Function) Unit(statement int) int {
	if f.Units == nil {
		return 0
	}
	return f.Units[statement]
}

// StatementAt returns which run of statements of f a position is in, by index; -1 if it is before all of them.
func (f *Function) StatementAt(line, col int) int {
	list := f.Table.Statements
	return sort.Search(len(list), func(i int) bool {
		return list[i].Line > line || list[i].Line == line && list[i].Col > col
	}) - 1
}

// inLiteral is what the name of a function literal has more than that of the declaration it is in.
var inLiteral = regexp.MustCompile(`(\.func\d|-range\d).*$`)

// Declaration returns the name of the function declaration that f is or is in, without its package.
func (f *Function) Declaration() string {
	return inLiteral.ReplaceAllString(strings.TrimPrefix(f.Table.Name, f.Package+"."), "")
}

// joinStatements finds the runs of statements that are one to Go's coverage, for Unit.
func (pkg *Package) joinStatements() {
	units := 0
	for i := range pkg.Sources {
		s := &pkg.Sources[i]
		extents, err := s.Decode()
		if err != nil || !pkg.Covered { // who asks for a coverage profile is told
			continue
		}
		for _, same := range samePlaces(extents) {
			units = pkg.join(s.File, same, units)
		}
	}
}

// samePlaces returns the extents that have one place in profiles with others, those of each place together.
func samePlaces(extents []table.Extent) (groups [][]table.Extent) {
	if !slices.ContainsFunc(extents, table.Extent.Moved) {
		return nil
	}
	all := make(map[table.Extent][]table.Extent)
	for _, e := range extents {
		place := e
		place.Line, place.Col = 0, 0
		all[place] = append(all[place], e)
	}
	for _, e := range extents {
		place := e
		place.Line, place.Col = 0, 0
		if same := all[place]; len(same) > 1 && same[0] == e {
			groups = append(groups, same)
		}
	}
	return groups
}

// join gives numbers above units to runs of statements of one place, one for those of each declaration, and returns the last.
func (pkg *Package) join(file string, extents []table.Extent, units int) int {
	type run struct {
		f         *Function
		statement int
	}
	runs := make(map[string][]run)
	for _, e := range extents {
		f := pkg.around(file, e.Line, e.Col)
		if f == nil {
			continue
		}
		if i := f.StatementAt(e.Line, e.Col); i >= 0 {
			runs[f.Declaration()] = append(runs[f.Declaration()], run{f, i})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(runs)) {
		same := runs[name]
		if len(same) == 1 {
			continue
		}
		units++
		for _, r := range same {
			if r.f.Units == nil {
				r.f.Units = make([]int, len(r.f.Table.Statements))
			}
			r.f.Units[r.statement] = units
		}
	}
	return units
}

// around returns the innermost function of a file around a position; nil if it is in none.
func (pkg *Package) around(file string, line, col int) (inner *Function) {
	at := func(l, c int) bool { return l < line || l == line && c <= col } // not behind the position
	for _, f := range pkg.Functions {
		b := f.Table.Body
		if f.Table.File != file || !at(b.Line, b.Col) || at(b.EndLine, b.EndCol) {
			continue
		}
		if inner == nil || inner.Table.Body.Line < b.Line || inner.Table.Body.Line == b.Line && inner.Table.Body.Col < b.Col {
			inner = f
		}
	}
	return inner
}
