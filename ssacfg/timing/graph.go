package timing

// Graph is the control-flow graph of a function. All blocks can be reached from the entry, and a block comes behind those that
// dominate it, as in any depth-first order.
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
	Freq     float64 // as that of blocks
}

// weight is the cost from where a point would be in the source of an edge to where one would be in its target.
func (g *Graph) weight(e Edge) uint64 {
	return g.Blocks[e.From].After + e.Cost + g.Blocks[e.To].Before
}

func from(e Edge) int { return e.From }
func to(e Edge) int   { return e.To }
