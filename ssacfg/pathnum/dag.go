// The acyclic graph that is instrumented: BL 4.

package pathnum

// A dag is a Graph with its cut edges replaced by dummy edges and a vertex START in front of the entry block. START
// is the paper's ENTRY.
//
// Its edges are first those of the graph, where a cut edge v→w has become
// v→EXIT. Then come START→entry block, and START→w for each start w. The paper's
// EXIT→ENTRY is not among them: see spanningTree.
type dag struct {
	vertices    int // the blocks and start
	start       int
	entry, exit int
	edges       []dagEdge
	entryEdge   int // START→entry
	firstStart  int // edges[firstStart+i] is START→Starts[i].Block
	in, out     [][]int
	order       []int // topological order of the vertices

	// startEdge is for each cut edge v→w of the graph the edge START→w, and -1
	// for the other edges of the graph.
	startEdge []int
}

type dagEdge struct {
	from, to int
	val      uint64
	weight   float64 // 0 for START→w: on a back edge r is set to a constant whether or not that is 0
	fixed    bool
}

func newDAG(g *Graph, postorder []int, cut []bool, values Values) *dag {
	d := &dag{
		vertices:   g.Blocks + 1,
		start:      g.Blocks,
		entry:      g.Entry,
		exit:       g.Exit,
		entryEdge:  len(g.Edges),
		firstStart: len(g.Edges) + 1,
		startEdge:  make([]int, len(g.Edges)),
	}

	toStart := make([]int, g.Blocks) // START→w by w
	d.edges = make([]dagEdge, d.firstStart, d.firstStart+len(values.Starts))
	d.edges[d.entryEdge] = dagEdge{from: d.start, to: g.Entry}
	for _, s := range values.Starts {
		toStart[s.Block] = len(d.edges)
		d.edges = append(d.edges, dagEdge{from: d.start, to: s.Block, val: s.Val})
	}
	for i, e := range g.Edges {
		to := e.To
		d.startEdge[i] = -1
		if cut[i] {
			to = g.Exit
			d.startEdge[i] = toStart[e.To]
		}
		d.edges[i] = dagEdge{e.From, to, values.Edge[i], e.Weight, e.Fixed}
	}

	d.out = groupBy(d.vertices, len(d.edges), func(e int) int { return d.edges[e].from })
	d.in = groupBy(d.vertices, len(d.edges), func(e int) int { return d.edges[e].to })
	d.order = make([]int, 0, d.vertices)
	d.order = append(d.order, d.start)
	for i := range postorder {
		d.order = append(d.order, postorder[len(postorder)-1-i])
	}
	return d
}
