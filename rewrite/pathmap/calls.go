package pathmap

import (
	"go/token"
	"strings"

	"github.com/goprofinstr/goprofinstr/internal/pgofile"
	"github.com/goprofinstr/goprofinstr/rewrite/machine"
	"github.com/goprofinstr/goprofinstr/ssacfg"
)

// FuncOf returns the literal that the code of a machine function is of, or that of a call which was inlined into it: without
// the calls that were inlined into either. It is nil if that is no literal of the source. FuncOf goes by labels, since
// literals have several names: they are copied with functions that are inlined.
func (s *Source) FuncOf(m *machine.Function, at *machine.Scope) *Func {
	name := ""
	if at == nil {
		at = m.Root
	}
	if !IsLiteral(at.Name) {
		return nil // a wrapper, as of a deferred call, which has the position of the statement
	}
	for _, i := range m.Insts {
		k := s.piece(i.File)
		in := m.Root
		if n := len(i.Chain); n > 0 {
			in = i.Chain[n-1]
		}
		if k < 0 || in != at || at == m.Root && i.Kind != machine.Strict && i.Kind != machine.Branch {
			continue // a literal's prologue is of the statement around it
		}
		switch of := s.pieces[k].Function; {
		case name == "":
			name = of
		case name != of:
			return nil
		}
	}
	for _, f := range s.Funcs {
		if f.Untyped == name && IsLiteral(name) {
			return f
		}
	}
	return nil
}

// IsLiteral reports whether a function is a literal, by its name (closureName in cmd/compile/internal/ir).
func IsLiteral(name string) bool {
	name = name[strings.LastIndexByte(name, '.')+1:]
	return strings.HasPrefix(name, "func") || strings.Trim(name, "0123456789") == ""
}

// CallBlock returns the block of the target that a call which was inlined into it is in, -1 if that is not known.
func (t *Target) CallBlock(call *machine.Scope) int { return t.BlockAt(call.CallFile) }

// BlockAt returns the block of the target that a name in the line table is a label of, -1 if it is of none.
func (t *Target) BlockAt(file string) int {
	if r := t.source.ref(file); r.f == t.F {
		return r.block
	}
	return -1
}

// A Call is a call in the source of a function.
type Call struct {
	Callee string // with the package, and without type arguments; "" if the source does not tell it
	Method string // how such a callee is called, if it is a method
	Place
	Index       int // in the list of the function's calls; those of a block are in the order in which they are executed
	Arguments   []ssacfg.Argument
	Parameter   int // of the function that is called, by its index; -1 if it is none
	Pos         token.Pos
	Block, Edge int  // of the graph, one of which is -1
	Counted     bool // it is executed as often as the block or edge
}

// A Place is where line tables say that a call is.
type Place struct {
	Piece int // -1 if it has no label
	Line  int
}

// Calls returns the calls of a function. One on several edges is in the list for each.
func (s *Source) Calls(f *Func) (list []Call) {
	for _, site := range f.AllCalls() {
		c := Call{
			Index: len(list), Arguments: site.Arguments, Method: site.Method, Pos: site.Pos, Block: site.Block, Edge: site.Edge,
			Counted: site.Counted() && !f.RangesFunc,
		}
		c.Parameter = -1
		if site.Callee.Name != "" {
			c.Callee = PlainName(site.Callee.Package + "." + site.Callee.Name)
		} else if g, k := s.values.callee(site.Pos); g != nil {
			c.Callee = s.NameOf(g)
		} else {
			c.Parameter = k
		}
		c.Place = Place{-1, s.fset.Position(site.Pos).Line}
		if k, ok := s.index[site.Pos]; ok {
			c.Piece = s.tokens[k].piece
		}
		list = append(list, c)
	}
	return list
}

// Path returns the import path of the package.
func (s *Source) Path() string { return s.path }

// NameOf returns the name of a function of s, as Call has it.
func (s *Source) NameOf(f *Func) string { return PlainName(s.path + "." + f.Name) }

