package sampler

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// samples returns which of the path ends after a tick are samples.
func samples(p Policy, tick uint64, ends uint64) []uint64 {
	var list []uint64
	skip := p.Skip(tick)
	for i := range p.Taken(ends, skip) {
		list = append(list, p.Index(i, skip))
	}
	return list
}

// TestFigure5 has the example of PEP figure 5: 4 samples, stride 3.
func TestFigure5(t *testing.T) {
	for _, test := range []struct {
		spec string
		tick uint64
		want []uint64
	}{
		{"timer", 0, []uint64{0}},
		{"timer", 7, []uint64{0}},
		{"ag(4,3)", 0, []uint64{0, 3, 6, 9}},
		{"ag(4,3)", 2, []uint64{2, 5, 8, 11}},
		{"pep(4,3)", 0, []uint64{0, 1, 2, 3}},
		{"pep(4,3)", 1, []uint64{1, 2, 3, 4}},
		{"pep(4,3)", 2, []uint64{2, 3, 4, 5}},
		{"pep(4,3)", 3, []uint64{0, 1, 2, 3}},
		{"pep(1,1)", 5, []uint64{0}},
	} {
		p, err := Parse(test.spec)
		if err != nil {
			t.Fatal(err)
		}
		if got := samples(p, test.tick, 100); !slices.Equal(got, test.want) {
			t.Errorf("%s after tick %d: samples %v, want %v", test.spec, test.tick, got, test.want)
		}
		if p.String() != test.spec && test.spec != "pep(1,1)" { // which is timer
			t.Errorf("%q is printed as %q", test.spec, p)
		}
	}
}

// TestTaken holds Taken against the definition: a sample is taken if its path end is among those there were.
func TestTaken(t *testing.T) {
	for _, p := range []Policy{Default, Timer, {ArnoldGrove, 5, 3}, {ArnoldGrove, 1, 7}, {Simplified, 3, 4}} {
		for skip := range p.Stride {
			for ends := range uint64(100) {
				want := uint64(0)
				for i := range p.Samples {
					if p.Index(i, skip) < ends {
						want++
					}
				}
				if got := p.Taken(ends, skip); got != want {
					t.Fatalf("%v: %d samples of %d path ends behind %d, want %d", p, got, ends, skip, want)
				}
			}
		}
		if last := p.Index(p.Samples-1, p.Stride-1); p.Reach() != last+1 {
			t.Errorf("%v reaches %d path ends far, the last sample is %d", p, p.Reach(), last)
		}
	}
}

func TestParseErrors(t *testing.T) {
	for _, spec := range []string{"", "pep", "pep(64)", "pep(64,17", "pep(0,17)", "pep(64,0)", "ag(-1,2)", "tick(1,2)", "pep(64,17)x", "ag(64,64)", "pep(99999999999,1)"} {
		if p, err := Parse(spec); err == nil {
			t.Errorf("%q was read as %v", spec, p)
		}
	}
}

// TestWeightUnbiased simulates a program with fast and slow phases. It checks that the weighted samples of each phase
// come to its path ends; a count of samples does not.
func TestWeightUnbiased(t *testing.T) {
	const interval, window = 10_000_000, 30_000
	phases := []uint64{5, 400, 50_000} // ns from one path end to the next
	estimate, truth := make([]float64, len(phases)), make([]float64, len(phases))
	random := rand.New(rand.NewPCG(1, 2))
	for tick := range uint64(3000) {
		i := random.IntN(len(phases))
		all := interval / phases[i]
		skip := Default.Skip(tick)
		ends, length := window/phases[i], uint64(window)
		if ends <= Default.Index(Default.Samples-1, skip) {
			ends, length = all, interval
		}
		taken := Default.Taken(ends, skip)
		estimate[i] += float64(taken) * float64(Weight(ends, taken, length, interval)) / One
		truth[i] += float64(all)
	}
	for i := range phases {
		if ratio := estimate[i] / truth[i]; math.Abs(ratio-1) > 0.01 {
			t.Errorf("%d ns: estimated %.0f path ends of %.0f", phases[i], estimate[i], truth[i])
		}
	}
}

// TestGovernor runs a governor against programs whose ticks and samples cost different amounts.
func TestGovernor(t *testing.T) {
	const period = 10_000_000
	policy := Policy{Simplified, 1024, 17}
	for _, test := range []struct {
		budget       float64
		tick, sample uint64 // cost in ns
		full         bool   // the budget is enough for everything
	}{
		{0.01, 10_000, 10, true},
		{0.01, 10_000, 200, false},
		{0.01, 150_000, 10, false},
		{0.0001, 10_000, 10, false},
		{0.5, 100_000, 1000, true},
	} {
		g := Governor{Budget: test.budget, Period: period}
		cost := func() uint64 { return test.tick + test.sample*g.Burst(policy) }
		for range 1000 {
			g.Spent(cost(), g.Interval(), policy)
		}
		if share := float64(cost()) / float64(g.Interval()); share > test.budget {
			t.Errorf("%+v: costs %.4f of the time", test, share)
		} else if !test.full && share < test.budget/8 {
			t.Errorf("%+v: costs %.6f only of the time", test, share)
		}
		if full := g.Burst(policy) == policy.Samples && g.Interval() == period; full != test.full {
			t.Errorf("%+v: bursts of %d every %d ns", test, g.Burst(policy), g.Interval())
		}
	}
}

