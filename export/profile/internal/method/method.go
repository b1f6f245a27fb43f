// Package method knows what the raw counts of each way of counting are, and what they stand for.
//
//	exact    a count is a number of executions
//	ticks    a count is an estimate, in units of runfile.SampleUnit, and beside it the number of its samples
//	strata   a count is a number of messages; package profile makes estimates and samples of them when it reads a run
//
// So strata count as ticks do once they have been read. Everything here is about counts of paths, or of the values of other
// events, of one function.
package method

import (
	"cmp"
	"slices"

	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// A Count says how often something was executed.
type Count struct {
	ID      uint64 // of the path
	N       uint64 // executions
	Samples uint64 // that N was estimated from; 0 if it was counted
}

// Counts are how a method keeps counts.
type Counts interface {
	// Array returns the counts of n paths that are in a package's counters, from the one of path 0 on. Paths that were not
	// executed are left out.
	Array(counters []uint64, first, n uint64) []Count
	// Hash returns the counts in a hash table, by increasing id.
	Hash(counts map[uint64]uint64) []Count
	// Executions returns what a count stands for.
	Executions(count uint64) uint64
	// Count is the inverse.
	Count(executions uint64) uint64
}

// Of returns how a method keeps counts.
func Of(m table.Method) Counts {
	if m == table.Exact {
		return exact{}
	}
	return estimated{}
}

func sorted(list []Count) []Count {
	slices.SortFunc(list, func(a, b Count) int { return cmp.Compare(a.ID, b.ID) })
	return list
}
