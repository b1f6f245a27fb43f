package method

// exact counts are executions.
type exact struct{}

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
