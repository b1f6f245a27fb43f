package accuracy

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/goprofinstr/goprofinstr/export/profile"
)

// A Profile is a path profile, exact or estimated, reduced to what is compared.
type Profile struct {
	Functions []*Function // those with paths, by name
}

// A Function has the paths of one function.
type Function struct {
	Name  string // unique in a profile, and the same in all profiles of a program
	Entry int    // id of the block
	Edges []Edge // of the graph, indexed by edge id
	Paths []Path
}

// An Edge is an edge of the numbered graph, from block to block. A path that takes a back edge ends with it.
type Edge struct {
	From, To int
	Back     bool
}

// A Path has a weight in any unit: executions, samples, or an estimate of either.
type Path struct {
	Start  int   // id of the first block
	Loop   bool  // starts at a loop header after a back edge
	Edges  []int // edge ids in order
	Weight float64
}

// New returns the paths of p with their counts as weights.
func New(p *profile.Profile) *Profile {
	return newProfile(p, func(path *profile.Path) int64 { return path.Count })
}

// Samples returns the paths of p with their samples as weights.
func Samples(p *profile.Profile) *Profile {
	return newProfile(p, func(path *profile.Path) int64 { return path.Samples })
}

func newProfile(p *profile.Profile, weight func(*profile.Path) int64) *Profile {
	out := new(Profile)
	for _, f := range p.Functions() {
		if len(f.Paths) > 0 {
			out.Functions = append(out.Functions, newFunction(f, weight))
		}
	}
	slices.SortFunc(out.Functions, func(a, b *Function) int { return cmp.Compare(a.Name, b.Name) })
	return out
}

func newFunction(f *profile.Function, weight func(*profile.Path) int64) *Function {
	t := f.Table
	out := &Function{
		Name:  functionName(f),
		Entry: t.Entry,
	}
	for _, e := range t.Edges {
		out.Edges = append(out.Edges, Edge{e.From, e.To, e.Back})
	}
	for i := range f.Paths {
		p := &f.Paths[i]
		out.Paths = append(out.Paths, Path{p.Start, p.Loop, p.Edges, float64(weight(p))})
	}
	return out
}

// Executions returns the weight of all paths.
func (p *Profile) Executions() float64 {
	total := 0.0
	for _, f := range p.Functions {
		for _, path := range f.Paths {
			total += path.Weight
		}
	}
	return total
}

// outs returns the edges out of each block, by block id.
func (f *Function) outs() [][]int {
	var out [][]int
	for id, e := range f.Edges {
		for len(out) <= max(e.From, e.To) {
			out = append(out, nil)
		}
		out[e.From] = append(out[e.From], id)
	}
	return out
}

// weights returns how often each edge is on a path, by edge id (PEP 3.3).
func (f *Function) weights() []float64 {
	weights := make([]float64, len(f.Edges))
	for _, p := range f.Paths {
		for _, e := range p.Edges {
			weights[e] += p.Weight
		}
	}
	return weights
}

// distribution returns the shares of the edges out of a block, as weights has their weights. Without any all
// are the same.
func distribution(out []int, weights []float64) []float64 {
	shares := make([]float64, len(out))
	total := sum(out, weights)
	for i, e := range out {
		if total > 0 {
			shares[i] = weights[e] / total
		} else {
			shares[i] = 1 / float64(len(out))
		}
	}
	return shares
}

func sum(edges []int, weights []float64) float64 {
	total := 0.0
	for _, e := range edges {
		total += weights[e]
	}
	return total
}

// A pathID tells a path from all others of a profile. It does not depend on how paths are numbered.
type pathID struct{ function, path string }

func (f *Function) id(p *Path) pathID {
	start := 2 * p.Start
	if p.Loop {
		start++
	}
	key := binary.AppendUvarint(nil, uint64(start))
	for _, e := range p.Edges {
		key = binary.AppendUvarint(key, uint64(e))
	}
	return pathID{f.Name, string(key)}
}

// A pair is a function in two profiles; either may be nil if it has no paths there.
type pair struct{ actual, estimate *Function }

// match joins the functions of two profiles, in order of their names. It is an error if they come from
// different programs.
func match(actual, estimate *Profile) ([]pair, error) {
	estimated := make(map[string]*Function)
	for _, f := range estimate.Functions {
		estimated[f.Name] = f
	}
	var pairs []pair
	for _, f := range actual.Functions {
		e := estimated[f.Name]
		delete(estimated, f.Name)
		if e != nil && (e.Entry != f.Entry || !slices.Equal(e.Edges, f.Edges)) {
			return nil, fmt.Errorf("%s: the graphs of the two profiles differ", f.Name)
		}
		pairs = append(pairs, pair{f, e})
	}
	for _, f := range estimate.Functions {
		if estimated[f.Name] != nil {
			pairs = append(pairs, pair{nil, f})
		}
	}
	return pairs, nil
}
