package pathnum

import "fmt"

// InseparableError says that Fixed edges form a cycle, without regard to
// direction, along which their values do not cancel out, or connect entry and exit. At least one
// edge of such a cycle needs code, so the paths that differ in these edges cannot be told
// apart. A caller may merge blocks, and try again.
type InseparableError struct {
	Edges []int // the Fixed edges of the cycle or connection, increasing
}

func (e *InseparableError) Error() string {
	return fmt.Sprintf("edges %v: one of them needs code to tell paths apart, and none can have it", e.Edges)
}

// FixedBackEdgeError says that a back edge is Fixed: the path that ends with
// it cannot be counted there.
type FixedBackEdgeError struct {
	Edge int
}

func (e *FixedBackEdgeError) Error() string {
	return fmt.Sprintf("edge %d: no code can be placed on this back edge", e.Edge)
}

// UncountableError says that a Fixed edge leads to the exit, and the count
// of the paths through it cannot be moved above its source. Other edges
// leave the source too, a loop starts there, or it is pinned or the entry
// block. Or the same holds for a source of a Fixed edge into it.
type UncountableError struct {
	Edge int
}

func (e *UncountableError) Error() string {
	return fmt.Sprintf("edge %d: no place to count the paths that end with this edge", e.Edge)
}

// TooManyPathsError says that a block has more paths to the exit than the limit
// even when all edges that can be cut are cut.
type TooManyPathsError struct {
	Block int // or -1: the paths of all starts together are more than a uint64 holds
	Limit uint64
}

func (e *TooManyPathsError) Error() string {
	if e.Block < 0 {
		return "too many paths for 64 bits"
	}
	return fmt.Sprintf("block %d: more than %d paths", e.Block, e.Limit)
}
