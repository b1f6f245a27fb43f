// Package profile is the model of a path profile. It is the run data of a profile directory joined with the path
// tables that say what it means.
//
// [Load] reads every run file of a directory, and adds up the counts of the
// same function over all runs. It turns each counted path number back into
// the edges of the path. Counts of edges and blocks follow from the paths.
// For
//
//	12	func F(n int) (s int) {
//	13		for n > 0 {
//	14			s += n
//	15			n--
//	16		}
//	17		return s
//	18	}
//
// called once with n = 2, the profile of F holds
//
//	path  starts   lines        count  ends
//	0     entry    12→13→14→13  1      back edge 14→13
//	2     loop 13  13→14→13     1      back edge 14→13
//	3     loop 13  13→17        1      return
//
// So edge 13→14 was executed 2 times. The block of line 13, reached once from entry and twice by the back edge, was
// executed 3 times. Entries is 1, Abandoned 0.
//
// [Profile.Check] tests that such counts are consistent with each other.
//
// # Not handled
//
// Runs are added up and cannot be told apart afterwards, but for what each test took where that was recorded
// ([Profile.Tests]). What activations had executed of a path when a program
// deadlocked or was killed is not known; the paths that had ended before are.
package profile
