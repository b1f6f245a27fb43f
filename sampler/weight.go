package sampler

// One is the unit of weights: a sample of weight One stands for one execution.
const One = 1 << 10

// Weight returns how many executions each of taken samples stands for, in units of 1/[One]. A window of CPU time saw ends
// path ends, and was sampled to stand for an interval of it. Times are in one unit, any.
//
//go:norace
func Weight(ends, taken, window, interval uint64) uint64 {
	if taken == 0 {
		return 0
	}
	w := float64(ends) / float64(taken)
	if window > 0 && interval > window {
		w *= float64(interval) / float64(window)
	}
	return uint64(w*One + 0.5)
}
