package timing

// Graph is the control-flow graph of a function.
type Graph struct {
	Blocks []Block
	Edges  []Edge
	Entry  int
}

// Block is a basic block. Its cost is in two parts, before and behind the place where a point would be.
type Block struct {
	Freq          float64 // how often it is executed, in any unit
	Before, After uint64  // cost
	Point         bool    // there is such a place
}

// Edge is an edge between two blocks, by their indices, with the cost of what happens on it.
type Edge struct {
	From, To int
	Cost     uint64
}

// cost returns that of all executions of all blocks and edges; those of an edge are not known, and taken for as many as its
// share in what enters its target.
func (g *Graph) cost() float64 {
	in := make([]float64, len(g.Blocks))
	for _, e := range g.Edges {
		in[e.To] += g.Blocks[e.From].Freq
	}
	total := 0.0
	for _, b := range g.Blocks {
		total += b.Freq * float64(b.Before+b.After)
	}
	for _, e := range g.Edges {
		if in[e.To] > 0 {
			total += g.Blocks[e.To].Freq * g.Blocks[e.From].Freq / in[e.To] * float64(e.Cost)
		}
	}
	return total
}

// weight is the cost from where a point would be in the source of an edge to where one would be in its target.
func (g *Graph) weight(e Edge) uint64 {
	return g.Blocks[e.From].After + e.Cost + g.Blocks[e.To].Before
}

// out returns the edges out of each block, or into each block.
func (g *Graph) by(end func(Edge) int) [][]Edge {
	list := make([][]Edge, len(g.Blocks))
	for _, e := range g.Edges {
		list[end(e)] = append(list[end(e)], e)
	}
	return list
}

func from(e Edge) int { return e.From }
func to(e Edge) int   { return e.To }
