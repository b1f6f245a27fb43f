package profile

import (
	"math"
	"math/big"
	"math/rand"
	"slices"
	"testing"
	"time"

	"github.com/goprofinstr/goprofinstr/export/internal/profiletest"
	"github.com/goprofinstr/goprofinstr/rt/rundata"
	"github.com/goprofinstr/goprofinstr/rt/runfile"
	"github.com/goprofinstr/goprofinstr/sampler/pcct"
)

// The functions of the contexts here.
var (
	inMain  = pcct.Frame{Name: "main.main", File: "main.go", Line: 7, StartLine: 5}
	inMain2 = pcct.Frame{Name: "main.main", File: "main.go", Line: 8, StartLine: 5}
	inMust  = pcct.Frame{Name: "example.com/m/lex.Must", File: "lex/lex.go", StartLine: 20}
	inWords = pcct.Frame{Name: "example.com/m/lex.Words", File: "lex/lex.go", StartLine: 4}
)

// Edges of paths of package lex.
var (
	mustFails   = []int{0, 2}
	mustReturns = []int{1, 3}
	wordsEmpty  = []int{0, 2, 12} // from the entry
	wordsEnd    = []int{2, 12}    // from the loop
	wordsBlank  = []int{1, 3, 7, 11}
)

func sampledRun(pid int) *profiletest.Run {
	return profiletest.NewRun(pid, pid, nil, profiletest.Sampled(profiletest.Lex()))
}

// seen is an executed path's share of a context.
func seen(node int, times, samples uint64, took time.Duration) rundata.ContextPath {
	return rundata.ContextPath{Node: node, Estimate: times * runfile.SampleUnit, Samples: samples, Time: took}
}

// TestContextsMerge adds up runs that found the same contexts in different order, and others.
func TestContextsMerge(t *testing.T) {
	first := sampledRun(1)
	a := first.Context(pcct.Node{Parent: -1, Frames: []pcct.Frame{inMain}, Time: 5, Samples: 1})
	b := first.Context(pcct.Node{Parent: a, Frames: []pcct.Frame{inMust}})
	first.Sample(inMust.Name, 10, 10, []rundata.ContextPath{seen(b, 1, 1, 7)}, mustReturns...)
	second := sampledRun(2)
	label := second.Context(pcct.Node{Parent: -1, Labels: []pcct.Label{{Key: "k", Value: "v"}}})
	labelled := second.Context(pcct.Node{Parent: label, Frames: []pcct.Frame{inMain}, Time: 3, Samples: 2})
	other := second.Context(pcct.Node{Parent: -1, Frames: []pcct.Frame{inMain2}})
	d := second.Context(pcct.Node{Parent: other, Frames: []pcct.Frame{inMust}})
	a2 := second.Context(pcct.Node{Parent: -1, Frames: []pcct.Frame{inMain}, Time: 20, Samples: 4})
	b2 := second.Context(pcct.Node{Parent: a2, Frames: []pcct.Frame{inMust}})
	e := second.Context(pcct.Node{Parent: labelled, Frames: []pcct.Frame{inMust}})
	second.Sample(inMust.Name, 30, 30, []rundata.ContextPath{seen(d, 4, 2, 0), seen(b2, 2, 1, 1), seen(e, 3, 2, 2)}, mustReturns...)

	p := load(t, first, second)
	if len(p.Contexts) != 7 {
		t.Fatalf("%d contexts, want the 2 of the first run and 5 more", len(p.Contexts))
	}
	if c := p.Contexts[0]; c.Time != 25 || c.Samples != 5 || c.Parent != nil {
		t.Errorf("main.main:7 has %+v", c)
	}
	path := function(t, p, inMust.Name).Paths[0]
	if path.Count != 40 || path.Time != 10 || len(path.Contexts) != 3 {
		t.Fatalf("path %+v", path)
	}
	// Of 40, as 4 to 3 to 3, the first where it was found first.
	type got struct {
		outer                pcct.Frame
		labels               int
		count, samples, time int64
	}
	var list []got
	for _, c := range path.Contexts {
		stack := c.Context.Stack()
		if len(stack) != 2 || stack[0] != inMust {
			t.Fatalf("stack %v", stack)
		}
		list = append(list, got{stack[1], len(c.Context.GoroutineLabels()), c.Count, c.Samples, c.Time})
	}
	want := []got{{inMain2, 0, 16, 2, 0}, {inMain, 0, 12, 2, 8}, {inMain, 1, 12, 2, 2}}
	if !slices.Equal(list, want) {
		t.Errorf("%+v, want %+v", list, want)
	}
}

