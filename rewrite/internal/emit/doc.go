// Package emit names things in rewritten code: our own variables, which no name in the user's source may be, and
// what the runtime declares.
//
// Code is text. In a format, a name behind a $ is one that the runtime declares: package goprofinstr/rt, or the package
// below it that is named, too.
//
//	n.Sprintf("$Inc(&%s[%d])", n.Counters, k)                     // gpi_rt.Inc(&gpi_C[7])
//	n.Sprintf("$strata.Feed(&%s[%d],%s)", n.Hashes, hash, value)  // gpi_strata.Feed(&gpi_H[3],gpi_r)
//
// What a file of rewritten code imports follows from these names.
package emit
