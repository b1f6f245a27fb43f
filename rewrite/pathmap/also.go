package pathmap

import "slices"

// An Also is an execution of a path that follows from what is executed elsewhere. Package derive finds what there is.
type Also struct {
	F    *Func
	Path uint64

	// Unless is a call that was inlined. Then the path is executed, and Then is, unless the call has left evidence since that
	// was asked for the last time.
	Unless *Target
	Then   []*Also

	// Ways, in place of Then, are what is executed on each way that the call of Unless takes without evidence (Target.Unseen), if
	// there are several. Looks tell which that is, or it is not known.
	Ways [][]*Also

	Marks bool // in place of all that: there is evidence of the target itself, which Unless asks for
}

// Executions are what is executed besides the paths of a target.
type Executions struct {
	Blocks, Edges map[int][]*Also // when control leaves a block or takes an edge
	Begin         []*Also         // when evidence of a call that was inlined follows on evidence outside of it
}

// common takes out of lists what all have, as often as all have it.
func common(lists [][]*Also) (in []*Also) {
	for _, a := range slices.Clone(lists[0]) {
		if slices.ContainsFunc(lists, func(l []*Also) bool { return !slices.Contains(l, a) }) {
			continue
		}
		in = append(in, a)
		for k, l := range lists {
			at := slices.Index(l, a)
			lists[k] = slices.Delete(slices.Clone(l), at, at+1)
		}
	}
	return in
}

// SameBlock reports whether control leaves a block equally often on all of some ways, which nothing tells apart.
func (f *Func) SameBlock(ways [][]int, block int) bool {
	return f.alike(ways, func(way []int) int64 { return f.departures(way, block) })
}

// SameEdge reports that of an edge.
func (f *Func) SameEdge(ways [][]int, edge int) bool {
	return f.alike(ways, func(way []int) int64 { return times(way, edge) })
}

func (f *Func) alike(ways [][]int, times func(way []int) int64) bool {
	for _, way := range ways {
		d := Doubt{From: f.edges[way[0]].from, To: f.edges[way[len(way)-1]].to}
		if !d.same(times, way, ways[0]) {
			return false
		}
	}
	return true
}
