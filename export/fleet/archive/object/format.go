package object

// The format of an object. It does not depend on the machine. Numbers are in the form of encoding/binary's Uvarint, in as few
// bytes as they fit, unless a length is given. A string is a number of bytes and the bytes.
//
//	┌───────────────────────────┐ 0
//	│ magic          8 bytes    │
//	│ version        1 byte     │
//	│ flags          1 byte     │ flagFinal
//	│ service        string     │
//	│ root           string     │ "" if it is not known
//	│ number of parts           │
//	│ labels of each string     │ in order, no two alike
//	├───────────────────────────┤
//	│ number of runs            │
//	│ for each run:             │ in order of host, name and start, no two alike
//	│   host, name   strings    │
//	│   start        8 bytes    │ little-endian: ns since 1970
//	│   flags        1 byte     │ flagProcess
//	│   part                    │ number of the one that it is in
//	│   sum          8 bytes    │ of the counts below, of the run alone
//	├───────────────────────────┤
//	│ for each part:            │
//	│   flags        1 byte     │ flagSampled, flagSampling, flagUncounted
//	│   if flagSampling:        │
//	│     ticks, samples, path ends that were counted, CPU time and cost in ns,
//	│     contexts, those cut and folded, period in ns, burst, probes left,
//	│     how far off all estimates may be together, in units of 1/1,000,000
//	│     number of specifications, and these as strings in order, no two alike
//	│   number of names         │ of values
//	│   names        strings    │ in order, no two alike
//	│   counts                  │
//	│   if flagUncounted:       │
//	│     functions  lists      │ that nothing can count, of each package: see rundata.Sparse
//	├───────────────────────────┤
//	│ checksum       8 bytes    │ the first of the SHA-256 of all before
//	└───────────────────────────┘
//
// Counts are
//
//	┌───────────────────────────┐
//	│ lost                      │ executions
//	│ number of packages        │
//	│ for each package:         │ in order of import path, no two alike
//	│   import path  string     │
//	│   table        32 bytes   │ SHA-256 of the encoded path table
//	│   size                    │ number of counters
//	│   counters     list       │
//	│   number of hash tables   │
//	│   number of those in use  │
//	│   for each of these:      │ in order
//	│     its number            │ less the one before, as in a list
//	│     paths      list       │
//	└───────────────────────────┘
//
// A list is the number of its entries, and for each its place and its count. Places grow: what is written of the first is
// the place, and of others the distance from the one before, less 1. No count is 0. The place of a value that has a name is
// profile.NumberOf of it.
//
// Version 3 does not have the functions that nothing can count.
// Version 2 does not have how far off estimates may be.
// Version 1 has no root and no parts. Behind the service there are the labels of a single run, "" of several, and flags
// have flagSampledWas. A run has no number of a part, and behind the runs there are their counts.
const (
	magic   = "gpicount"
	Version = 4
	Oldest  = 1 // version that is read
)

// Flags of an object.
const (
	flagFinal      = 1 << iota // all of the runs have ended
	flagSampledWas             // some counts are estimates; in version 1
)

// Flags of a part.
const (
	flagSampled   = 1 << iota // some counts are estimates
	flagSampling              // it is known how these came about
	flagUncounted             // nothing can count some of the functions
)

// flagProcess is the flag of a run that was a process, and no tables alone.
const flagProcess = 1

// Lengths in bytes.
const (
	headLen    = len(magic) + 2
	sumLen     = 8
	tableLen   = 32
	runLeast   = 1 + 1 + 8 + 1 + sumLen       // of a run
	packLeast  = 1 + tableLen + 1 + 1 + 1 + 1 // of a package
	entryLeast = 2                            // of an entry of a list
	hashLeast  = 1 + 1                        // of a hash table in use
	objectRest = headLen + 1 + 1 + 1 + sumLen // of an object without runs and parts
)

// offUnit is what 1 is of tally.Sampling's Off, and mostOff bounds that: nothing is known to within some billions.
const (
	offUnit = 1_000_000
	mostOff = 20 * offUnit
)

const (
	// MostBytes bounds the size of an object. That of a run of 9,067 functions has 5 kB, that of a day of 100,000 runs has 10 MB.
	MostBytes = 64 << 20
	// mostText bounds strings. Attributes that are allowed are few, and file systems have names of up to 255 bytes.
	mostText = 4096
	// mostCounters bounds the counters of all packages together, as package rundata does: 1 GiB of them.
	mostCounters = 1 << 27
	// mostHashes bounds the hash tables of all packages together, as package rundata does.
	mostHashes = 1 << 20
)
