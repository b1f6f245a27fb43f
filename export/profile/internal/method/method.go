// Package method knows what the raw counts of each way of counting are, what they stand for, and what can be known from
// them.
//
//	exact    a count is a number of executions
//	ticks    a count is an estimate, in units of runfile.SampleUnit, and beside it the number of its samples
//	strata   a count is a number of messages; package profile makes estimates and samples of them when it reads
//	         a run
//
// So strata count as ticks do once they have been read. Everything here is about counts of paths, or of the values of
// other events, of one function. A new way of counting is a file here, which registers it by the name in tables.
package method

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// A Count says how often something was executed.
type Count struct {
	ID      uint64 // of the path
	N       uint64 // executions
	Samples uint64 // that N was estimated from; 0 if it was counted
}

// Certainty is what is known of executions; more has a larger value.
type Certainty int

const (
	Estimated Certainty = iota // how often, about; what was not seen may have been executed all the same
	Whether                    // whether there were any, not how often: what was not seen was not executed
	HowOften                   // how often, exactly: then as many enter a block as leave it
)

// A Method is how counts are kept in one way of counting.
type Method interface {
	// Words returns how many words of a package's counters a path has.
	Words() uint64
	// Array returns the counts of n paths that are in a package's counters, from the one of path 0 on. Paths that
	// were not executed are left out.
	Array(counters []uint64, first, n uint64) []Count
	// Hash returns the counts in a hash table, by increasing id.
	Hash(counts map[uint64]uint64) []Count
	// Executions returns what a count stands for.
	Executions(count uint64) uint64
	// Count is the inverse.
	Count(executions uint64) uint64

	// Certainty returns what is known of executions that are counted so.
	Certainty() Certainty
	// Says returns what people read.
	Says() Words
	// Account says how counts came about, if there is more to say than in Words; or "".
	Account(Account) string
}

// Words are what people read about a way of counting.
type Words struct {
	Mode   string // what -mode calls it
	Counts string // what the counts in a run are: "exact counts"
	Title  string // what a profile of them has: "Exact counts"
}

// methods has all ways of counting. Each registers itself in its file.
var methods = make(map[table.Method]Method)

// register adds a way of counting by the name that is in tables.
func register(name table.Method, m Method) {
	if methods[name] != nil {
		panic("BUG: two ways of counting called " + string(name))
	}
	methods[name] = m
}

// Of returns how a method keeps counts. Check has made sure that it is known.
func Of(m table.Method) Method {
	known := methods[m]
	if known == nil {
		panic("BUG: the way of counting " + string(m) + " of a table that was not checked")
	}
	return known
}

// Check reports a way of counting of a table that is not known: another release has it, or the table is damaged.
func Check(t *table.Package) error {
	for _, m := range t.Methods() {
		if methods[m] == nil {
			return fmt.Errorf("unknown way of counting %q", m)
		}
	}
	return nil
}

func sorted(list []Count) []Count {
	slices.SortFunc(list, func(a, b Count) int { return cmp.Compare(a.ID, b.ID) })
	return list
}
