package difffuzz

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/integration/progen"
	"github.com/goprofinstr/goprofinstr/ssacfg/pathnum"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// paths compares the paths of every function with those of its activations' walks.
func (j *judge) paths() {
	for _, f := range j.functions {
		acts := j.activations[f]
		if f.Declined() || len(acts) == 0 {
			continue
		}
		w := j.newWalker(f, acts)
		if f.Abandoned > 0 {
			j.figures.Abandoned++
			w.executed(acts)
			continue
		}
		d, err := decoder(f.Table)
		if err != nil {
			j.fail("paths", f, "%v", err)
			continue
		}
		counts, problem := w.decide(d, acts)
		if problem != "" && w.operandsUnsure() {
			w.leaveOutOperands()
			counts, problem = w.decide(d, acts)
		}
		switch {
		case problem != "":
			j.fail("paths", f, "%s", problem)
		case w.undecided:
			w.choose(acts)
		default:
			w.compare(acts, counts)
		}
	}
}

// compare holds the counts of paths that acts have against the profile's.
func (w *walker) compare(acts [][]event, counts map[uint64]int64) {
	if text := difference(w, w.f, counts); text != "" {
		w.j.fail("paths", w.f, "%s", text)
		return
	}
	figures := &w.j.figures
	figures.Compared++
	figures.Activations += int64(len(acts))
	figures.Paths += int64(len(counts))
	for _, n := range counts {
		figures.PathExecs += n
	}
	if w.f.Table.Storage == table.StorageHash {
		figures.Hashed++
	}
}

// decide returns how often each path is executed by acts, or what is wrong, trying what may make
// undecided walks certain and wrong ones right.
func (w *walker) decide(d *pathnum.Decoder, acts [][]event) (counts map[uint64]int64, problem string) {
	counts, problem = w.count(d, acts)
	if problem == "" && w.undecided {
		// If the profile is right, no walk takes an edge that has no count in it.
		w.counted = true
		counts, problem = w.count(d, acts)
		if problem == "" && !w.undecided {
			w.j.figures.Helped++
		}
	}
	for n := 1; problem != "" || !w.undecided && difference(w, w.f, counts) != ""; n++ {
		if !w.reassign(n) {
			break
		}
		if c, p := w.count(d, acts); p == "" && (w.undecided || difference(w, w.f, c) == "") {
			w.j.figures.LinesShared++
			return c, p
		}
	}
	return counts, problem
}

func decoder(t *table.Function) (*pathnum.Decoder, error) {
	edges, cut := make([]pathnum.Edge, len(t.Edges)), make([]bool, len(t.Edges))
	for i, e := range t.Edges {
		edges[i], cut[i] = pathnum.Edge{From: e.From, To: e.To}, e.Back
	}
	return pathnum.NewDecoder(len(t.Blocks), t.Entry, t.Exit, edges, cut, t.Values)
}

