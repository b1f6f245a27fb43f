package prime

// Most is how many prime paths of a function are enumerated: gcc has a limit of 250,000 (-fpath-coverage-limit).
const Most = 250_000

// mostSteps is how many edges are followed in one function to enumerate them: some tenths of a second.
const mostSteps = 1 << 24

// enumerate calls visit with the edges of each prime path, which are visit's until it returns. It reports false if there are more
// than most, or too many simple paths to look at.
//
// A prime path that is no cycle begins where all edges come from blocks on it: those of other components never do, since no
// way leads back there. So it begins at the entry, or in a loop, and has been everywhere where the edges to its first block
// come from before it leaves that loop. What is behind a loop is then followed once for each way to leave it, and each dead
// end there ends a prime path. (That primes can be put together from those of components is in Fazli & Afsharchi, "Time and
// space-efficient compositional method for prime and test paths generation", IEEE Access 2019.)
func (g *graph) enumerate(most, steps int, visit func(edges []int)) bool {
	e := &enumeration{graph: g, most: most, steps: steps, visit: visit, on: make([]bool, len(g.out))}
	for block := range g.out {
		e.from(block)
	}
	return e.most >= 0 && e.steps >= 0
}

type enumeration struct {
	*graph
	most, steps int // that are left
	visit       func(edges []int)

	first   int
	inside  bool // only cycles are looked for: another component leads to the first block
	waiting int  // blocks that edges to the first one come from, and that are not on the path
	on      []bool
	isFrom  map[int]bool // the blocks that edges to the first one come from
	path    []int
}

// from visits the prime paths that begin at a block.
func (e *enumeration) from(block int) {
	e.first, e.inside, e.isFrom = block, false, make(map[int]bool)
	for _, id := range e.in[block] {
		from := e.edges[id].From
		e.isFrom[from] = true
		e.inside = e.inside || e.component[from] != e.component[block]
	}
	e.waiting = len(e.isFrom)
	e.enter(block)
	e.extend(block)
	e.leave(block)
}

func (e *enumeration) enter(block int) {
	e.on[block] = true
	if e.isFrom[block] {
		e.waiting--
	}
}

func (e *enumeration) leave(block int) {
	e.on[block] = false
	if e.isFrom[block] {
		e.waiting++
	}
}

// extend visits the prime paths that begin as the path does, which has come to a block.
func (e *enumeration) extend(block int) {
	ends := true
	for _, id := range e.out[block] {
		if e.steps--; e.steps < 0 || e.most < 0 {
			return
		}
		to := e.edges[id].To
		switch {
		case to == e.first:
			ends = false
			e.found(id)
			continue
		case e.on[to]:
			continue
		}
		ends = false
		if e.component[to] != e.component[e.first] && (e.inside || e.waiting > 0) {
			continue
		}
		e.path = append(e.path, id)
		e.enter(to)
		e.extend(to)
		e.leave(to)
		e.path = e.path[:len(e.path)-1]
	}
	if ends && !e.inside && e.waiting == 0 && len(e.path) > 0 {
		e.most--
		if e.most >= 0 {
			e.visit(e.path)
		}
	}
}

// found visits the path with one more edge, a cycle.
func (e *enumeration) found(id int) {
	if e.most--; e.most >= 0 {
		e.path = append(e.path, id)
		e.visit(e.path)
		e.path = e.path[:len(e.path)-1]
	}
}
