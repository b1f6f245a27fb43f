package timing

// Graph is the control-flow graph of a function. All blocks can be reached from the entry, and a block comes behind those that dominate it, as
// in any depth-first order.
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

// weight is the cost from where a point would be in the source of an edge to where one would be in its target.
func (g *Graph) weight(e Edge) uint64 {
	return g.Blocks[e.From].After + e.Cost + g.Blocks[e.To].Before
}

// by returns the edges by the block at one end.
func (g *Graph) by(end func(Edge) int) [][]Edge {
	list := make([][]Edge, len(g.Blocks))
	for _, e := range g.Edges {
		list[end(e)] = append(list[end(e)], e)
	}
	return list
}

func from(e Edge) int { return e.From }
func to(e Edge) int   { return e.To }