// difference describes the first difference between the profile's paths and
// the counts that should be there.
func difference(w *walker, f *profile.Function, want map[uint64]int64) string {
	got := make(map[uint64]int64)
	for _, p := range f.Paths {
		got[p.ID] = p.Count
	}
	var ids []uint64
	for id := range want {
		ids = append(ids, id)
	}
	for id := range got {
		if _, ok := want[id]; !ok {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	var text []string
	for _, id := range ids {
		if got[id] != want[id] {
			path, _ := w.decoder.Path(id)
			var blocks []string
			blocks = append(blocks, fmt.Sprint(path.Start))
			for _, e := range path.Edges {
				to := f.Table.Edges[e].To
				blocks = append(blocks, fmt.Sprintf("%d(:%d)", to, f.Table.Blocks[to].Line))
			}
			text = append(text, fmt.Sprintf("path %d counted %d times, want %d: %s", id, got[id], want[id], strings.Join(blocks, " ")))
		}
	}
	if len(text) > 6 {
		text = append(text[:6], "…")
	}
	return strings.Join(text, "\n\t")
}

// walker finds the walks of a function's activations.
type walker struct {
	j       *judge
	f       *profile.Function
	decoder *pathnum.Decoder

	choices map[int][]int // blocks that hold a site, the innermost first
	blockOf map[int]int   // by id of the site
	size    []int         // number of sites in each block that are ever reached
	never   []bool        // blocks that have sites, none of which is ever reached
	out     [][]int       // edge ids by block

	statements bool // operands are left out

	strict    bool // blocks that are in never are not executed
	guessed   bool // the block of a loop's condition is not in the table
	counted   bool // only edges with a count in the profile are taken
	undecided bool
}

// newWalker finds the blocks of the sites.
func (j *judge) newWalker(f *profile.Function, acts [][]event) *walker {
	w := &walker{j: j, f: f, choices: make(map[int][]int)}
	for _, events := range acts {
		for _, e := range events {
			if _, seen := w.choices[e.id]; !seen {
				w.choices[e.id] = w.blocksAt(j.sites[e.id])
			}
		}
	}
	w.out = make([][]int, len(f.Table.Blocks))
	for id, e := range f.Table.Edges {
		w.out[e.From] = append(w.out[e.From], id)
	}
	w.assign(nil)
	w.findNever()
	return w
}

// findNever finds the blocks that no activation comes by.
func (w *walker) findNever() {
	w.never = make([]bool, len(w.f.Table.Blocks))
	for _, s := range w.j.sitesOf[w.f] {
		if s.Func == "B" && (w.statements || !w.held(s)) {
			continue // dead perhaps
		}
		if list := w.blocksAt(s); len(list) > 0 && w.size[list[0]] == 0 {
			w.never[list[0]] = true
		}
	}
}

// operandsUnsure reports whether the blocks of operands may be none or others than they seem: where edges are
// merged, an operand may have become part of the branch before it.
func (w *walker) operandsUnsure() bool { return w.f.Table.Merged > 0 || w.guessed }

// leaveOutOperands goes by the statements alone.
func (w *walker) leaveOutOperands() {
	w.statements, w.counted = true, false
	maps.DeleteFunc(w.choices, func(id int, _ []int) bool { return w.j.sites[id].Func == "B" })
	w.assign(nil)
	w.findNever()
}

// executed makes sure that the counts of f's blocks have all that the traces have: abandoned
// activations do not end their last path, but what they executed of it counts.
func (w *walker) executed(acts [][]event) {
	count := make(map[int]int64) // by site
	for _, events := range acts {
		for _, e := range events {
			count[e.id]++
		}
	}
	for _, id := range slices.Sorted(maps.Keys(count)) {
		s := w.j.sites[id]
		if s.Func == "B" {
			continue // its block is a guess
		}
		if i := statementBefore(w.f, s); i < 0 || w.j.statements(w.f)[i] < count[id] {
			w.j.fail("paths", w.f, "line %d is executed %d times, which the profile does not have", s.Line, count[id])
		}
	}
}

// blocksAt returns the block of a statement, which the table tells. For an operand it returns
// the blocks whose extent has the site in it, the innermost first. A block with
// a place of no length at the operator or parenthesis of a condition is that of a loop's
// condition, or of one behind another logical operation.
func (w *walker) blocksAt(s *progen.Site) []int {
	if s.Func != "B" {
		if i := statementBefore(w.f, s); i >= 0 && w.f.Table.Statements[i].Block >= 0 {
			return []int{w.f.Table.Statements[i].Block}
		}
		return nil // dead, as the table has it
	}
	var list []int
	for id, b := range w.f.Table.Blocks {
		from, to := [2]int{b.Line, b.Col}, [2]int{b.EndLine, b.EndCol}
		at, end := [2]int{s.Line, s.Col}, [2]int{s.Line, s.End + len(" ")}
		switch {
		case from == to && compare(at, from) <= 0 && compare(from, end) <= 0,
			from != to && compare(from, at) <= 0 && compare(at, to) < 0:
			list = append(list, id)
		}
	}
	slices.SortStableFunc(list, func(a, b int) int {
		x, y := w.f.Table.Blocks[a], w.f.Table.Blocks[b]
		return cmp.Or(cmp.Compare(y.Line, x.Line), cmp.Compare(y.Col, x.Col), cmp.Compare(x.EndLine, y.EndLine))
	})
	// The extent of a block that a loop's condition has become part of, because no iteration follows
	// the first, does not reach as far as the condition.
	if i := statementBefore(w.f, s); s.Loop && i >= 0 {
		st := w.f.Table.Statements[i]
		if st.Block >= 0 && (len(list) == 0 || compare([2]int{st.Line, st.Col}, start(w.f.Table.Blocks[list[0]])) > 0) {
			list = append([]int{st.Block}, list...)
		}
	}
	if s.Loop && (len(list) == 0 || w.f.Table.Blocks[list[0]].Line < s.Line) {
		w.guessed = true
	}
	return list
}

func start(b table.Block) [2]int { return [2]int{b.Line, b.Col} }

// held reports whether the extent of a block starts within the line of a site.
func (w *walker) held(s *progen.Site) bool {
	return slices.ContainsFunc(w.f.Table.Blocks, func(b table.Block) bool { return b.Line == s.Line })
}

// statementBefore returns the index of the run of statements that the site is in, -1 if it is in none.
func statementBefore(f *profile.Function, s *progen.Site) int {
	last := -1
	for i, st := range f.Table.Statements {
		if compare([2]int{st.Line, st.Col}, [2]int{s.Line, s.Col}) <= 0 {
			last = i
		}
	}
	return last
}

func compare(a, b [2]int) int { return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1])) }