// TestGovernorRecovers has the cost fall after a while: the full rate must come back.
func TestGovernorRecovers(t *testing.T) {
	g := Governor{Budget: 0.01, Period: 10_000_000}
	for range 200 {
		g.Spent(1_000_000, g.Interval(), Default)
	}
	if g.Burst(Default) == Default.Samples {
		t.Error("ticks of 1 ms did not make bursts smaller")
	}
	for range 400 {
		g.Spent(5_000, g.Interval(), Default)
	}
	if g.Burst(Default) != Default.Samples || g.Interval() != g.Period {
		t.Errorf("bursts of %d every %d ns after the cost has fallen", g.Burst(Default), g.Interval())
	}
}

// TestGovernorWhole has ticks that cost too much, whatever the burst: there must be fewer of them, with all of their samples.
func TestGovernorWhole(t *testing.T) {
	g := Governor{Budget: 0.01, Period: 10_000_000, Whole: true}
	for range 200 {
		g.Spent(150_000, g.Interval(), Default)
	}
	if g.Burst(Default) != Default.Samples || g.Interval() != 2*g.Period {
		t.Errorf("bursts of %d every %d ns", g.Burst(Default), g.Interval())
	}
}

// TestGovernorStrict has processes of several lifetimes, whose first tick costs most. Sampling is to take its budget, and one
// tick more if the process ends soon after that.
func TestGovernorStrict(t *testing.T) {
	for _, cost := range []uint64{20_000, 90_000, 150_000, 400_000} {
		for _, life := range []uint64{50_000_000, 100_000_000, 300_000_000, 1_000_000_000, 10_000_000_000} {
			g := Governor{Budget: 0.01, Period: 10_000_000, Strict: true}
			now, all, last := uint64(0), uint64(0), 2*cost+300_000
			for odd := uint64(0); now+g.Interval() <= life; odd ^= 1 {
				interval := g.Interval()
				now += interval
				g.Spent(last, interval, Default) // of the tick before, and of what came before the first
				all += last
				last = cost/2 + cost*odd
			}
			if share := float64(all) / float64(life); share > 0.01+float64(cost+700_000)/float64(life) {
				t.Errorf("ticks of %d ns take %.4f of %d ns", cost, share, life)
			} else if life >= 1_000_000_000 && cost >= 150_000 && share < 0.008 {
				t.Errorf("ticks of %d ns take %.4f only of %d ns", cost, share, life)
			}
			if life >= 1_000_000_000 && cost == 20_000 && g.Interval() != g.Period {
				t.Errorf("cheap ticks come every %d ns", g.Interval())
			}
		}
	}
	g := Governor{Period: 10_000_000, Strict: true}
	if g.Spent(1, 1, Default); g.Interval() != g.Period<<slowest {
		t.Errorf("without a budget ticks come every %d ns", g.Interval())
	}
}

// TestWindow has programs of different speeds: windows are to see some path ends more than a burst needs, and no less than
// they must.
func TestWindow(t *testing.T) {
	const interval = 10_000_000
	for _, test := range []struct{ perEnd, want uint64 }{ // ns
		{1, Shortest},
		{1_000, 4 * 80 * 1_000},
		{100_000, 0}, // 100 path ends from tick to tick: all of them
	} {
		var w Window
		for range 50 {
			length := w.Length(Default, interval)
			if length == 0 {
				length = interval
			}
			w.Seen(length/test.perEnd, length, true)
		}
		got := w.Length(Default, interval)
		if got == Long {
			got = w.Length(Default, interval) // one in some is as long
		}
		if math.Abs(float64(got)-float64(test.want)) > float64(test.want)/50 {
			t.Errorf("a path end every %d ns: windows of %d ns, want %d", test.perEnd, got, test.want)
		}
	}
	if new(Window).Length(Default, interval) != 0 {
		t.Error("a window that nothing is known for has a length")
	}
}

func TestNet(t *testing.T) {
	for _, test := range []struct {
		length, ends uint64
		other        uint64
		want         uint64
	}{
		{100_000, 0, 0, 88_000},
		{100_000, 10_000, 0, 82_000},
		{100_000, 10_000, 30_000, 52_000},
		{100_000, 1_000_000, 0, 22_000},
		{1_000, 0, 0, 0},
		{0, 0, 0, 0},
	} {
		var w Window
		w.Probed(test.length, test.ends, 0.6, test.other)
		if got := w.Net(test.length, test.ends, 0.6, test.other); got != test.want {
			t.Errorf("%d path ends in %d ns: %d ns are the program's, want %d", test.ends, test.length, got, test.want)
		}
	}
}

