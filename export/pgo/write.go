package pgo

import (
	"io"
	"slices"

	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/internal/pgofile"
)

// pgoShare is how much of all calls the edges make up that a profile for the compiler has, the heaviest ones. The
// compiler looks at 99%, so that what is left out hardly moves its threshold.
const pgoShare = 0.9999

// Write writes a profile for go build -pgo. It has the calls in instrumented functions, with how often they were
// executed. Calls of interface methods and function values are among them if they were counted. (PEP section 6.5 has
// its profile drive the compiler that way.) A CPU profile has them too, as far as they were seen 100 times a second,
// weighted with the time below them. Calls that no count tells of are taken from the stacks of ticks, if the profile
// was sampled.
func Write(w io.Writer, p *profile.Profile) error {
	edges := newGraph(callsOf(p)).weights()
	if len(edges) > 0 && len(p.Contexts) > 0 { // without counts nothing would tell what time is worth
		t := newTally()
		t.addTimed(p, newMatch(p, p))
		r := &Result{Services: []Service{{Weight: 1}}}
		addCPU(edges, r.timed(map[string]*tally{"": t}), newInstrumented(p))
	}
	data, err := pgofile.Encode(hottest(rounded(edges), pgoShare))
	if err != nil {
		return err
	}
	_, err = w.Write(data)
	return err
}

// callsOf returns the calls of a profile.
func callsOf(p *profile.Profile) map[call]float64 {
	t := newTally()
	for _, pkg := range p.Packages {
		for _, f := range pkg.Functions {
			for c, n := range callsIn(pkg, f) {
				t.calls[c] = sum(t.calls[c], n)
			}
		}
	}
	return t.weights(1)
}

// hottest sorts edges, the heaviest ones first, and returns those that make up a share of the weight of all.
func hottest(edges []pgofile.Edge, share float64) []pgofile.Edge {
	slices.SortFunc(edges, compareEdges)
	total, so := 0.0, 0.0
	for _, e := range edges {
		total += float64(e.Weight)
	}
	for i, e := range edges {
		if so >= share*total {
			return edges[:i]
		}
		so += float64(e.Weight)
	}
	return edges
}
