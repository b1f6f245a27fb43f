// Package rewrite inserts the code that counts paths into the source of a package.
//
// It edits bytes, not trees. Every insertion goes on a line that exists, so that panics, stack traces and profiles
// name the lines of the user's source. Of
//
//	func abs(x int) int {
//		if x < 0 {
//			return -x
//		}
//		return x
//	}
//
// it makes
//
//	func abs(x int) int {
//		if x < 0 {gpi_C[gpi_rt.Pad+1]++;
//			return -x
//		}
//		gpi_C[gpi_rt.Pad+0]++;return x
//	}
//
// and the counters and their registration. These stand at the end of one of the package's files, behind the last line, or in
// front of the variables that the package sets:
//
//	var gpi_C [gpi_rt.Pad+2+gpi_rt.Pad]gpi_rt.U
//	var _=gpi_rt.Register(&gpi_rt.Package{Path:"example.com/m",Table:"…",Counters:&gpi_C[0],N:2,…})
//
// Package ssacfg decides what goes where (which edge has which place), and package pathnum which edge needs which code.
// plan.go brings the two together and emit.go writes the result. lower.go does so where code falls into conditions. Package
// method has what counting, sampling and the other ways of counting insert. frame.go plans what tells where an abandoned
// activation was. It may be the line (lines.go, scope.go), what the activation's frame says, or entries that ended no path
// (entries.go).
//
// Not handled: files that import "C". What cgo makes of them is only type-checked with the others.
package rewrite
