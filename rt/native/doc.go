// Package native has native probes, which cost nothing until they fire: PEP's yieldpoints, patched into the program after
// linking.
//
// Rewritten code has markers (marker.go), of which package rewrite/patch makes sites. In the process native.go maps what
// armed sites call; their stubs (stub.go, stubs.go) note path ends in logs (log.go). Sites are armed by writing to the text
// (arming.go, text.go). Sites where paths rarely end are always armed, and all path ends there are counted (counting.go).
// The others are armed in windows (window.go, package replicate), which depend on how much of the time the program waits
// (rt/tick). What happens at ticks is in tick.go, path ends with their contexts in trap.go, and what is told of sites in
// sites.go.
//
// Package sampled starts it and has it know of ticks. There are native probes for linux/amd64 only; none.go is for other systems.
//
// What is said here and what pprof.go.txt adds to package runtime/pprof belong together.
package native

// U is the type of counters, path registers and path numbers.
type U = uint64
