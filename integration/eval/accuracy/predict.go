package accuracy

import "slices"

// Predict returns the paths that an edge profile would make one expect, with the edges of p, if branches were
// independent of each other. The weight of a path is that of its start times the probabilities of its edges.
// The weight of the function's entry is that of the edges out of it, the weight of a loop header that of its
// back edges. Where the executions of these come from is not used, for an edge profile does not know. A
// branch that p never saw takes all its edges equally.
//
// Whether edges tell the hot paths is the question of Ball, Mataga and Sagiv, "Edge profiling versus path
// profiling: the showdown" (POPL 1998). They bound the frequencies of paths from below and above; a ranking
// takes one number each, and this is the usual one.
//
// A function can have more paths than anything could list. So only those are returned whose flow is at least
// the share least, more than 0, of the flow of all predicted paths. These are no more than 1/least.
func Predict(p *Profile, least float64) *Profile {
	var all []*predictor
	total := 0.0
	for _, f := range p.Functions {
		q := newPredictor(f)
		total += q.flow()
		all = append(all, q)
	}
	predicted := new(Profile)
	if total == 0 {
		return predicted // every path would be as hot as least
	}
	for i, f := range p.Functions {
		if paths := all[i].hottest(least * total); len(paths) > 0 {
			predicted.Functions = append(predicted.Functions, &Function{f.Name, f.Entry, f.Edges, paths})
		}
	}
	return predicted
}

// A predictor finds the hot paths of one function by branch and bound.
type predictor struct {
	*Function
	outs   [][]int
	prob   []float64 // of each edge, when its source is reached
	starts []Path    // where paths begin, with all the weight and no edges

	// Of the ways from each block to the end of a path:
	likely []float64 // the probability of the likeliest
	upper  []float64 // at least the greatest product of a way's probability and branches
	mean   []float64 // the expected number of branches

	least float64 // flow
	found []Path
}

func newPredictor(f *Function) *predictor {
	p := &predictor{Function: f, outs: f.outs(), prob: make([]float64, len(f.Edges))}
	n := len(p.outs)
	p.likely, p.upper, p.mean = make([]float64, n), make([]float64, n), make([]float64, n)
	weights := f.weights()
	for _, out := range p.outs {
		for i, share := range distribution(out, weights) {
			p.prob[out[i]] = share
		}
	}
	p.findStarts(weights)
	p.bound()
	return p
}

// findStarts sets p.starts.
func (p *predictor) findStarts(weights []float64) {
	back := make([]float64, len(p.outs))
	for id, e := range p.Edges {
		if e.Back {
			back[e.To] += weights[id]
		}
	}
	if p.Entry < len(p.outs) {
		entered := sum(p.outs[p.Entry], weights) - back[p.Entry]
		p.starts = append(p.starts, Path{Start: p.Entry, Weight: max(0, entered)})
	}
	for block, weight := range back {
		if weight > 0 {
			p.starts = append(p.starts, Path{Start: block, Loop: true, Weight: weight})
		}
	}
}

// bound sets p.likely, p.upper and p.mean, from the ends of paths backwards.
func (p *predictor) bound() {
	done := make([]bool, len(p.outs))
	var visit func(v int)
	visit = func(v int) {
		if done[v] {
			return
		}
		done[v] = true
		if len(p.outs[v]) == 0 {
			p.likely[v] = 1
		}
		for _, e := range p.outs[v] {
			likely, upper, mean := 1.0, 0.0, 0.0 // at the end of a path
			if !p.Edges[e].Back {
				w := p.Edges[e].To
				visit(w)
				likely, upper, mean = p.likely[w], p.upper[w], p.mean[w]
			}
			if len(p.outs[v]) > 1 {
				upper, mean = upper+likely, mean+1
			}
			p.likely[v] = max(p.likely[v], p.prob[e]*likely)
			p.upper[v] = max(p.upper[v], p.prob[e]*upper)
			p.mean[v] += p.prob[e] * mean
		}
	}
	for _, s := range p.starts {
		visit(s.Start)
	}
}

// flow returns the flow of all paths together.
func (p *predictor) flow() float64 {
	total := 0.0
	for _, s := range p.starts {
		total += s.Weight * p.mean[s.Start]
	}
	return total
}

// hottest returns the paths with a flow of at least least.
func (p *predictor) hottest(least float64) []Path {
	p.least, p.found = least, nil
	for _, s := range p.starts {
		if s.Weight > 0 {
			p.search(s, s.Start, 0)
		}
	}
	return p.found
}

// search finds the hot paths that begin with those edges that part has. It has the weight of all of them
// together, has come to block v and has passed some branches.
func (p *predictor) search(part Path, v, branches int) {
	if part.Weight*(float64(branches)*p.likely[v]+p.upper[v]) < p.least {
		return
	}
	if len(p.outs[v]) == 0 {
		p.add(part, branches)
		return
	}
	if len(p.outs[v]) > 1 {
		branches++
	}
	weight := part.Weight
	for _, id := range p.outs[v] {
		e := p.Edges[id]
		part.Weight = weight * p.prob[id]
		part.Edges = append(part.Edges, id)
		if e.Back {
			p.add(part, branches)
		} else {
			p.search(part, e.To, branches)
		}
		part.Edges = part.Edges[:len(part.Edges)-1]
	}
}

// add adds a path if it is hot. Its edges are those of the search and will change.
func (p *predictor) add(path Path, branches int) {
	if path.Weight*float64(branches) >= p.least {
		path.Edges = slices.Clone(path.Edges)
		p.found = append(p.found, path)
	}
}
