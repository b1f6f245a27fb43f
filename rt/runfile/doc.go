// Package runfile is the run file of a process. It says where the file goes, what is in it, and how records are added while the
// program runs.
//
// On Linux and macOS the file is mapped, and what is counted is in it at once: see store_mapped.go. On Windows it is mapped,
// too, and counters are copied to it: see array_copied.go. Elsewhere it is written when the program exits: see
// store_other.go. The format is drawn in format.go; package rundata reads it. What records count is for the packages above.
package runfile

// U is the type of the words of the file.
type U = uint64