// Place returns the place that has a name and a line in the line table.
func (s *Source) Place(file string, line int) Place { return Place{s.piece(file), line} }

// Place returns the place in the target's package that has a name and a line in the line table.
func (t *Target) Place(file string, line int) Place { return t.source.Place(file, line) }

// Returns reports whether a place is in a return statement.
func (s *Source) Returns(p Place) bool { return s.returns[p] }

// PlainName returns a function's name without type arguments, which its receiver's type and a method may have.
func PlainName(name string) string { return pgofile.Plain(name) }

// departures returns how many edges of a way leave a block.
func (f *Func) departures(way []int, block int) (n int64) {
	for _, e := range way {
		if f.edges[e].from == block {
			n++
		}
	}
	return n
}

// Departures returns how often control left a block by edges of the source. The number is not known if ways that leave it
// more and less often are not told apart. Nor is it if control came by a way that is none of the source.
func (w *Walker) Departures(block int) (n int64, known bool) {
	f := w.T.F
	for _, e := range f.out[block] {
		n += w.Taken[e]
	}
	return n, w.tells(func(way []int) int64 { return f.departures(way, block) }) && len(w.Lost) == 0
}

// Edge returns how often an edge was taken, which may not be known.
func (w *Walker) Edge(edge int) (n int64, known bool) {
	return w.Taken[edge], w.tells(func(way []int) int64 { return times(way, edge) }) && len(w.Lost) == 0
}

// times returns how often a way takes an edge.
func times(way []int, edge int) (n int64) {
	for _, e := range way {
		if e == edge {
			n++
		}
	}
	return n
}

// TellsBlock reports whether looks leave nothing open about how often control leaves a block.
func (t *Target) TellsBlock(block int) bool {
	return t.tells(func(way []int) int64 { return t.F.departures(way, block) })
}

// TellsEdge reports that of an edge.
func (t *Target) TellsEdge(edge int) bool {
	return t.tells(func(way []int) int64 { return times(way, edge) })
}

// tells reports whether something happens equally often on all ways that nothing tells apart.
func (t *Target) tells(times func(way []int) int64) bool {
	if t.Failed != "" {
		return false
	}
	for _, d := range t.Doubts {
		for _, pair := range t.Untold(d) {
			if !d.same(times, d.Ways[pair[0]], d.Ways[pair[1]]) {
				return false
			}
		}
	}
	return true
}

func (w *Walker) tells(times func(way []int) int64) bool {
	for _, d := range w.Open {
		for _, way := range d.Ways {
			if !d.same(times, way, d.Ways[0]) {
				return false
			}
		}
	}
	return w.T.tells(times)
}

// same reports whether something happens equally often on two ways. If it happens on ways around a loop it is not told: there
// may have been no round at all, but another piece of evidence of one execution.
func (d *Doubt) same(times func(way []int) int64, v, w []int) bool {
	return times(v) == times(w) && (d.From != d.To || times(v) == 0)
}

// Reenters reports whether evidence of a call that was inlined may come in several pieces, with evidence of what is around
// it between. Then it seems to be several calls. A call is one place in the code: without a loop it is executed once.
func (t *Target) Reenters() bool {
	const before, inside, left = 1, 2, 4
	states := make([]int, len(t.M.Blocks)) // by machine block: what it may be entered in
	states[0] = before
	for changed := true; changed; {
		changed = false
		for _, b := range t.M.Blocks {
			after := states[b.Index]
			for k, i := range b.Insts {
				l := t.labels[b.Index][k]
				switch {
				case after == 0 || l.block < 0 || i.Kind != machine.Strict && i.Kind != machine.Branch:
				case l.block != t.exit && after&left != 0:
					return true
				case l.block != t.exit:
					after = inside
				case after&inside != 0:
					after = after&^inside | left
				}
			}
			for k, s := range b.Next() {
				if !b.Back[k] && states[s.Index]|after != states[s.Index] {
					states[s.Index] |= after
					changed = true
				}
			}
		}
	}
	return false
}
