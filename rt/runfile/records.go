package runfile

import (
	"unsafe"

	"github.com/goprofinstr/goprofinstr/rt/sys"
)

// Records as the writer has them in memory and as the reader finds them in the file: format.go draws
// them. The comment of a field begins with what the drawing calls the field. A test compares the two.
//
// All fields are words, or arrays of words. The structs hence have the same layout on all systems.

// A Header begins the header page. The command line follows. At the end of the page are the identity of the test binary,
// and how the process left.
type Header struct {
	Magic   U // magic "gprofrun"; 0 until the header is valid
	Version U // version
	Page    U // page size
	Pid     U // process id
	Start   U // start, Unix time in nanoseconds
	Lost    U // lost: executions that could not be counted
	ArgsLen U // length of the command line
}

// HeaderSize is where the command line is in the header page.
const HeaderSize = U(unsafe.Sizeof(Header{}))

// ExitAt returns where in a header page of some size it is noted how the process left, as ExitMain or ExitOther.
func ExitAt(page U) U { return page - 8 }

// IdentityAt returns where in a header page of some size the identity is.
func IdentityAt(page U) U { return page - 16 }

// Publish makes the header valid. Everything else that the reader relies on is written before.
//
//go:norace
func (h *Header) Publish() { sys.Store64(&h.Magic, RunMagic) }

// A Head begins every record.
type Head struct {
	Magic      U // RecordMagic; 0 until the record is valid
	Kind       U
	Size       U // size of the record
	Region     U // region: offset in the record
	RegionSize U // region: size
}

// Publish makes the record valid. Everything else that the reader relies on is written before.
//
//go:norace
func (h *Head) Publish() { sys.Store64(&h.Magic, RecordMagic) }

// A PackageRecord is what is known of a package. Its import path and path table follow, and then its counters.
type PackageRecord struct {
	Head
	First    U // offset of counter 0 in it: the region
	Counters U // number of counters
	PathLen  U // length of the import path
	TableLen U // length of the path table
	Hash     U // address of Hash 0
	Hashes   U // number of Hashes
}

// A HashRecord is a chunk of a Hash. Its entries follow.
type HashRecord struct {
	Head
	Hash    U // address of the Hash
	Entries U // number of entries
	Next    U // (the writer's own) address of the next chunk of the Hash
}

// A HashEntry has the count of a path.
type HashEntry struct {
	Path  U // path number + 1 (0: free)
	Count U // count
}

// Entry returns an entry.
//
//go:norace
func (h *HashRecord) Entry(i U) *HashEntry {
	return (*HashEntry)(unsafe.Add(unsafe.Pointer(h), U(unsafe.Sizeof(*h))+i*EntrySize))
}

// NextChunk returns where a chunk has the address of the next one.
//
//go:norace
func (h *HashRecord) NextChunk() *unsafe.Pointer { return (*unsafe.Pointer)(unsafe.Pointer(&h.Next)) }

// A ShardRecord is a shard: its region has the counters.
type ShardRecord struct {
	Head
	Address      U // address of what it is for: of what the region's beginning stands for
	Next, Offset U // (the writer's own) address of the shard that was made before; where in the file this one is
}

// A SamplingRecord says how paths are sampled, and what sampling has cost and seen.
type SamplingRecord struct {
	Head
	Policy, Samples, Stride U // policy: kind, samples, stride

	Burst     U // samples of a burst
	Period    U // CPU time between ticks, ns
	Ticks     U // ticks
	Overruns  U // ticks that came too soon, or in threads that Go knows nothing of
	CPU       U // CPU time that is sampled, ns
	Cost      U // of it, what sampling took, ns
	Ends      U // path ends seen
	Taken     U // samples
	Contexts  U // contexts found
	Frames    U // frames of their stacks
	NewFrames U // of these, not known before
	Truncated U // contexts without their root
	Matched   U // CPU time of known paths, ns
	Cut       U // contexts cut short by a full tree
	Folded    U // entries of the tree folded, to make room
	Sites     U // native probes
	Left      U // others that are left: they never fire

	Counted     U // 1 if paths were counted where they rarely end: then counters have executions, and estimates are in replicates; see CountedAll
	CountedEnds U // path ends counted
	Windows     U // windows in which sampled sites were armed
}

