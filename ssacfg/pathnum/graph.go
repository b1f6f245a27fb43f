package pathnum

// Graph is a control-flow graph. Blocks are numbered from 0. Every block is
// reachable from Entry (Exit need not be), and every block but Exit
// has an out edge.
type Graph struct {
	Blocks      int // number of blocks
	Entry, Exit int
	Edges       []Edge

	// Pinned tells for each block that control may leave it otherwise than by
	// an edge (a call in it may panic). A count is never moved above such a block,
	// so that a path is counted only when control has come to its end. Indexed
	// by block; may be nil.
	Pinned []bool

	// KeepRegister demands that in every pinned block r is the sum of the increments of the path so far. When
	// control leaves for good, r and the block then tell which part of a path had been executed. Initialisations
	// are not folded into chords if it is set.
	KeepRegister bool
}

// Edge is an edge of a Graph. Parallel edges and self loops are allowed.
type Edge struct {
	From, To int
	Weight   float64 // expected executions, ≥ 0
	Fixed    bool    // no code can be placed on this edge
}

// Values are what it takes to turn a path number back into the path (BL 3.5),
// see [Decoder].
type Values struct {
	NumPaths uint64 // paths are numbered 0 to NumPaths-1

	// Edge holds Val of each edge of the graph. For a cut edge v→w it is
	// Val of the dummy edge v→EXIT.
	Edge []uint64

	// Starts holds the dummy edges ENTRY→w, one for each target w of
	// a cut edge, by increasing w. The edge from ENTRY to the entry
	// block, where function calls start, has Val 0 and is not listed.
	Starts []Start
}

// Start is the dummy edge from ENTRY to the target of one or more cut edges.
type Start struct {
	Block int
	Val   uint64
}
