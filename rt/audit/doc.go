// Package audit is the half of the dispatchers of audited functions that is linked into programs: see audit.go and lap.go.
//
// What is said here and what runtime.go.txt adds to package runtime belong together.
package audit

// U is the type of counters, path registers and path numbers.
type U = uint64