// TestCalls has paths of activations, which begin at the entry, and of loops.
func TestCalls(t *testing.T) {
	r := sampledRun(1)
	a := r.Context(pcct.Node{Parent: -1, Frames: []pcct.Frame{inWords, inMain}})
	b := r.Context(pcct.Node{Parent: -1, Frames: []pcct.Frame{inWords, inMain2}})
	r.Sample(inWords.Name, 12, 3, []rundata.ContextPath{seen(a, 1, 1, 0), seen(b, 3, 1, 0)}, wordsEmpty...)
	r.Sample(inWords.Name, 10, 3, []rundata.ContextPath{seen(b, 1, 1, 0)}, 0, 1, 3, 7, 11)
	r.Sample(inWords.Name, 100, 3, []rundata.ContextPath{seen(a, 1, 1, 0)}, wordsBlank...)
	r.Sample(inWords.Name, 100, 3, nil, wordsEnd...)
	f := function(t, load(t, r), inWords.Name)
	calls := f.Calls
	slices.SortFunc(calls, func(a, b Call) int { return int(a.Count - b.Count) })
	if len(calls) != 2 || calls[0].Count != 3 || calls[0].Context.Frames[1] != inMain || calls[1].Count != 9+10 || calls[1].Context.Frames[1] != inMain2 {
		t.Errorf("calls %+v", calls)
	}
	if f.Entries != 22 {
		t.Errorf("%d activations, of which contexts are known", f.Entries)
	}
}

// TestCallsOut has activations that run into a loop, of which few were seen with their stack when they did, and more when they
// left it.
func TestCallsOut(t *testing.T) {
	into := []int{0, 1, 3, 7, 11}
	for _, test := range []struct {
		name    string
		left    uint64 // activations that left the loop, of 100
		into    []rundata.ContextPath
		a, b    int64
		outOfIt []rundata.ContextPath
	}{
		{"none seen going in", 100, nil, 75, 25, []rundata.ContextPath{seen(0, 300, 3, 0), seen(1, 100, 1, 0)}},
		{"one seen going in", 90, []rundata.ContextPath{seen(1, 7, 1, 0)}, 60, 40, []rundata.ContextPath{seen(0, 300, 3, 0), seen(1, 100, 1, 0)}},
		{"most are still in it", 10, []rundata.ContextPath{seen(1, 7, 1, 0)}, 0, 100, []rundata.ContextPath{seen(0, 300, 3, 0)}},
		{"none seen leaving", 100, []rundata.ContextPath{seen(1, 7, 1, 0)}, 0, 100, nil},
	} {
		r := sampledRun(1)
		r.Context(pcct.Node{Parent: -1, Frames: []pcct.Frame{inWords, inMain}})
		r.Context(pcct.Node{Parent: -1, Frames: []pcct.Frame{inWords, inMain2}})
		r.Sample(inWords.Name, 100, 3, test.into, into...)
		r.Sample(inWords.Name, 1000, 3, []rundata.ContextPath{seen(0, 1, 1, 0)}, wordsBlank...)
		r.Sample(inWords.Name, test.left, 3, test.outOfIt, wordsEnd...)
		counts := make(map[pcct.Frame]int64)
		for _, c := range function(t, load(t, r), inWords.Name).Calls {
			counts[c.Context.Frames[1]] += c.Count
		}
		if counts[inMain] != test.a || counts[inMain2] != test.b {
			t.Errorf("%s: %v, want %d and %d", test.name, counts, test.a, test.b)
		}
	}
}

