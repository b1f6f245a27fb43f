package accuracy

import (
	"errors"
	"math"
)

// errNoBranch is for an actual profile of which no edge accuracy can be told.
var errNoBranch = errors.New("no branch was executed")

// Relative returns the accuracy of estimated branches by relative overlap (PEP 6.4). This is the mean of 1 −
// |difference of the taken bias|, weighted by how often each branch was executed in the actual profile. A
// branch is a block with more than one edge out of it. Of more than two the difference is half the sum of the
// differences of all edges' shares, which for two is PEP's.
//
// PEP does not say what the bias of a branch is that the estimate never saw. Here all its edges are then
// equally likely, as an optimizer has to assume that knows nothing. With two edges its accuracy is between
// 0.5 and 1.
//
// It is an error if no branch was executed or the profiles are of different programs.
func Relative(actual, estimate *Profile) (float64, error) {
	pairs, err := match(actual, estimate)
	if err != nil {
		return 0, err
	}
	sum, total := 0.0, 0.0
	for _, p := range pairs {
		if p.actual == nil {
			continue
		}
		for _, b := range p.branches() {
			sum += b.actual * b.accuracy
			total += b.actual
		}
	}
	if total == 0 {
		return 0, errNoBranch
	}
	return sum / total, nil
}

// A branch has its weight in the actual profile and the accuracy of its bias.
type branch struct{ actual, accuracy float64 }

// branches returns the branches of a function that were executed in the actual profile.
func (p pair) branches() []branch {
	actual, estimate := p.actual.weights(), p.estimated()
	var all []branch
	for _, out := range p.actual.outs() {
		executed := sum(out, actual)
		if len(out) < 2 || executed == 0 {
			continue
		}
		difference := 0.0
		predicted := distribution(out, estimate)
		for i, share := range distribution(out, actual) {
			difference += math.Abs(share - predicted[i])
		}
		all = append(all, branch{executed, 1 - difference/2})
	}
	return all
}

// estimated returns the weights of the edges in the estimate.
func (p pair) estimated() []float64 {
	if p.estimate == nil {
		return make([]float64, len(p.actual.Edges))
	}
	return p.estimate.weights()
}

// Absolute returns the accuracy of estimated edges by absolute overlap (PEP 6.4). This is the sum, over the
// edges out of all branches, of the lesser of the edge's shares of the two profiles. PEP's profile has a
// taken and a not-taken counter for each branch. So, as in PEP, edges that are the only ones out of their
// block do not count. They would weigh code by how it is divided into blocks.
//
// It is an error if no branch was executed or the profiles are of different programs. Without samples the
// accuracy is 0.
func Absolute(actual, estimate *Profile) (float64, error) {
	pairs, err := match(actual, estimate)
	if err != nil {
		return 0, err
	}
	totalActual, totalEstimate := actual.branchWeight(), estimate.branchWeight()
	switch {
	case totalActual == 0:
		return 0, errNoBranch
	case totalEstimate == 0:
		return 0, nil
	}
	overlap := 0.0
	for _, p := range pairs {
		if p.actual == nil || p.estimate == nil {
			continue
		}
		actual, estimate := p.actual.weights(), p.estimate.weights()
		for _, out := range p.actual.outs() {
			for _, e := range out {
				if len(out) > 1 {
					overlap += min(actual[e]/totalActual, estimate[e]/totalEstimate)
				}
			}
		}
	}
	return overlap, nil
}

// branchWeight returns the weight of the edges out of all branches.
func (p *Profile) branchWeight() float64 {
	total := 0.0
	for _, f := range p.Functions {
		weights := f.weights()
		for _, out := range f.outs() {
			if len(out) > 1 {
				total += sum(out, weights)
			}
		}
	}
	return total
}
