// Package report writes what people read of a profile: on a terminal, in the summary of a CI job, and the same as JSON.
//
//	err = report.WriteText(w, p, 20)          // the 20 hottest of everything, in 80 columns
//	err = report.WriteJSON(w, p, 20)          // the same for programs
//	err = report.WriteMarkdown(w, p, 20)      // for code hosts
//	err = report.WriteBadge(w, p)             // a picture for a README
//	err = report.WriteSummary(os.Stderr, p)   // a few lines after a run
//	err = report.WriteConditions(w, p)        // how often each condition was true
//	err = report.WritePathTests(w, p, name)   // which tests take a path
//	err = report.WriteTestPaths(w, p, name)   // which paths only a test takes
//
// Equal profiles give equal bytes. Pages are in package page.
package report
