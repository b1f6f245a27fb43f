package profile

// A Loop is a loop of a function: what its header dominates and comes back to it.
type Loop struct {
	Header int   // id of a block
	Back   []int // ids of the edges that lead back to it, each of which ends a path
}

// Loops returns the loops of f, in the order of their headers. Not all edges that end paths are of loops: in functions with
// very many paths some are cut. What has two entries, by goto, is no loop here.
func (f *Function) Loops() []Loop {
	var loops []Loop
	for header := range f.Table.Blocks {
		var back []int
		for id, e := range f.Table.Edges {
			if e.Back && e.To == header {
				back = append(back, id)
			}
		}
		if back = f.dominated(header, back); len(back) > 0 {
			loops = append(loops, Loop{header, back})
		}
	}
	return loops
}

// dominated returns those of some edges whose sources cannot be reached but through a block.
func (f *Function) dominated(block int, edges []int) (dominated []int) {
	if len(edges) == 0 {
		return nil
	}
	reached := make([]bool, len(f.Table.Blocks))
	reached[block] = true // and nothing from there on
	if !reached[f.Table.Entry] {
		f.reach(reached, f.Table.Entry)
	}
	for _, id := range edges {
		if from := f.Table.Edges[id].From; from == block || !reached[from] {
			dominated = append(dominated, id)
		}
	}
	return dominated
}

// reach marks what control can come to from a block, but not through what is marked.
func (f *Function) reach(reached []bool, block int) {
	out := make([][]int, len(f.Table.Blocks))
	for _, e := range f.Table.Edges {
		out[e.From] = append(out[e.From], e.To)
	}
	reached[block] = true
	for work := []int{block}; len(work) > 0; {
		last := len(work) - 1
		block, work = work[last], work[:last]
		for _, to := range out[block] {
			if !reached[to] {
				reached[to] = true
				work = append(work, to)
			}
		}
	}
}