// assign takes the innermost block that holds a site, or for those in other, which are
// tried where that fails, the next one.
func (w *walker) assign(other []int) {
	w.blockOf = make(map[int]int)
	w.size = make([]int, len(w.f.Table.Blocks))
	for id, list := range w.choices {
		if len(list) == 0 {
			continue
		}
		at := 0
		if slices.Contains(other, id) {
			at = 1
		}
		w.blockOf[id] = list[at]
		w.size[list[at]]++
	}
}

// reassign makes the n-th other choice of blocks for sites: a block that gotos have joined
// from parts that are not neighbours extends over all that is between them, so that the
// innermost one that holds a site is not always that which is meant. It reports
// false when there is none left.
func (w *walker) reassign(n int) bool {
	var shared []int
	for id, list := range w.choices {
		if len(list) > 1 && w.overlap(list[0], list[1]) {
			shared = append(shared, id)
		}
	}
	slices.Sort(shared)
	if len(shared) > 8 || n >= 1<<len(shared) {
		return false
	}
	var other []int
	for i, id := range shared {
		if n>>i&1 == 1 {
			other = append(other, id)
		}
	}
	w.assign(other)
	return true
}

// overlap reports whether neither block's extent is inside the other's.
func (w *walker) overlap(a, b int) bool {
	x, y := w.f.Table.Blocks[a], w.f.Table.Blocks[b]
	return x.Line < y.Line && x.EndLine < y.EndLine || y.Line < x.Line && y.EndLine < x.EndLine
}

// count returns how often each path is executed by acts, or what is wrong.
func (w *walker) count(d *pathnum.Decoder, acts [][]event) (map[uint64]int64, string) {
	w.strict = true
	counts, problem := w.countWalks(d, acts)
	if problem != "" {
		// The sites that no trace has may be those of dead code, which is in no block.
		w.strict = false
		counts, problem = w.countWalks(d, acts)
	}
	return counts, problem
}

func (w *walker) countWalks(d *pathnum.Decoder, acts [][]event) (map[uint64]int64, string) {
	w.decoder, w.undecided = d, false
	counts := make(map[uint64]int64)
	for _, events := range acts {
		events = w.kept(events)
		edges, ways, stuck := w.walk(events)
		if ways == 0 {
			return nil, fmt.Sprintf("no walk through the graph fits a trace of %d events; the first %d do: line(block) %s",
				len(events), stuck, w.describe(events[:min(stuck+1, len(events))]))
		}
		if ways > 1 {
			w.undecided = true
			return nil, ""
		}
		if err := w.add(counts, edges); err != nil {
			return nil, err.Error()
		}
	}
	return counts, ""
}

