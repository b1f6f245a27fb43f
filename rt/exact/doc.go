// Package exact counts path ends for -atomic: in shards, counters of which no two threads use the same, or with atomic
// instructions.
//
// What is said here and what runtime.go.txt adds to package runtime belong together.
package exact

// U is the type of counters, path registers and path numbers.
type U = uint64