// TestTimeOnly has a path that took time in a context, but of whose executions there is no estimate.
func TestTimeOnly(t *testing.T) {
	r := sampledRun(1)
	a := r.Context(pcct.Node{Parent: -1, Frames: []pcct.Frame{inMust, inMain}})
	r.Sample(inMust.Name, 5, 5, []rundata.ContextPath{seen(a, 0, 0, time.Second)}, mustFails...)
	f := function(t, load(t, r), inMust.Name)
	if p := f.Paths[0]; p.Time != int64(time.Second) || len(p.Contexts) != 1 || p.Contexts[0].Count != 0 {
		t.Errorf("path %+v", p)
	}
	if calls := f.Calls; len(calls) > 0 {
		t.Errorf("calls %+v", calls)
	}
}

// TestContextsOverflow has damaged run data: the contexts of the run are left out, whatever it is that overflows.
func TestContextsOverflow(t *testing.T) {
	for name, damage := range map[string]func(*rundata.Contexts){
		"time":              func(c *rundata.Contexts) { c.Nodes[0].Time = 1 << 63 },
		"time of two":       func(c *rundata.Contexts) { c.Nodes[0].Time = math.MaxInt64; c.Nodes[1] = c.Nodes[0] },
		"samples":           func(c *rundata.Contexts) { c.Nodes[0].Samples = 1 << 63 },
		"estimate":          func(c *rundata.Contexts) { c.Paths[0].Estimate = 1 << 63 },
		"estimates":         func(c *rundata.Contexts) { c.Paths[0].Estimate, c.Paths[1].Estimate = 1<<62, 1<<62 },
		"estimates of 2^64": func(c *rundata.Contexts) { c.Paths[0].Estimate, c.Paths[1].Estimate = 1<<63, 1<<63+1 },
		"estimates of one":  func(c *rundata.Contexts) { c.Paths[0].Estimate = math.MaxUint64; c.Paths[1].Node = c.Paths[0].Node },
		"path time":         func(c *rundata.Contexts) { c.Paths[0].Time = -1 },
		"path samples":      func(c *rundata.Contexts) { c.Paths[0].Samples = 1 << 63 },
	} {
		r := sampledRun(1)
		a := r.Context(pcct.Node{Parent: -1, Frames: []pcct.Frame{inMust, inMain}, Time: 1})
		b := r.Context(pcct.Node{Parent: -1, Frames: []pcct.Frame{inMust, inMain2}, Time: 1})
		r.Sample(inMust.Name, 5, 5, []rundata.ContextPath{seen(a, 1, 1, 1), seen(b, 1, 1, 1)}, mustReturns...)
		damage(r.Data().Contexts)
		p, err := New([]*rundata.Run{r.Data()}, nil)
		if err != nil || len(p.Damaged) != 1 || p.Damaged[0].Part != Contexts || len(p.Contexts) > 0 {
			t.Errorf("%s: %v, damaged %v", name, err, p.Damaged)
		}
	}
}

// TestDivide divides random counts: the parts add up to the whole, and each is within one of its share.
func TestDivide(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	random := func() uint64 { return uint64(r.Int63()) >> r.Intn(63) }
	for range 10_000 {
		shares := make([]*pathShare, r.Intn(6))
		total := new(big.Int)
		for i := range shares {
			shares[i] = &pathShare{estimate: random() / 8}
			total.Add(total, new(big.Int).SetUint64(shares[i].estimate))
		}
		count := int64(random())
		parts := divide(count, shares)
		if total.Sign() == 0 {
			if slices.ContainsFunc(parts, func(n int64) bool { return n != 0 }) {
				t.Fatalf("parts %v of nothing", parts)
			}
			continue
		}
		sum := int64(0)
		for i, n := range parts {
			sum += n
			exact := new(big.Int).Mul(big.NewInt(count), new(big.Int).SetUint64(shares[i].estimate))
			exact.Div(exact, total)
			if d := n - exact.Int64(); d < -1 || d > 1 {
				t.Fatalf("part %d of %d: %d, want %v", i, count, n, exact)
			}
		}
		if sum != count {
			t.Fatalf("parts %v of %d add up to %d", parts, count, sum)
		}
	}
}
