// Package publish keeps docs/results, and the numbers that other documents have from there.
//
//	list.go   which experiments are published, and how they are made
//	page.go   a page for each: where it was measured, and its tables
//	index.go  docs/results/README.md
//	quote.go  numbers that documents quote
//	files.go  all of these as they should be, compared with what they are
//
// An experiment has a file NAME.json, as eval writes it. All else in the folder is made of these files. A document quotes a
// number by a link whose definition has the address of the number:
//
//	PEP adds [1.2][pep]% to the time.
//
//	[pep]: results/papers.md#time-that-profiling-adds "PEP(64,17); mean, %"
//
// The anchor is the table's, and the title the address within the table, see [result.Measure.At]. The text of the link is
// filled in, with as many decimals as it had.
//
// # What is not handled
//
//   - Numbers that follow from several others, such as differences.
//   - Units: they stand behind the link.
package publish
