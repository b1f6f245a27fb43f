package copies

import (
	"github.com/goprofinstr/goprofinstr/rt"
)

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
	Sampling  U // address of the Package.Sampling of a package; 0 if packages start sampling by themselves
}

// The first words of an Image. They are nowhere else in a program's data.
const (
	ImageMagic0 = 0x3b8d_e2f1_594c_a760
	ImageMagic1 = 0xd415_0c7e_a963_82fb
)

// ImageWords is how many words an Image has behind these.
const ImageWords = 22

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

// A Package says where the counters of a package's functions are. Whoever makes the copies finds it by its magic in the linked
// program's data.
type Package struct {
	Magic     [2]U
	Path      string // import path
	Functions *Function
	N         U        // of them
	Counters  *U       // pair 0
	Hashes    *rt.Hash // Hash 0
	Words     *U       // the run file's, one for each function
	Sampling  *U       // the first word of a Sampling of package sampled, the same in all packages
}

// A Function says where the counters of a function are. Behind the pairs of its paths it has one more, for paths that are not
// known.
type Function struct {
	First U   // pair of path 0
	Paths U   // 0: they are in a Hash
	Hash  int // its number
}

// The first words of a Package. They are nowhere else in a program's data.
const (
	PackageMagic0 = 0x62fb_19d4_c05e_837a
	PackageMagic1 = 0x9ad7_e61c_3f28_b045
)

// PackageWords is how many words a Package has behind these.
const PackageWords = 8
