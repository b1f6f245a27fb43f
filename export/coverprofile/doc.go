// Package coverprofile derives Go's coverage profile from path counts: the file
// that go test -coverprofile writes, line for line.
//
// Its extents are those of the cover tool of the Go release that has built the program. They are not those of
// the graph, and differ from release to release. Path tables have them, which package rewrite/extents makes,
// so it takes no sources to derive a profile. Of packages without, the tool is asked. Of
//
//	3	func F(n int) int {
//	4		if n > 0 {
//	5			n++
//	6		}
//	7		return n
//	8	}
//
// go tool cover makes
//
//	func F(n int) int {V.Count[0]++;
//		if n > 0 {V.Count[2]++;
//			n++
//		}
//		V.Count[1]++;return n
//	}
//
// followed by a table with the extent and the number of statements of each counter ([Extents]).
// The place of the counter in the source tells which statements it counts. [table.Function]
// lists where runs of statements start and in which block of the graph each is. So the count of
// V.Count[2] above is that of the last run that starts before it. Called once with 1 and twice
// with 0, F has
//
//	example.com/m/f.go:3.19,4.11 1 3
//	example.com/m/f.go:4.11,6.3 1 1
//	example.com/m/f.go:7.2,7.10 1 3
//
// A [Plan] says what go test would have put into the file: which packages, once for each
// test binary. It is written when the tests are wrapped, and [Derive] joins it with the
// run data at any time afterwards. A program that is no test needs none ([DeriveProgram]).
//
// # Which runs count
//
// The profile of a test has the process that the go command started. It also has those in which the test binary was started again
// and left by os.Exit: they add to Go's own profile then. Such a process ran as some other program (by TestMain, as in
// testscript). Or it had a -test flag, to run one test in a process of its own (as in package os/exec), and that test called
// os.Exit. If it came to its end, the process has made a profile of its own, which nobody sees, and does not count.
//
// # Not handled
//
// A test binary may be started again with a -test flag and call os.Exit in TestMain, before any test. Go has it, and here it is
// like one whose tests are over. Go's counters have 32 bits and wrap around; these do not. What TestMain does after m.Run returns
// is in these counts and not in Go's. A test binary that crashes has no profile with go test, and all that it counted here. With
// several test binaries at a time (go test -p) Go has them in the order in which they finish. Here they are in the order of the
// packages, as with -p=1. Source lines longer than 65535 bytes have wrong columns in the table of the cover tool.
package coverprofile
