package runfile

import "github.com/goprofinstr/goprofinstr/sampler"

// The run file, version 2. One process writes one file. Every number is a
// 64-bit little-endian word. The file is a header page and then records, each
// of which begins on a page boundary and is a whole number of pages long. The
// page size is in the header: 65536 on linux/arm64 and linux/riscv64 (the
// largest page they can have) and on Windows, 16384 on macOS, 4096 elsewhere.
//
//	header page                      word
//	┌──────────────────────────────┐
//	│ magic "gprofrun"             │  0   written last
//	│ version                      │  1
//	│ page size                    │  2   bytes
//	│ process id                   │  3
//	│ start                        │  4   Unix time in nanoseconds
//	│ lost                         │  5   executions that could not be counted
//	│ length of the command line   │  6   bytes
//	│ command line                 │  7…  arguments, each ended by a NUL; cut off before the last word
//	│ identity                     │ last word but one: of the test binary, or 0
//	│ exit                         │ last word of the page: how the process left
//	└──────────────────────────────┘
//
//	package record                   word        hash record (a chunk of a Hash)  word
//	┌──────────────────────────────┐             ┌──────────────────────────────┐
//	│ magic "gprofrec"             │  0   last   │ magic "gprofrec"             │  0   last
//	│ kind 1                       │  1          │ kind 2                       │  1
//	│ size of the record           │  2   bytes  │ size of the record           │  2   bytes
//	│ region: offset in the record │  3   bytes  │ region: offset in the record │  3   bytes
//	│ region: size                 │  4   bytes  │ region: size                 │  4   bytes
//	│ offset of counter 0 in it    │  5          │ address of the Hash          │  5
//	│ number of counters           │  6          │ number of entries            │  6
//	│ length of the import path    │  7   bytes  │ (the writer's own)           │  7
//	│ length of the path table     │  8   bytes  ├──────────────────────────────┤
//	│ address of Hash 0            │  9          │ region: entries,             │  8…
//	│ number of Hashes             │ 10          │   path number + 1 (0: free)  │
//	│ import path, path table, root│ 11…         │   count                      │
//	│ length of the root           │ last but one└──────────────────────────────┘
//	│ address of the region        │ last word   shard record             word
//	├─ page boundary ──────────────┤             ┌──────────────────────────────┐
//	│ region: the mapped part of   │             │ magic "gprofrec"             │  0
//	│ the padded counter array     │             │ kind 3                       │  1
//	└──────────────────────────────┘             │ size of the record           │  2   bytes
//	                                             │ region: offset in the record │  3   bytes
//	                                             │ region: size                 │  4   bytes
//	                                             │ address of what it is for    │  5
//	                                             │ (the writer's own)           │  6…7
//	sampling record                  word        ├─ page boundary ──────────────┤
//	┌──────────────────────────────┐             │ region: counters             │
//	│ magic "gprofrec"             │  0          └──────────────────────────────┘
//	│ kind 4                       │  1
//	│ size of the record: a page   │  2   bytes
//	│ region: none                 │  3…4
//	│ policy: kind, samples, stride│  5…7
//	│ samples of a burst           │  8
//	│ CPU time between ticks       │  9   ns
//	│ ticks                        │ 10
//	│ ticks that came too soon     │ 11
//	│ CPU time that is sampled     │ 12   ns
//	│ of it, what sampling took    │ 13   ns
//	│ path ends seen               │ 14
//	│ samples                      │ 15             context record             word
//	│ contexts found               │ 16             ┌──────────────────────────────┐
//	│ frames of their stacks       │ 17             │ magic "gprofrec"             │  0
//	│ of these, not known before   │ 18             │ kind 5                       │  1
//	│ contexts without their root  │ 19             │ size of the record           │  2   bytes
//	│ CPU time of known paths      │ 20   ns        │ region: all of it            │  3…4
//	│ contexts cut short           │ 21   by a full tree
//	│ entries of the tree folded   │ 22             │ number of the chunk, from 0  │  5
//	│ native probes                │ 23             │ changes of the tree, in 0    │  8
//	│ others that are left         │ 24             ├──────────────────────────────┤
//	│ 1 if paths were counted      │ 25             │                              │
//	│ path ends counted            │ 26             │                              │
//	│ windows                      │ 27             │                              │
//	└──────────────────────────────┘                │                              │
//	                                                │ a chunk of a context tree    │ 16…
//	                                                └──────────────────────────────┘
//
//	site record                      word
//	┌──────────────────────────────┐
//	│ magic "gprofrec"             │  0
//	│ kind 6                       │  1
//	│ size of the record           │  2   bytes
//	│ region: offset in the record │  3   bytes
//	│ region: size                 │  4   bytes
//	│ number of sites              │  5
//	├──────────────────────────────┤
//	│ region: sites, by address:   │  6…
//	│   address in the text        │
//	│   what it stands for         │      address of an estimate or of a Hash, and bits
//	│   estimate, samples          │
//	│   path of the last sample    │      address of its estimate, or its number
//	│   location of the site       │      in the context tree; 0 if it is not known
//	└──────────────────────────────┘
//
//	replicate record                 word
//	┌──────────────────────────────┐
//	│ magic "gprofrec"             │  0
//	│ kind 11                      │  1
//	│ size of the record           │  2   bytes
//	│ region: offset in the record │  3   bytes
//	│ region: size                 │  4   bytes
//	│ number of entries            │  5
//	│ those in use                 │  6
//	├──────────────────────────────┤
//	│ region: a hash table         │  7…
//	│   what it is of              │      address of the counter of a path, or of a Hash plus 1; or see EntriesOf; 0: free
//	│   path                       │      in the Hash
//	│   windows                    │      group of them, see WindowLevel
//	│   samples                    │
//	│   sums                       │      of what the samples stand for, in units of 1/1024: window n is in number n modulo Replicates
//	└──────────────────────────────┘
//
// Where probes are portable, each package has a function record:
//
//	function record                  word
//	┌──────────────────────────────┐
//	│ magic "gprofrec"             │  0
//	│ kind 12                      │  1
//	│ size of the record           │  2   bytes
//	│ region: offset in the record │  3   bytes
//	│ region: size                 │  4   bytes
//	│ number of functions          │  5
//	├──────────────────────────────┤
//	│ region: one word for each    │  6…  address of the estimate of path 0 or of a Hash, and bits
//	└──────────────────────────────┘
//
// Bit 2 says that the function was sampled some time, as it does of sites: then all its paths were. Windows have level 1, and
// so have sampled functions. Bit 63 says that nothing can count the function, and the seven bits below it why: see package
// rt/copies.
//
// Where paths were counted, those that rarely end are, and counters have executions. What windows saw of the others is in
// replicate records. These also have what windows saw of paths that are counted. How often those were executed is known, which
// tells how far off the others are.
//
// Sites are the copies of markers in a program with native probes. Bit 0 of what one stands for says that it is a Hash. Bit 1
// says that the path register has the path, or what is to be added to the estimate's number. Estimates and samples of sites
// are a part of those of paths.
//
// The chunks of the calling context tree are put together by number; package pcct says what is in them. Their records take
// their size as words that are the chunk's head. Paths in the tree are what probes note: the address of an estimate, and 0. For
// a Hash they are its address plus 1, and the path's number.
//
// Where paths are sampled, counters 2i and 2i+1 of a package are the estimate of how often a path was executed, and its samples.
// The estimate is in units of 1/1024. A Hash has the estimate of path p as that of p, and its samples as the count of p + 2^63.
//
// Where the paths of each test are recorded there are test records, in order the parts of a stream of bytes:
//
//	test record                      word             stream: numbers as of encoding/binary.Uvarint
//	┌──────────────────────────────┐                  ┌─────────────────────────────────────────────────┐
//	│ magic "gprofrec"             │  0               │ length of the name of a test that begins, name  │
//	│ kind 7                       │  1               │ for all counters that it has added to:          │
//	│ size of the record           │  2   bytes       │   address of counter 0 of a package             │
//	│ region: offset in the record │  3   bytes       │     index+1, the first time, then what was      │
//	│ region: size                 │  4   bytes       │     added to it; how much further the next      │
//	│ number of the part, from 0   │  5               │     one is, …; 0                                │
//	│ length of the stream         │  6   in part 0   │   address of a Hash                             │
//	│ 0                            │  7               │     path number + 1, what was added; …; 0       │
//	├──────────────────────────────┤                  │ 0                                               │
//	│ region: part of the stream   │  8…              │ the next test …                                 │
//	└──────────────────────────────┘                  └─────────────────────────────────────────────────┘
//
// An audited function has an audit record, and so does each timing point in its loops:
//
//	audit record                     word
//	┌──────────────────────────────┐
//	│ magic "gprofrec"             │  0
//	│ kind 10                      │  1
//	│ size of the record           │  2   bytes
//	│ region: offset in the record │  3   bytes
//	│ region: size                 │  4   bytes
//	│ number of versions           │  5
//	│ length of the names          │  6   bytes
//	│ number of slots              │  7
//	│ version that is settled on   │  8   plus 1; 0: picked at random. Who watches the program may write it
//	│ least time the clock tells   │  9   ticks
//	│ clock in ticks, and in ns    │ 10…11 when the record was made
//	│ passes of a lap              │ 12   of a timing point; 0: calls are timed
//	│ clock in ticks, and in ns    │ 16…17 the last time it was looked at
//	│ (the writer's own)           │ 18
//	│ calls inside of others       │ 19
//	│ timings                      │ 20
//	│ calls of each version        │ 32…
//	│ those that returned          │ 48…
//	│ those that panicked          │ 64…
//	│ names, each ended by a NUL   │ 80…  of the function, then of its versions
//	├─ page boundary ──────────────┤
//	│ region: a ring of timings    │      timing n is in slot n modulo their number: bits 0…51 are ticks,
//	└──────────────────────────────┘      52…55 the version, 56…63 how often the slot was written
//
// Of a lap, 46…50 are the logarithm of its passes, and 51 is set in the first of an activation.
//
// A test is named by the import path of its package, a blank and its own name. The name is empty for what is in no test. The last
// one has no counters: what is in no other is its.
//
// Where events are sampled in strata (STRAT) there is a stream record:
//
//	stream record                    word
//	┌──────────────────────────────┐
//	│ magic "gprofrec"             │  0
//	│ kind 8                       │  1
//	│ size of the record           │  2   bytes
//	│ region: offset in the record │  3   bytes
//	│ region: size                 │  4   bytes
//	│ rate                         │  5   events that a message stands for; 0 if they are fed to compressors
//	│ strata                       │  6   binary logarithm of their number
//	│ address of stratum 0         │  7   in the process
//	│ length of the specification  │  8   bytes
//	│ events held by compressors   │  9   at exit, of which no message tells; may be negative
//	│ 1 if that is known           │ 10
//	│ specification                │ 11…
//	│ address of the region        │ last word before the region
//	├─ page boundary ──────────────┤
//	│ region: memory with strata   │      four bytes each: the events up to the next message; 0 if there was none yet
//	└──────────────────────────────┘
//
// Counters and Hashes that events are sampled for have the messages, and what these stand for follows from the strata (package
// strata). Shards have strata as they have counters, but each shard's are of other events: they are not added up. What
// compressors say of a Hash is there as where paths are sampled.
//
// Where other events than ends of paths are counted, Hashes have values and how often these occurred. There are records of names
// for values that are addresses of functions, entries of method tables, and strings:
//
//	record of names                  word             entry
//	┌──────────────────────────────┐                  ┌──────────────────────────────┐
//	│ magic "gprofrec"             │  0               │ value: 0 if it is half-made  │  0
//	│ kind 9                       │  1               │ length of the name, in bytes │  1   lower half
//	│ size of the record           │  2   bytes       │ flags: 1: the receiver of    │      upper half
//	│ region: entries              │  3…4 bytes       │   the method is no pointer   │
//	│ end of the last entry        │  5   in the      │ name, up to a whole word     │  2…
//	├──────────────────────────────┤      record, or  └──────────────────────────────┘
//	│ entries                      │  6…  behind it: full
//	└──────────────────────────────┘
//
// The root is the folder that names of files in path tables are relative to, as it was when the program was
// built. The first package that was
// told has it. It is "" of programs that were built with -trimpath or by an earlier goprofinstr. Then there may
// be no room for its length, and else the word is 0.
//
// A Hash is named by its address in the process, since it may count before its
// package is registered. Hash i of a package is at the address of its Hash 0
// plus HashSize·i. A Hash that grows has several chunks; a path is in one.
//
// A shard has counters of all packages. What counter i of a package has counted is the sum of
// the one in the package's record and those in all shards. If it is at address a in the
// process, it is at a minus the shard's address in the shard's region. Not all of a region is
// counters, and what is not is holes. Files without shards may lack the addresses of regions.
//
// A test binary that wrap runs has an identity, by which its run files are known again. If the go command has started the
// process, and it has left with exit code 0, there is a log record. It has what package testing has noted of the environment
// variables and files that the tests have looked at.
//
//	log record                       word
//	┌──────────────────────────────┐
//	│ magic "gprofrec"             │  0
//	│ kind 13                      │  1
//	│ size of the record           │  2   bytes
//	│ region: none                 │  3…4
//	│ length of the log            │  5   bytes
//	├──────────────────────────────┤
//	│ log                          │  6…
//	└──────────────────────────────┘
//
// A process that the environment says the service of, as OpenTelemetry's programs are told, has a label record:
//
//	label record                     word
//	┌──────────────────────────────┐
//	│ magic "gprofrec"             │  0
//	│ kind 14                      │  1
//	│ size of the record           │  2   bytes
//	│ region: none                 │  3…4
//	│ length of the name           │  5   bytes
//	│ length of the attributes     │  6   bytes
//	├──────────────────────────────┤
//	│ name of the service,         │  7…
//	│ then its attributes          │      name=value, separated by commas; percent signs and two digits as in OTEL_RESOURCE_ATTRIBUTES
//	└──────────────────────────────┘
//
// While the process lives it has a write lock on the first byte of its run file (F_OFD_SETLK, and F_SETLK on macOS), where the
// file is mapped.
//
// A record is written front to back except for its magic. A page that should
// begin a record and holds 0 there belongs to a record that was never
// finished. The process was killed in between, or two threads grew one Hash at
// once. The reader goes on page by page to the next magic.

