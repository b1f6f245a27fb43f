// Package abandon counts the parts of paths that activations had executed when they were abandoned. A panic, runtime.Goexit or
// the end of the process abandons them.
//
// What is said here and what runtime.go.txt adds to package runtime belong together.
package abandon

// U is the type of counters, path registers and path numbers.
type U = uint64
