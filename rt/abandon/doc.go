// Package abandon counts the parts of paths that activations had executed when they were abandoned: by a panic, by runtime.Goexit, or at the end of the process.
//
// What is said here and what runtime.go.txt adds to package runtime belong together.
package abandon

// U is the type of counters, path registers and path numbers.
type U = uint64