// Magic numbers: eight characters read as a little-endian word.
const (
	RunMagic    = 0x6e757266_6f727067 // "gprofrun"
	RecordMagic = 0x63657266_6f727067 // "gprofrec"
)

// Version is the version of the format that this package writes. Version 1 has no label record.
const Version = 2

// What the last word of the header page says of how the process left. It is 0 while the process runs, where it cannot be known,
// and if the process was ended by something else, such as a panic.
const (
	ExitMain  = 1 // by a return from main, or by os.Exit in the main goroutine
	ExitOther = 2 // by os.Exit in another goroutine, as of a test
)

// Kinds of records.
const (
	KindPackage    = 1
	KindHash       = 2
	KindShard      = 3
	KindSampling   = 4
	KindContexts   = 5
	KindSites      = 6
	KindTests      = 7
	KindStream     = 8
	KindNames      = 9
	KindAudit      = 10
	KindReplicates = 11
	KindFunctions  = 12
	KindLog        = 13
	KindLabels     = 14
)

// Bits of what a site stands for.
const (
	SiteHash     = 1
	SiteRegister = 2
	SiteSampled  = 4 // it was sampled, some time

	SiteUncounted = 1 << 63 // of a function: nothing can count it
	SiteReason    = 56      // from this bit on: why, see package rt/copies
)

