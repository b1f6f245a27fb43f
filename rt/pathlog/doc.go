// Package pathlog decodes logs of copies of machine code: see package copies. A copy appends a [Record] where a path goes one
// way or another. Tables (tables.go) say of each place what its records mean. A [Decoder] follows the activations that a log
// tells of, and counts their paths, or has a [Tally] count them.
//
// # Design
//
// A decoder works in signal handlers, and on memory that is not the heap's. Nothing is allocated, nothing stores a pointer, and
// the tables have none.
package pathlog

// U is the type of counters and path numbers.
type U = uint64