// What Counted of a SamplingRecord may be.
const (
	CountsRare = 1
	CountedAll = 2 // and the process has exited, with nothing left in logs
)

// A ContextRecord is the head of a chunk of a calling context tree. Package pcct has the tree, and writes Changes.
type ContextRecord struct {
	Head
	Chunk   U // number of the chunk, from 0
	_       [2]U
	Changes U // changes of the tree, in 0: the chunk with number 0
}

// A SiteRecord is what stands before an array of sites.
type SiteRecord struct {
	Head
	Number U // number of sites
}

// A Site is a copy of a marker in a program with native probes.
type Site struct {
	Address  U // address in the text
	At       U // what it stands for, with the bits SiteHash and SiteRegister
	Estimate U
	Samples  U
	Path     U // path of the last sample
	Location U // location of the site
}

// A FunctionRecord is what stands before a list of functions with portable probes: each is a word.
type FunctionRecord struct {
	Head
	Number U // number of functions
}

// A ReplicateRecord is what stands before a hash table of what the samples of windows stand for.
type ReplicateRecord struct {
	Head
	Slots U // number of entries
	Used  U // those in use
}

// Replicates is how many parts estimates are divided into: window n is in part n modulo this. How much these differ tells how
// far off their sum may be.
const Replicates = 16

// A Replicate is what path ends in windows of a group stand for, in units of 1/1024.
type Replicate struct {
	At      U             // what it is of: address of the path's counter, or that of a Hash plus 1, or EntriesOf and a number; 0: free
	Path    U             // path, if it is a Hash
	Group   U             // of windows, see WindowLevel
	Samples U             // samples
	Sum     [Replicates]U // sums
}

// A TestRecord is a part of the stream of tests, which follows.
type TestRecord struct {
	Head
	Chunk  U // number of the part, from 0
	Length U // length of the stream, in part 0
	_      U // 0
}

// A StreamRecord says how events are sampled in strata. The specification follows, and then the strata.
type StreamRecord struct {
	Head
	Rate      U // rate: events that a message stands for; 0 if they are fed to compressors
	Bits      U // strata: binary logarithm of their number
	Address   U // address of stratum 0 in the process
	SpecLen   U // length of the specification
	Held      U // events held by compressors at exit, of which no message tells; may be negative
	HeldKnown U // 1 if that is known
}

// A LogRecord has the log of a test. The log follows.
type LogRecord struct {
	Head
	Length U // length of the log, in bytes
}

// A LabelRecord has the service that the process is of. The text follows.
type LabelRecord struct {
	Head
	ServiceLen    U // length of the name, of the service, in bytes
	AttributesLen U // length of the attributes, in bytes
}

// A NamesRecord has names of functions and strings. Its entries follow.
type NamesRecord struct {
	Head
	Used U // end of the last entry in the record, or behind it: full
}

// A NameEntry is what stands before a name.
type NameEntry struct {
	Value  U // value: 0 if it is half-made
	Length U // length of the name, in bytes, in the lower half; flags in the upper half
}

// An AuditRecord is of an audited function, or of a timing point. Its names follow, and then the ring of timings.
// Arrays are indexed by version. The eight words from Settled on are a cache line: one is read at every call,
// and none is written often.
type AuditRecord struct {
	Head
	Versions U // number of versions
	NamesLen U // length of the names
	Slots    U // number of slots

	Settled        U // version that is settled on, plus 1; 0: picked at random
	Least          U // least time the clock tells
	Ticks0, Nanos0 U // clock in ticks, and in ns, when the record was made
	Passes         U // passes of a lap
	_              [3]U

	Ticks1, Nanos1 U // clock in ticks, and in ns, the last time it was looked at
	NextPair       U // (the writer's own) tick from which on Ticks1 and Nanos1 are to be noted again
	Nested         U // calls inside of others
	Taken          U // timings
	_              [11]U
	Begun          [16]U // calls of each version
	Returned       [16]U // those that returned; of a timing point: how many more laps were short than not
	Panicked       [16]U // those that panicked
}

// SettledAt is where in an audit record a watcher writes Settled.
const SettledAt = unsafe.Offsetof(AuditRecord{}.Settled)
