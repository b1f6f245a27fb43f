// Package export writes path profiles for other programs: as JSON, as folded stacks, and as a
// directory of files for pprof. It takes the model of package profile and adds nothing to it:
//
//	p, err := profile.Load("goprofinstr.out")
//	…
//	err = export.WriteDir("goprofinstr.out", p)      // paths.pb.gz, edges.pb.gz, calls.pb.gz: package pprof
//	err = export.WriteJSON(w, p)                     // schema version 1
//	err = export.WriteFolded(w, p)                   // for flame graph tools
//	err = export.WriteMarkers(w, p)                  // where loops are in executables
//
// Coverage for other tools is in packages coverage, coverprofile and covdata. Profiles for the compiler are in
// package pgo. What people read is in packages report and page; what check and diff find is written by packages
// gate and compare.
//
// Equal profiles give equal bytes in every format.
//
// # Worked example
//
// For the function F of package profile's documentation, WriteFolded writes, of the path that is one time around the
// loop,
//
//	example.com/m.F;{path 2: 13→14→13} 1
//
// # Names
//
// Runes that would break a line or hide in it (control characters, invalid UTF-8) are replaced by U+FFFD. JSON escapes them
// itself.
//
// # Not handled
//
// Callers are known of sampled profiles with contexts only; of others stacks end at the function.
package export
