// Package extents divides a source file as Go's coverage does: into runs of statements with one count, which coverage
// profiles call blocks. Of
//
//	3	func F(n int) int {
//	4		if n > 0 {
//	5			n++
//	6		}
//	7		return n
//	8	}
//
// it makes, as go1.26 does,
//
//	counter  extent     statements
//	3.20     3.19,4.11  1
//	4.12     4.11,6.3   1
//	7.2      7.2,7.10   1
//
// It follows cmd/cover/cover.go of the Go distribution step by step, with its names: go1.26's and, with gaps, go1.27's,
// which leaves lines without code out. A test holds it against the tool itself. A program that carries the extents of
// its files needs neither these nor the tool to say what was covered.
//
// Go1.27's blocks that are divided at gaps have the number of statements of the whole block each; so have ours.
package extents
