// Package export writes path profiles in formats that other programs and
// people read. It takes the model of package profile and adds nothing to it:
//
//	p, err := profile.Load("goprofinstr.out")
//	…
//	p.Root = moduleRoot // so that pprof finds the sources
//	err = export.WriteDir("goprofinstr.out", p)      // paths.pb.gz, edges.pb.gz, calls.pb.gz
//	err = export.WriteJSON(w, p)                     // schema version 1
//	err = export.WriteFolded(w, p)                   // for flame graph tools
//	err = export.WriteMarkers(w, p)                  // where loops are in executables
//	err = export.WriteReport(w, p, 20)               // text to read
//	err = export.WriteReportJSON(w, p, 20)           // the same for programs
//	err = export.WriteMarkdown(w, p, 20)             // for the summary of a CI job
//	err = export.WriteSummary(os.Stderr, p)          // a few lines after a run
//
// Equal profiles give equal bytes in every format.
//
// # Worked example
//
// For the function F of package profile's documentation, paths.pb.gz holds three samples.
// That of path 2, one time around the loop, is
//
//	frames       example.com/m.F {path 2: 13→14→13}  f.go:13
//	             example.com/m.F                     f.go:13
//	path_execs   1
//	flow         1      (1 execution × 1 branch on the path)
//	labels       path:[13→14→13] path_id:[2] branches:[1]
//
// edges.pb.gz holds, for the edge into the loop body,
//
//	frames       example.com/m.F {edge 1: cond.true 13→14}  f.go:13
//	             example.com/m.F                            f.go:14
//	edge_execs   2
//	labels       kind:[cond.true] edge_id:[1]
//
// so that "go tool pprof -list 'm\.F$' edges.pb.gz" shows each line with how often
// control came to it by an edge, and -top shows the hottest branches. calls.pb.gz holds
// one frame, example.com/m.F, with call_execs 1. WriteFolded writes
//
//	example.com/m.F;{path 2: 13→14→13} 1
//
// # Sources in pprof
//
// If Profile.Root is set, files of the main module are absolute in the pprof
// files, and -list and the web view find them from anywhere. Other files are
// named by import path and base name; for those of the standard library use
// "go tool pprof -source_path $(go env GOROOT)/src".
//
// # Names
//
// Runes that would break a line or hide in it (control characters, invalid
// UTF-8) are replaced by U+FFFD in all formats except JSON, which escapes
// them itself.
//
// # Not handled
//
// Callers and times are not known to the model yet, so stacks end at the
// function and calls.pb.gz has no time. A path id above 2⁶³-1 is
// negative in the num-label path_id of pprof, which holds 64 signed bits; the frame name
// and JSON have it in full. Straight-line functions have flow 0: they show only
// in pprof's sample type path_execs.
package export
