package calibrate

import "slices"

// Selections returns totals by item as they might have been: without each replicate, and with factors that are off. There
// are as many as weights that [Weights] returns for so many levels. See package interval.
func (e *Estimates) Selections(levels int) [][]float64 {
	list := slices.Clone(e.replicates)
	for l := range levels {
		for i, n := range shifts {
			for k := range n {
				if at := 2*l + i; at < len(e.shifts) && k < len(e.shifts[at]) {
					list = append(list, e.shifts[at][k])
				} else {
					list = append(list, e.Total)
				}
			}
		}
	}
	return list
}

// shifts is how many totals there are for a center that is off, and for groups that are.
var shifts = [2]int{1, 4}

// Weights returns what the squares of selections count: those of replicates as the delete-a-group jackknife has it.
func Weights(replicates, levels int) []float64 {
	n := float64(replicates)
	list := slices.Repeat([]float64{(n - 1) / n}, replicates)
	for range levels {
		for _, n := range shifts {
			list = append(list, slices.Repeat([]float64{1 / float64(n)}, n)...)
		}
	}
	return list
}
