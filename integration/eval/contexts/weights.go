package contexts

import (
	"crypto/sha256"
	"errors"
	"maps"
	"math"
	"slices"

	pprof "github.com/google/pprof/profile"

	"github.com/goprofinstr/goprofinstr/export/profile"
)

// A Key is a calling context or an edge between two: the same in all trees for the same names of functions
// from the root.
type Key [sha256.Size]byte

// Weights are those of the nodes or edges of a tree, in any unit. What has none is 0.
type Weights map[Key]float64

// down returns the key of what is below k by a name.
func (k Key) down(name string) Key { return sha256.Sum256(append(k[:], name...)) }

// keys returns the key of each context.
func keys(p *profile.Profile) map[*profile.Context]Key {
	all := make(map[*profile.Context]Key, len(p.Contexts))
	for _, c := range p.Contexts { // parents come first
		all[c] = all[c.Parent].into(c)
	}
	return all
}

// into returns the key of a context whose parent has key k.
func (k Key) into(c *profile.Context) Key {
	for _, f := range slices.Backward(c.Frames) {
		k = k.down(f.Name)
	}
	return k
}

// Times returns the CPU time of each node of p's tree, in ns.
func Times(p *profile.Profile) Weights {
	w := make(Weights)
	for c, key := range keys(p) {
		if c.Time > 0 {
			w[key] += float64(c.Time)
		}
	}
	return w
}

// Effective returns how many contexts of equal weight would be as likely as p's to be those of two samples.
// This is the inverse of Simpson's index, estimated from samples of CPU time. Effective returns their
// number n, too. The number of contexts is infinite if no context has two samples.
//
// Two samplings of n without any error but chance have a correlation of about n/(n+effective), if there are far more
// contexts. The variance of a count is that of the shares, times n², and the mean count.
func Effective(p *profile.Profile) (effective, n float64) {
	samples := make(Weights)
	for c, key := range keys(p) {
		samples[key] += float64(c.Samples)
	}
	pairs := 0.0
	for _, s := range samples {
		n, pairs = n+s, pairs+s*(s-1)
	}
	if pairs == 0 {
		return math.Inf(1), n
	}
	return n * (n - 1) / pairs, n
}

// TimesOf returns what Times does of a CPU profile of runtime/pprof.
func TimesOf(p *pprof.Profile) (Weights, error) {
	value, err := cpuTime(p)
	if err != nil {
		return nil, err
	}
	w := make(Weights)
	for _, s := range p.Sample {
		var key Key
		for _, name := range slices.Backward(slices.Collect(names(s))) {
			key = key.down(name)
		}
		w[key] += float64(s.Value[value])
	}
	return w, nil
}

// New returns the CPU time of samples that found the lower function of each edge of p's tree new, in ns.
func New(p *profile.Profile) Weights {
	w := make(Weights)
	for c, key := range keys(p) {
		if c.New > 0 {
			w[key] += float64(c.New)
		}
	}
	return w
}

// Calls returns the calls of each edge of p's tree.
func Calls(p *profile.Profile) Weights {
	w := make(Weights)
	known := keys(p)
	for _, f := range p.Functions() {
		for _, c := range f.Calls {
			w[known[c.Context.Parent].into(c.Context)] += float64(c.Count) // no stack may be of it
		}
	}
	return w
}

// Union returns nodes and edges, whose weights have the same unit.
func Union(nodes, edges Weights) Weights {
	w := maps.Clone(nodes)
	for key, v := range edges {
		w[key.down("")] = v // no function has this name
	}
	return w
}

// Since returns what has been added to an earlier state of the same tree. As the counts of paths are divided
// anew each time among the contexts that are known by then, a little may have been taken away.
func (w Weights) Since(earlier Weights) Weights {
	added := maps.Clone(w)
	for key, v := range earlier {
		added[key] -= v
	}
	return added
}

func sum[K comparable](w map[K]float64) float64 {
	total := 0.0
	for _, v := range w {
		total += v
	}
	return total
}

// errNoVariance is for weights of which no correlation can be told.
var errNoVariance = errors.New("no correlation: all weights are the same")

// Correlation returns the correlation coefficient (PCCT 6.1) of the weights of what either has.
func Correlation(a, b Weights) (float64, error) {
	all := maps.Clone(a)
	maps.Copy(all, b)
	n := float64(len(all))
	if n == 0 {
		return 0, errNoVariance
	}
	meanA, meanB := sum(a)/n, sum(b)/n
	var ab, aa, bb float64
	for key := range all {
		da, db := a[key]-meanA, b[key]-meanB
		ab, aa, bb = ab+da*db, aa+da*da, bb+db*db
	}
	if aa == 0 || bb == 0 {
		return 0, errNoVariance
	}
	return ab / math.Sqrt(aa) / math.Sqrt(bb), nil
}
