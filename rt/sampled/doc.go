// Package sampled samples path ends, and finds out in what calling contexts they and ticks are.
//
// probe.go and marker.go have what rewritten code does, native*.go the time of bursts of native probes (native_text.go how sites are written to), burst.go
// what happens at ticks, and tick_*.go where these
// come from. Calling contexts, of ticks and of some path ends, are in context*.go and trap*.go, and what tells new activations from old ones in words.go.
//
// What is said here and what signal.go.txt, stack.go.txt and ticker.go.txt add to package runtime belong together.
package sampled

// U is the type of counters, path registers and path numbers.
type U = uint64
