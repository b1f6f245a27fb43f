// Package pertest writes down what each test has added to the counters.
//
// What is said here and what testing.go.txt adds to package testing belong together. Package rt imports it where that is there.
package pertest

// U is the type of counters, path registers and path numbers.
type U = uint64