// Where the group of a replicate has what, in bits from these on. The first is the level of the windows, the second that
// of the site of the path ends. The last is the logarithm of how many path ends there were in 1024 ns.
const (
	WindowLevel   = 0
	WindowOf      = 4
	WindowDensity = 8
)

// EntriesOf is in the At of a replicate that is of no path, but of activations of a function whose number the rest is: of those
// that windows saw begin. One with group 0 has in Samples how many began in all, 0 if that is not known.
const EntriesOf = 1 << 62

const (
	// SampleUnit is what an estimate of one execution is.
	SampleUnit = sampler.One
	// SamplesOf is added to the number of a path for its samples, where a Hash has the estimates.
	SamplesOf = 1 << 63
	// OtherPair is the number of all pairs of paths for which a Hash has no room.
	OtherPair = 1 << 62
	// SampledPair is added to the number of such a pair for the weights of its samples, of PairRate at most. They add up to an
	// estimate.
	SampledPair = 1 << 61
	PairRate    = 256
	// FoldBits is how many bits the number of a path is folded to where there are too many paths to number pairs of them.
	FoldBits = 30
	// HashSize is the size of a Hash in the process, in bytes.
	HashSize = 8
	// EntrySize is the size of an entry of a Hash, in bytes.
	EntrySize = 16
	// MinPage is the smallest page size a run file can have.
	MinPage = 4096
)

// FoldPath folds the number of a path to FoldBits bits: Knuth's multiplicative hash.
func FoldPath(path U) U { return path * 0x9e37_79b9_7f4a_7c15 >> (64 - FoldBits) }
