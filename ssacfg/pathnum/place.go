// Placement: BL 3.4, figure 8.
//
// Every path has one task at its start, to initialise r, and one at its
// end, to count. The paper's two loops move the first task down from ENTRY and the
// second up from EXIT until they meet chords. There the task is folded into the
// increment: r = Inc, count[r+Inc]++, or count[Inc]++ for both.
//
// A task moves past a block only if that block has one edge on the side
// the task comes from. This loses nothing: if two ways lead from START to a
// block they have different sums. So there is a chord on one of them, and
// the task cannot move past a chord.
//
// Departures from the paper: a Fixed edge never takes a task, so the edges
// behind it must. A count stays below pinned blocks. A task stays where it is
// when no chord ahead would absorb it. An initialisation also stays if the
// client wants to read r on the way (Graph.KeepRegister).

package pathnum

import "slices"

// place returns the code for each edge of the graph and whether r
// must be 0 at function entry.
func place(d *dag, g *Graph, tree []bool, inc []uint64) (ops []Op, needInit bool, err error) {
	inits, fromEntry := placeInits(d, tree, g.KeepRegister)
	counts, err := placeCounts(d, g.Pinned, tree)
	if err != nil {
		return nil, false, err
	}

	needInit = inits[d.entryEdge] // START→entry is in the tree: r = 0
	ops = make([]Op, d.entryEdge)
	for e := range ops {
		op := &ops[e]
		switch {
		case inits[e] && counts[e]:
			op.Count, op.Inc = CountConst, inc[e]
		case counts[e]:
			op.Count, op.Inc = CountRegister, inc[e]
		case inits[e] && inc[e] == 0 && fromEntry[e]:
			needInit = true // r is still 0
		case inits[e]:
			op.Then, op.Value = Set, inc[e]
		case inc[e] != 0:
			op.Then, op.Value = Add, inc[e]
		}
		// On a cut edge that was the dummy edge to EXIT, which counts or, if
		// the count has moved up from it, does nothing. Now the one from START.
		if s := d.startEdge[e]; s >= 0 && inits[s] {
			op.Then, op.Value = Set, inc[s]
		}
	}
	if g.KeepRegister {
		foldKnown(d, ops, inc)
	}
	return ops, needInit, nil
}

// foldKnown makes code on edges that are reached in one way only use the constant that r then is. What the folding
// of initialisations would have done for counts, it does where r has to be kept.
func foldKnown(d *dag, ops []Op, inc []uint64) {
	known := make([]bool, d.vertices)
	r := make([]uint64, d.vertices)
	known[d.start] = true
	for _, v := range d.order {
		if len(d.in[v]) == 1 {
			e := d.in[v][0]
			u := d.edges[e].from
			known[v], r[v] = known[u], r[u]+inc[e]
		}
	}
	for e := range ops {
		op := &ops[e]
		v := d.edges[e].from
		if !known[v] {
			continue
		}
		if op.Count == CountRegister {
			op.Count, op.Inc = CountConst, r[v]+op.Inc
		}
		if op.Then == Add {
			op.Then, op.Value = Set, r[v]+op.Value
		}
	}
}

// placeInits returns the edges that initialise r, one on every path. Among them it tells apart those that are reached from
// function entry and not from a cut edge.
func placeInits(d *dag, tree []bool, atStart bool) (inits, fromEntry []bool) {
	// canMove: the initialisation can be done on the out edges of a block
	// instead of its in edges. gains: it is then absorbed by a chord.
	canMove := make([]bool, d.vertices)
	gains := make([]bool, d.vertices)
	for _, v := range slices.Backward(d.order) {
		canMove[v] = len(d.in[v]) == 1 && v != d.exit && !atStart
		for _, e := range d.out[v] {
			w := d.edges[e].to
			canMove[v] = canMove[v] && (!d.edges[e].fixed || canMove[w])
			gains[v] = gains[v] || !tree[e] || gains[w]
		}
		gains[v] = gains[v] && canMove[v]
	}

	inits = make([]bool, len(d.edges))
	fromEntry = make([]bool, len(d.edges))
	stack := slices.Clone(d.out[d.start])
	fromEntry[d.entryEdge] = true
	for len(stack) > 0 {
		e := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		w := d.edges[e].to
		if !d.edges[e].fixed && (!tree[e] || !gains[w]) {
			inits[e] = true
			continue
		}
		for _, next := range d.out[w] {
			fromEntry[next] = fromEntry[e]
			stack = append(stack, next)
		}
	}
	return inits, fromEntry
}

// placeCounts returns the edges that count, one on every path.
func placeCounts(d *dag, pinned, tree []bool) ([]bool, error) {
	// As above, upside down. The edges out of START take no counts. On a cut edge their count would have to be behind
	// that of the path that the edge ends.
	canMove := make([]bool, d.vertices)
	gains := make([]bool, d.vertices)
	for _, v := range d.order {
		canMove[v] = len(d.out[v]) == 1 && v != d.start && (pinned == nil || !pinned[v])
		for _, e := range d.in[v] {
			u := d.edges[e].from
			canMove[v] = canMove[v] && u != d.start && (!d.edges[e].fixed || canMove[u])
			gains[v] = gains[v] || !tree[e] || gains[u]
		}
		gains[v] = gains[v] && canMove[v]
	}

	counts := make([]bool, len(d.edges))
	stack := slices.Clone(d.in[d.exit])
	for len(stack) > 0 {
		e := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		v := d.edges[e].from
		if d.edges[e].fixed && !canMove[v] {
			return nil, &UncountableError{e} // an edge to EXIT: for those above canMove has asked
		}
		if !d.edges[e].fixed && (!tree[e] || !gains[v]) {
			counts[e] = true
			continue
		}
		stack = append(stack, d.in[v]...)
	}
	return counts, nil
}
