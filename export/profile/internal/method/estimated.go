package method

import "github.com/goprofinstr/goprofinstr/rt/runfile"

// estimated counts are estimates and samples: in pairs of an array, or a hash table has both.
type estimated struct{}

func (estimated) Words() uint64        { return 2 }
func (estimated) Certainty() Certainty { return Estimated }

func (estimated) Array(counters []uint64, first, n uint64) (list []Count) {
	for id := range n {
		at := 2 * (first + id)
		list = addEstimate(list, id, counters[at], counters[at+1])
	}
	return list
}

func (estimated) Hash(counts map[uint64]uint64) (list []Count) {
	for id, estimate := range counts {
		if id < runfile.SamplesOf {
			list = addEstimate(list, id, estimate, counts[id|runfile.SamplesOf])
		}
	}
	return sorted(list)
}

func (estimated) Executions(count uint64) uint64 {
	n := count / runfile.SampleUnit
	if count%runfile.SampleUnit >= runfile.SampleUnit/2 {
		n++
	}
	return n
}

func (estimated) Count(executions uint64) uint64 { return executions * runfile.SampleUnit }

// addEstimate adds what has been counted or has samples. It has been executed, whatever rounding makes of it.
func addEstimate(list []Count, id, estimate, samples uint64) []Count {
	if samples == 0 && estimate == 0 {
		return list
	}
	return append(list, Count{id, max(1, estimated{}.Executions(estimate)), samples})
}
