// Package pprof writes path profiles as profiles that pprof reads.
//
//	p.Root = moduleRoot // so that pprof finds the sources
//	err = pprof.WritePaths(w, p)
//	err = pprof.WriteEdges(w, p)
//	err = pprof.WriteCalls(w, p)
//	err = pprof.WriteEvents(w, p, "calls")
//
// # Worked example
//
// For the function F of package profile's documentation, WritePaths writes three samples.
// That of path 2, one time around the loop, is
//
//	frames       example.com/m.F {path 2: in the loop on line 13 → for i < n → line 13 again}  f.go:13
//	             example.com/m.F  f.go:13
//	path_execs   1
//	flow         1      (1 execution × 1 branch on the path)
//	labels       path:[13→14→13] path_id:[2] branches:[1]
//
// WriteEdges writes, for the edge into the loop body,
//
//	frames       example.com/m.F  f.go:14
//	edge_execs   2
//	labels       edge:[13→14 for i < n] kind:[cond.true] edge_id:[1]
//
// So "go tool pprof -list 'm\.F$' edges.pb.gz" shows each line with how often control came to
// it by an edge. With -top -tagleaf=edge it shows the hottest branches. WriteCalls writes one
// frame, example.com/m.F, with call_execs 1.
//
// # Callers and time
//
// Profiles with calling contexts are sampled ones. Their samples of paths and calls have the callers and the
// goroutine's labels, and CPU time as one more value. Stacks of others end at the function.
//
// # Estimates
//
// Comments say how many functions are counted exactly. If the profile has estimates, comments also have its 100 largest
// numbers for "go tool pprof -comments". With each are what was counted of it, its samples or ticks, and its 95% interval,
// as reports have them.
//
// # Sources
//
// If Profile.Root is set, files of the main module are absolute, and -list and the web view find them from anywhere.
// Other files are named by import path and base name; for those of the standard library use
// "go tool pprof -source_path $(go env GOROOT)/src".
//
// # Not handled
//
// A path id above 2⁶³-1 is negative in the num-label path_id, which holds 64 signed bits; the frame name has it in
// full. Straight-line functions have flow 0: they show only in the sample type path_execs. Edges have no callers.
package pprof
