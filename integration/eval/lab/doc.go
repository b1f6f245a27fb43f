// Package lab builds and runs what experiments measure: benchmarks of other modules, in many modes.
//
//	list.go       which benchmarks there are: benchmarks.json, workloads.json, contexts.json
//	modes.go      in which ways a test binary is built: plainly, with wrap, with -cover
//	flags.go      the flags that say where and with what; they make a workshop
//	build.go      a workshop builds targets: one binary for each mode
//	bench.go      runs one benchmark of a build: for its time,
//	callgrind.go  its instructions,
//	profile.go    the profile that it writes,
//	watch.go      or what its run file holds while it runs
//	program.go    programs of our own, built and run in every mode
//	busy.go       busy loops beside them
//	rows.go       the rows of a table for targets
//	machine.go    on what machine all of it runs
//
// A new benchmark is a line of a list, a new mode a line of the table in modes.go.
//
// # Not handled
//
// Two evaluations at a time in one folder.
package lab
