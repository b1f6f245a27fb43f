package method

import "github.com/goprofinstr/goprofinstr/ssacfg/table"

// exact counts are executions.
type exact struct{}

func init() { register(table.Exact, exact{}) }

func (exact) Words() uint64 { return 1 }

func (exact) Array(counters []uint64, first, n uint64) (list []Count) {
	for id := range n {
		if n := counters[first+id]; n > 0 {
			list = append(list, Count{ID: id, N: n})
		}
	}
	return list
}

func (exact) Hash(counts map[uint64]uint64) (list []Count) {
	for id, n := range counts {
		if n > 0 {
			list = append(list, Count{ID: id, N: n})
		}
	}
	return sorted(list)
}

func (exact) Executions(count uint64) uint64 { return count }
func (exact) Count(executions uint64) uint64 { return executions }

func (exact) Certainty() Certainty { return HowOften }

func (exact) Says() Words {
	return Words{Mode: "exact", Counts: "exact counts", Title: "Exact counts"}
}

func (exact) Account(Account) string { return "" }
