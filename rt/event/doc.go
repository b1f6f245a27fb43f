// Package event makes events of calls, of loops and of values (selector.go), elects the targets of calls that need not be
// counted (elected.go), and writes down what addresses and strings are called (names.go).
package event

// U is the type of counters, path registers and path numbers.
type U = uint64
