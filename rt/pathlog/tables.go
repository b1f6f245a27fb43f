package pathlog

// Tables say what the records of logs mean. Whoever makes the code that appends records makes them, too.

// A Record is what the log has.
type Record struct{ Site, SP uint32 }

// RecordSize is the size of a Record.
const RecordSize = 8

// A Site is what records of one place mean.
type Site struct {
	Depth uint32 // how far the stack pointer is below the return address there, bytes
	First uint32 // of its operations
	N     uint32
	Value uint32 // HasValue if a value takes the place of the next record; see FunctionShift

	Target  uint32 // the first of the function
	Targets uint16 // how many it has: the operations are of these, but for Also

	// If the only operation is Stepped, or does no more than a Step of one kind can:
	Of    uint16 // its target, from Target on
	Step  uint32 // the first of its steps
	Steps uint32 // how many it has; 0 if it is none of these
}

// HasValue is in a Site's Value if a value follows the record, and from FunctionShift on there is the function's number and 1,
// or 0 if it never is cold.
const (
	HasValue      = 1
	FunctionShift = 1
)

// Sizes of what the tables have.
const (
	SiteSize   = 32
	OpSize     = 24
	StepSize   = 40
	TargetSize = 16
	LookSize   = 24
	CaseSize   = 40
	WaySize    = 24
)

// An Op is what happens to the sum of a target's path: see package pathmap's.
type Op struct {
	Target uint32
	Kind   uint32
	Add    U
	Next   U
}

// The kinds of operations.
const (
	Begin   = iota // an activation begins, and the sum is Next, in node Add
	Add            // is added to the sum
	End            // after Add the sum is a path that ends; then it is Next
	Stepped        // it depends on the node: Next steps, from Add on, tell what happens
	Done           // the activation ends: no other operation of the site follows
	Doubt          // the path is not known until the next one begins; how often is counted by that of the doubt Next
	Looked         // a value tells what the look Add says
	Choose         // what looks have told decides on one of several ways: see [Chosen]; otherwise it is the doubt Next
	Also           // path Next of the target is executed besides
	Marked         // there is evidence of the target, which is an inlined call
	Unless         // operations (see [Chosen]) if the target was not marked since the last time, and the log has that
	Rounds         // path Next of the target is executed besides, once less than the value says
	Told           // the bits Add of what is told are Next: a condition came out so that is asked for again
)

// A Step is what happens in a node. If its kind is Add or End, Add and Next are those of the only operation.
type Step struct {
	From  int32 // the node, or AnyNode
	To    int32 // the node that follows, or SameNode
	First uint32
	N     uint32 // operations, from First on

	Add, Next U
	Kind      uint32
	Place     uint32 // of the step for To among the steps that follow
}

// NewStep returns a step with operations that begin at First.
func NewStep(from, to int32, place, first uint32, ops []Op) Step {
	s := Step{From: from, To: to, First: first, N: uint32(len(ops)), Kind: Stepped, Place: place}
	switch {
	case len(ops) == 0:
		s.Kind = Add
	case len(ops) == 1 && (ops[0].Kind == Add || ops[0].Kind == End):
		s.Kind, s.Add, s.Next = ops[0].Kind, ops[0].Add, ops[0].Next
	}
	return s
}

// Alone notes a site's only operation, if that may be, and returns what a step is for it that is to be the one with some number.
func (s *Site) Alone(o Op, number uint32) (step Step, ok bool) {
	if o.Target-s.Target >= uint32(s.Targets) {
		return step, false
	}
	switch s.Of = uint16(o.Target - s.Target); o.Kind {
	case Stepped:
		s.Step, s.Steps = uint32(o.Add), uint32(o.Next)
	case Add, End:
		s.Step, s.Steps = number, 1
		return NewStep(AnyNode, SameNode, 0, s.First, []Op{o}), true
	}
	return step, false
}

// AnyNode is where a machine block has one node. No node is known by this number.
const AnyNode = -1

// SameNode is for steps that do not depend on nodes.
const SameNode = -2

// A Look is what a value tells of a block of the source: the edge that it takes. Blocks of a target have bits of a word of their
// own, and each edge of a block some of these. None of them are there if nothing is told.
type Look struct {
	First, N  uint32 // cases
	Mask      U      // the bits of the block
	Otherwise U      // those of the edge in none of the cases
}

// A Case says that an edge, of which it has the bits, is taken if (value+Add)&Mask is not less than Low and not greater than
// High.
type Case struct{ Add, Mask, Low, High, Edge U }

// A Way is one of those that a choice is between. Mask has the bits of the blocks that it passes. None of Not is told where the
// way is taken: each edge that it does not take has one of these.
type Way struct {
	Mask, Not U
	First     uint32 // operations
	N, Sure   uint16 // how many, and how many of the first are those of all ways of the choice
}

// Chosen returns the Add of a choice between n ways, or of n operations.
func Chosen(first, n int) U { return U(n)<<32 | U(first) }

// A Target is a function of the source in one place: its own code, or a call of it that was inlined. Path Paths is that the path
// is not known.
type Target struct {
	At    U // address of pair 0, or of a Hash with IsHash; and Inlined. With a file for counters, the first of them; and Spread
	Paths U
}

// Bits of a Target's At, which addresses do not have: the estimates are in a Hash, and the target is a call that was inlined.
const (
	IsHash  = 1
	Inlined = 2
)
