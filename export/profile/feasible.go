package profile

import "github.com/goprofinstr/goprofinstr/ssacfg/table"

// Known is what is known of conditions at a place on a path: by number, whether they are true.
type Known map[int]bool

// Take adds what is known after an edge of f, and reports whether it can be taken at all.
func (k Known) Take(f *Function, edge int) bool {
	if f.Table.Facts == nil {
		return true
	}
	for _, fact := range f.Table.Facts[edge] {
		c := fact.Condition()
		if fact.Forgets() {
			delete(k, c)
			continue
		}
		is := fact == table.NewFact(c, true)
		if was, ok := k[c]; ok && was != is {
			return false
		}
		k[c] = is
	}
	return true
}

// Infeasible tells that no execution can take the edges of a path, or part of one, one after the other: a condition would have to be
// true and false with nothing changed in between. Others may be infeasible, too, for reasons that are less simple.
func (f *Function) Infeasible(edges []int) bool {
	known := make(Known)
	for _, id := range edges {
		if !known.Take(f, id) {
			return true
		}
	}
	return false
}
