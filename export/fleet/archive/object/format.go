package object

// The format of an object. It does not depend on the machine; numbers are in the form of encoding/binary's Uvarint, in as few bytes as
// they fit, unless a length is given. A string is a number of bytes and the bytes.
//
//	┌───────────────────────────┐ 0
//	│ magic          8 bytes    │
//	│ version        1 byte     │
//	│ flags          1 byte     │ flagFinal, flagSampled, flagRoot
//	│ service        string     │
//	│ attributes     string     │
//	│ root           string     │ if flagRoot is set, and then not ""
//	├───────────────────────────┤
//	│ number of runs            │
//	│ for each run:             │ in order of host, name and start, no two alike
//	│   host, name   strings    │
//	│   start        8 bytes    │ little-endian: ns since 1970
//	│   flags        1 byte     │ flagProcess
//	│   sum          8 bytes    │ of the section below, of the run alone
//	├───────────────────────────┤
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
//	├───────────────────────────┤
//	│ checksum       8 bytes    │ the first of the SHA-256 of all before
//	└───────────────────────────┘
//
// A list is the number of its entries, and for each its place and its count. Places grow: what is written of the first is the place, and of others
// the distance from the one before, less 1. No count is 0.
const (
	magic   = "gpicount"
	version = 1
)

// Flags of an object.
const (
	flagFinal   = 1 << iota // all of the runs have ended
	flagSampled             // some counts are estimates
	flagRoot                // there is a root; an object without one is as it was before there were any
	flagsKnown  = flagFinal | flagSampled | flagRoot
)

// flagProcess is the flag of a run that was a process, and no tables alone.
const flagProcess = 1

// Lengths in bytes.
const (
	headLen    = len(magic) + 2
	sumLen     = 8
	tableLen   = 32
	runLeast   = 1 + 1 + 8 + 1 + sumLen           // of a run
	packLeast  = 1 + tableLen + 1 + 1 + 1 + 1     // of a package
	entryLeast = 2                                // of an entry of a list
	hashLeast  = 1 + 1                            // of a hash table in use
	objectRest = headLen + 2 + 1 + 1 + 1 + sumLen // of an object without runs and packages
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
