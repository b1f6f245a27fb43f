// Package sampled samples path ends.
//
// probe.go, logs.go and burst.go have portable probes, a test of a flag each: what they do, and what happens at ticks. What samples
// stand for is in weigh.go, and what probes take in probecost.go. Path ends that are looked at with their contexts are trapped
// by trap*.go.
//
// Packages below it do the rest. Ticks come from package tick, contexts from package contexts. Package native has native probes,
// in place of the portable ones.
package sampled

// U is the type of counters, path registers and path numbers.
type U = uint64
