// Package coverage writes the coverage of a profile for other tools: lines, functions and the branches of each line.
//
//	sources, _, err := coverprofile.Sources(p, plan, false)
//	r := coverage.New(p, sources, "")
//	err = r.WriteLcov(w)      // genhtml, Coveralls, editors
//	err = r.WriteCobertura(w) // GitLab, Jenkins, Azure DevOps
//	err = r.WriteSonar(w)     // SonarQube's generic format
//	err = r.WriteCodecov(w)   // Codecov's own format
//
// All of them write one [Report]. So what a line is, how often it ran and which branches it has is the same in all. Of
//
//	3	func F(n int) int {
//	4		if n > 0 && n < 9 {
//	5			n++
//	6		}
//	7		return n
//	8	}
//
// called with 1, 2 and -1, the lines are
//
//	line  count  conditions
//	3     3
//	4     3      n > 0: true 2, false 1; n < 9: true 2, false 0
//	5     2
//	7     3
//
// # Lines
//
// A line counts if some of the code in an extent of Go's own coverage is on it. Code is a token, but for braces and what
// closes a bracket or a list. The count of a line is the highest of these extents. The line of a function's func keyword
// has the number of calls.
//
// A line with conditions has the number of times that its most often decided condition was decided, whatever else is on it. So
// it was executed if and only if one of its branches was, as lcov 2 demands. Nobody knows of an extent whether a panic has
// come before its last line, or the first line of a condition has decided it.
//
// # Branches
//
// Each condition has two branches, true and false, on the line where its operand begins. Conditions are those of
// [profile.Function.Conditions], so operands of && and || have their own.
//
// # What is not known
//
// Functions that were declined, or are not what ran any more, are left out and listed in [Report.Missing]. In sampled
// profiles what was not seen may have been executed. It counts as not covered, as in check, so that totals are the same in
// every mode; [Report.Unsure] says how much that is.
//
// # Not handled
//
// What sources mark with //goprofinstr:ignore, and generated files, count as they do in go test -cover. Files outside of
// the profile's root are left out: a dashboard has no source of these. A //line directive changes nothing here: conditions
// are in the Go file. In tracefiles with a section for each test, lcov may add up more executions of a line than the line has
// elsewhere. Each section has the highest count of the line's extents, and these may be others in another test.
package coverage
