// Package balance makes estimates of how often paths were executed agree with what is known exactly.
//
// Behind each path that ends with a back edge another one begins, at the header of the loop. An activation that begins
// at the entry comes to the exit. So the paths into a place are as many as those out of it. Estimates from samples
// hold this in the mean only. Where some of the paths are counted, it says more. A loop that is left 300 times was
// entered 300 times, though a sample of a billion rounds has seen neither.
//
// The estimates are moved as little as possible, in terms of their variances, so that they hold it. This is
// generalised least squares with linear constraints, as national accounts are balanced (Stone, Champernowne & Meade,
// "The Precision of National Income Estimates", 1942).
package balance

import "math"

// A Path is a path with estimates of its executions.
type Path struct {
	From, To int // places, from 0

	Exact    float64   // executions that were counted: no estimate becomes less
	Variance float64   // of the estimates; 0 if all executions were counted
	Counts   []float64 // estimates, from several selections of the samples; they are set
}

// Balance has what leads into each place be as much as what leads out of it, in each selection. Of paths whose variance
// is 0 nothing changes: where only these lead to a place and out of it, nothing is done about the place.
func Balance(paths []Path, places int) {
	matrix := laplacian(paths, places)
	if matrix == nil {
		return
	}
	for k := range paths[0].Counts {
		excess := make([]float64, places)
		for i := range paths {
			p := &paths[i]
			excess[p.To] += p.Counts[k]
			excess[p.From] -= p.Counts[k]
		}
		potential := solve(clone(matrix), excess)
		for i := range paths {
			p := &paths[i]
			moved := p.Counts[k] + p.Variance*(potential[p.From]-potential[p.To])
			p.Counts[k] = math.Max(moved, math.Min(p.Exact, p.Counts[k]))
		}
	}
}

// laplacian returns the matrix of the equations for the multipliers of places: paths are resistors whose conductance is
// their variance. It returns nil if there is nothing to move.
func laplacian(paths []Path, places int) [][]float64 {
	if len(paths) == 0 {
		return nil
	}
	matrix := make([][]float64, places)
	for i := range matrix {
		matrix[i] = make([]float64, places)
	}
	moves := false
	for i := range paths {
		p := &paths[i]
		if p.From == p.To || p.Variance == 0 {
			continue
		}
		moves = true
		matrix[p.From][p.From] += p.Variance
		matrix[p.To][p.To] += p.Variance
		matrix[p.From][p.To] -= p.Variance
		matrix[p.To][p.From] -= p.Variance
	}
	if !moves {
		return nil
	}
	return matrix
}

func clone(matrix [][]float64) [][]float64 {
	out := make([][]float64, len(matrix))
	for i, row := range matrix {
		out[i] = append([]float64(nil), row...)
	}
	return out
}

// solve solves matrix × x = b by elimination. The matrix is symmetric and has no negative eigenvalue. In each connected
// part of the places one x is 0, and one equation follows from the others, or cannot be held.
func solve(matrix [][]float64, b []float64) []float64 {
	n := len(b)
	b = append([]float64(nil), b...)
	free := make([]bool, n)
	scale := 0.0
	for i := range n {
		scale = math.Max(scale, matrix[i][i])
	}
	for i := range n {
		if matrix[i][i] <= 1e-12*scale {
			free[i] = true
			continue
		}
		for j := i + 1; j < n; j++ {
			factor := matrix[j][i] / matrix[i][i]
			if factor == 0 {
				continue
			}
			for k := i; k < n; k++ {
				matrix[j][k] -= factor * matrix[i][k]
			}
			b[j] -= factor * b[i]
		}
	}
	x := make([]float64, n)
	for i := n - 1; i >= 0; i-- {
		if free[i] {
			continue
		}
		sum := b[i]
		for k := i + 1; k < n; k++ {
			sum -= matrix[i][k] * x[k]
		}
		x[i] = sum / matrix[i][i]
	}
	return x
}