// add counts the paths of a walk.
func (w *walker) add(counts map[uint64]int64, edges []int) error {
	p := pathnum.Path{Start: w.f.Table.Entry}
	for _, e := range edges {
		p.Edges = append(p.Edges, e)
		edge := w.f.Table.Edges[e]
		if !edge.Back && edge.To != w.f.Table.Exit {
			continue
		}
		id, err := w.decoder.Number(p)
		if err != nil {
			return err
		}
		counts[id]++
		p = pathnum.Path{Start: edge.To, Loop: true}
	}
	return nil
}

// kept returns the events to go by.
func (w *walker) kept(events []event) []event {
	if !w.statements {
		return events
	}
	return slices.DeleteFunc(slices.Clone(events), func(e event) bool { return w.j.sites[e.id].Func == "B" })
}

// describe names the events' lines and blocks.
func (w *walker) describe(events []event) string {
	var b strings.Builder
	for _, e := range events {
		block := "none"
		if id, ok := w.blockOf[e.id]; ok {
			block = fmt.Sprint(id)
		}
		fmt.Fprintf(&b, " %d(%s)", w.j.sites[e.id].Line, block)
	}
	return b.String()
}

// state is a point of a walk: a block is entered with so many events behind.
type state struct{ block, at int }

// step is what is known of a state: the number of ways to the exit, at
// most 2, and the edge to take if there is one.
type step struct {
	ways, edge int
	active     bool // being visited
}

// walk returns the edges of the walk that emits the events, and whether there is none or are several.
func (w *walker) walk(events []event) (edges []int, ways, stuck int) {
	memo, ways, stuck := w.search(events)
	if ways != 1 {
		return nil, ways, stuck
	}
	for s := (state{w.f.Table.Entry, 0}); s.block != w.f.Table.Exit; {
		at, _ := w.emit(s, events)
		e := memo[s].edge
		edges = append(edges, e)
		s = state{w.f.Table.Edges[e].To, at}
	}
	return edges, 1, 0
}

// search finds the states from which events can be emitted to their end, and how many ways there are from the entry.
func (w *walker) search(events []event) (memo map[state]*step, ways, stuck int) {
	memo = make(map[state]*step)
	var visit func(s state) int
	visit = func(s state) int {
		if k := memo[s]; k != nil {
			if k.active {
				return 2 // a cycle that emits nothing
			}
			return k.ways
		}
		k := &step{edge: -1, active: true}
		defer func() { k.active = false }()
		memo[s] = k
		stuck = max(stuck, s.at)
		at, ok := w.emit(s, events)
		if !ok {
			return 0
		}
		if s.block == w.f.Table.Exit {
			if at == len(events) {
				k.ways = 1
			}
			return k.ways
		}
		ways := 0
		for _, e := range w.out[s.block] {
			if !w.allowed(e, s, at, events) {
				continue
			}
			if n := visit(state{w.f.Table.Edges[e].To, at}); n > 0 {
				ways += n
				k.edge = e
			}
		}
		k.ways = min(ways, 2)
		return k.ways
	}
	ways = visit(state{w.f.Table.Entry, 0})
	return memo, ways, stuck
}

// emit consumes the events of a block: each of its sites once.
func (w *walker) emit(s state, events []event) (at int, ok bool) {
	end := s.at + w.size[s.block]
	if end > len(events) || w.strict && w.never[s.block] {
		return 0, false
	}
	for i := s.at; i < end; i++ {
		b, known := w.blockOf[events[i].id]
		if !known || b != s.block {
			return 0, false
		}
		for k := s.at; k < i; k++ {
			if events[k].id == events[i].id {
				return 0, false
			}
		}
	}
	return end, true
}

// allowed reports whether the outcome of the call of B that ends a block allows edge e.
func (w *walker) allowed(e int, s state, at int, events []event) bool {
	if w.counted && w.f.Edges[e] == 0 {
		return false
	}
	if at == s.at {
		return true
	}
	last := events[at-1]
	site := w.j.sites[last.id]
	edge := w.f.Table.Edges[e]
	if !site.Whole || edge.Line != site.Line || edge.Col < site.Col || edge.Col > site.End {
		return true // another condition decides
	}
	switch edge.Kind {
	case table.CondTrue:
		return last.outcome
	case table.CondFalse:
		return !last.outcome
	case table.IfThen:
		return last.outcome != site.Negated
	case table.IfElse:
		return last.outcome == site.Negated
	}
	return true
}