// TestProbed has windows in which paths end fast and slowly by turns. They have as much time to each other as if probes took what
// they do for sure, and together as if they took all.
func TestProbed(t *testing.T) {
	const length, probe = 112_000, 2.0 // 100 µs without signals
	fast, slow := uint64(30_000), uint64(5_000)
	var w Window
	for range 100 {
		w.Probed(length, fast, probe, 0)
		w.Probed(length, slow, probe, 0)
	}
	a, b := float64(w.Net(length, fast, probe, 0)), float64(w.Net(length, slow, probe, 0))
	if want := (100_000 - 0.8*30_000) / (100_000 - 0.8*5_000); math.Abs(a/b/want-1) > 0.01 {
		t.Errorf("%.0f ns where paths end fast, %.0f elsewhere: ratio %.2f, want %.2f", a, b, a/b, want)
	}
	if want := 40_000.0 + 90_000; math.Abs((a+b)/want-1) > 0.02 {
		t.Errorf("%.0f ns together, want %.0f", a+b, want)
	}
}

// TestSignals has windows of which two signals take some time, and wants to hear how much.
func TestSignals(t *testing.T) {
	const interval = 10_000_000
	for _, test := range []struct {
		name    string
		signals float64
		rates   []float64 // path ends in a nanosecond, in phases of nine windows; of one if there are four, of 3,000 if two
	}{
		{"a fast machine", 3_000, []float64{0.3}},
		{"a busy machine", 35_000, []float64{0.3}},
		{"ticks without signals", 0, []float64{0.3}},
		{"a program with phases", 22_000, []float64{0.3, 0.05, 0.6}},
		{"a program in step with every fourth tick", 22_000, []float64{0.3, 0.3, 0.3, 0.6}},
		{"a program that becomes slower", 22_000, []float64{0.6, 0.08}},
		{"a program that becomes faster", 22_000, []float64{0.08, 0.6}},
	} {
		phase := 9
		switch len(test.rates) {
		case 4:
			phase = 1
		case 2:
			phase = 3_000
		}
		var w Window
		for range 8 {
			w.Seen(interval/4, interval, true)
		}
		long := 0
		for i := range 4_000 {
			length := w.Length(Default, interval)
			took := length + 9_000 // the signal comes late
			if length == Long {
				long++
			}
			if i%10 == 3 {
				took = length / 3 // the thread did not run
			}
			rate := test.rates[i/phase%len(test.rates)]
			w.Seen(uint64(rate*max(float64(took)-test.signals, 0)), took, i%10 != 7)
			if i%10 == 7 {
				w.Seen(1, took, false) // something else took most of it
			}
		}
		if got := w.Signals(); math.Abs(got-test.signals) > 3_000 {
			t.Errorf("%s: signals take %.0f ns of a window, want %.0f", test.name, got, test.signals)
		}
		if long < 490 || long > 510 {
			t.Errorf("%s: %d of 4,000 windows are long", test.name, long)
		}
	}
	var w Window
	if got := w.Signals(); got != priorSignals {
		t.Errorf("signals take %.0f ns before there are windows, want %d", got, priorSignals)
	}
}

// TestBacklog has a window that left the program no time, and one that stands for both.
func TestBacklog(t *testing.T) {
	const interval = 10_000_000
	var b Backlog
	if b.PutOff(500, 50_000, interval) {
		t.Fatal("a window that left the program enough time was put off")
	}
	if got := b.Stretch(10, interval); got != 10 {
		t.Errorf("a sample of an interval of which all is known stands for %d, want 10", got)
	}
	if got := b.Weight(500, 50, 50_000, interval); got != Weight(500, 50, 50_000, interval) {
		t.Errorf("a sample stands for %d, want what it has without a backlog", got)
	}
	if !b.PutOff(20, 2_000, interval) {
		t.Fatal("a window that left the program next to no time was not put off")
	}
	if got := b.Stretch(10, interval); got != 20 {
		t.Errorf("a sample of an interval of which all is known stands for %d, want 20", got)
	}
	// 520 path ends in 52 µs are 100,000 in an interval, and 200,000 in two.
	if got, want := b.Weight(500, 50, 50_000, interval), uint64(200_000/50*One); got != want {
		t.Errorf("a sample stands for %d, want %d", got, want)
	}
}

// TestPace has programs that keep some processors busy, and makes sure that there are as many ticks in a second as if one was.
func TestPace(t *testing.T) {
	const period = 10_000_000
	g := Governor{Budget: 0.01, Period: period}
	for _, processors := range []float64{0.1, 1, 2, 64, 3, 63.9, 1, 7.5} {
		changes := 0
		for range 10 {
			const clock = 400_000_000
			if g.Pace(uint64(clock*processors), clock) {
				changes++
			}
		}
		perSecond := 1e9 * processors / float64(g.Interval())
		if perSecond > 115 || processors >= 1 && perSecond < 85 {
			t.Errorf("%v processors: %.0f ticks in a second", processors, perSecond)
		}
		if changes > 1 {
			t.Errorf("%v processors: %d changes of what stays as it is", processors, changes)
		}
	}
}
