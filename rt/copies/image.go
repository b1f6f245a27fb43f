package copies

// An Image tells where a program has its copies. The program that makes them fills it in. Behind the linked program comes the
// code, and then tables in this order: the functions, blocks and stream of [Places], sites, operations, steps, targets, looks,
// cases and ways, and functions that are not counted. The name of the file for counters is last.
type Image struct {
	Magic  [2]U
	Offset U // in the file, a multiple of the page size
	Base   U // address at which the code has to be
	Code   U // its size in bytes, a multiple of the page size

	Functions, Blocks, Stream                      U // of Places: how many there are of each
	Sites, Ops, Steps, Targets, Looks, Cases, Ways U // how many there are of each

	Counters U // how many there are
	Doubts   U // how many counters there are of doubts
	Name     U // length of the name of the file for Stats, the counters and those of doubts, with a zero at its end; 0 for none

	Mode     U // one of the modes
	Interval U // CPU time between ticks, ns; less than FewestNs is of the clock
	Length   U // of bursts at most, ns

	Uncounted U // how many functions are not counted
	Words     U // with C code, what added to FS is the address of a thread's second word; 0 if m.tls has them
}

// The first words of an Image. They are nowhere else in a program's data.
const (
	ImageMagic0 = 0x3b8d_e2f1_594c_a760
	ImageMagic1 = 0xd415_0c7e_a963_82fb
)

// ImageWords is how many words an Image has behind these.
const ImageWords = 21

// FewestNs is the least interval of CPU time: the kernel looks at it at its own ticks only.
const FewestNs = 1_000_000

// Stats say what became of bursts.
type Stats struct {
	Ticks   U // signals
	Outside U // that came where no copy is to be entered
	Bursts  U
	Returns U // bursts among them that begin when a call returns
	Full    U // bursts that a full log has ended
	Cut     U // bursts that the scheduler has ended, or a stack that was copied
	Records U // and values of looks
	Lost    U // records that were of no use
	Faults  U // of copied instructions
	Late    U // records after the end of a burst, by threads that have come back to a copy

	// Of windows:

	Drained   U // records after their ends
	Unknown   U // paths cut by the end of draining
	Switched  U // goroutines that windows went on with
	Open, Net U // CPU time for which they were open; how much of it the program had, ns

	// Of cold functions:

	Cold    U // records among these
	Fallen  U // functions that are cold no more
	Emptied U // logs that were full outside of bursts
	Pages   U // of text whose functions are cold no more, since the system does not let code be written
}

// StatsSize is the size of Stats in the file.
const StatsSize = 256

// The modes.
const (
	Never   = iota // nobody enters a copy
	Bursts         // of random lengths, after ticks
	Always         // no burst ever ends; this is for tests, where the functions' originals lead into their copies
	Sampled        // windows after ticks of package tick, which are weighed
	Cold           // as Bursts, or without if there is no interval, and functions begin cold; this is for tests
)

// An Origin says which instruction of the original a part of the code stands for. Origins are in order of Copy, and the part ends
// where the next begins.
type Origin struct {
	Copy uint32 // distance from the beginning of the code
	At   uint32 // address of the original instruction, with the kind of code in the upper two bits
}

// The kinds of code.
const (
	Instruction = iota // the instruction itself, with the same operands
	Noting             // a record: control has not come to the instruction yet
	Leading            // jumps, and tests whether the burst is over, where flags are dead
	NotingCX           // a record that uses CX in place of AX
)

// KindShift is where At has the kind, and AddressMask what it has of the address.
const (
	KindShift   = 30
	AddressMask = 1<<KindShift - 1
)

// Saved is how many bytes of a record are executed when the register that it uses has been saved.
const Saved = 9

// An Entrance is an instruction at which a thread may change over to the copy. Entrances are in order of At. Those that
// are called returns are where calls return to: there the copy begins with a test whether the burst is over.
type Entrance struct {
	At   uint32 // address of the original
	Copy uint32 // distance of the copy from the beginning of the code
}

// A Site is what records of one place mean.
type Site struct {
	Depth uint32 // how far the stack pointer is below the return address there, bytes
	First uint32 // of its operations
	N     uint32
	Value uint32 // HasValue if a value takes the place of the next record; from FunctionShift on the function: see [ColdFunction]

	Target  uint32 // the first of the function
	Targets uint16 // how many it has: the operations are of these, but for Also

	// If the only operation is Stepped, or does no more than a Step of one kind can:
	Of    uint16 // its target, from Target on
	Step  uint32 // the first of its steps
	Steps uint32 // how many it has; 0 if it is none of these
}

// SiteSize and StepSize are the sizes of a Site and a Step.
const (
	SiteSize = 32
	StepSize = 40
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

// A Look is what a value tells of a block of the source: the edge that it takes, by a number from 1 on.
type Look struct {
	First, N  uint32 // cases
	Block     uint32 // less than MostBlocks
	Otherwise uint32 // the edge in none of the cases
}

// MostBlocks is how many blocks of a target looks may be at, and MostEdges how many edges these may have.
const (
	MostBlocks = 8
	MostEdges  = 254
)

// A Case says that an edge is taken if (value+Add)&Mask is not less than Low and not greater than High.
type Case struct{ Add, Mask, Low, High, Edge U }

// A Way is one of those that a choice is between. It takes the edges of Want, which has a byte for each block. Mask has the bytes
// of blocks that the way passes.
type Way struct {
	Mask, Want U
	First, N   uint32 // operations
}

// Chosen returns the Add of a choice between n ways, or of n operations.
func Chosen(first, n int) U { return U(n)<<32 | U(first) }

// A Target is a function of the source in one place: its own code, or a call of it that was inlined. Path Paths is that the path
// is not known.
type Target struct {
	At    U // address of pair 0, or of a Hash with IsHash; and Inlined. With a file for counters, that of path 0
	Paths U
}

// Bits of a Target's At, which addresses do not have: the estimates are in a Hash, and the target is a call that was inlined.
const (
	IsHash  = 1
	Inlined = 2
)

// An Uncounted is a function of a package that no copy counts.
type Uncounted struct {
	Package  U      // address of the descriptor
	Function uint32 // in its list
	Reason   uint32
}

// Why a function is not counted.
const (
	NoReason   = iota
	Unmapped   // machine code tells none of its paths
	Uncopied   // its code cannot be copied
	NoCode     // it is in no machine code of the program
	Internal   // its analysis has failed
	NumReasons // how many there are
)

// A Record is what the log has.
type Record struct{ Site, SP uint32 }

// RecordSize is the size of a Record.
const RecordSize = 8
