package difffuzz

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/ssacfg/pathnum"
)

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

// operandsUnsure reports whether the blocks of operands may be none or others than they seem. Where edges are merged,
// an operand may have become part of the branch before it.
func (w *walker) operandsUnsure() bool { return w.f.Table.Merged > 0 || w.guessed }

// leaveOutOperands goes by the statements alone.
func (w *walker) leaveOutOperands() {
	w.statements, w.counted = true, false
	maps.DeleteFunc(w.choices, func(id int, _ []int) bool { return w.j.sites[id].Func == "B" })
	w.assign(nil)
	w.findNever()
}

// executed makes sure that the counts of f's blocks have all that the traces have. Abandoned activations do not end
// their last path, but what they executed of it counts.
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
