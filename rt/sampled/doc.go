// Package sampled samples path ends, and finds out in what calling contexts they and ticks are.
//
// probe.go, logs.go and burst.go have portable probes, a test of a flag each: what they do, and what happens at ticks. Native
// probes are marker.go and native*.go: they count where paths rarely end. Ticks come from package tick. Calling
// contexts, of ticks and of some path ends, are in context*.go, trap*.go and native_trap.go, and what tells new activations from old ones
// in words.go.
//
// What is said here and what stack.go.txt adds to package runtime belong together.
package sampled

// U is the type of counters, path registers and path numbers.
type U = uint64
