package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"

	"github.com/goprofinstr/goprofinstr/export/verdict"
	"github.com/goprofinstr/goprofinstr/rt/rundata"
)

// Loop timings against timings of calls: AUDIT 6.2 and 6.3, on the functions of testdata/loopy.

// loopyPrefix is what the names of the functions begin with.
const loopyPrefix = "example.com/loopy."

// loopyFunctions have a benchmark of their name each.
var loopyFunctions = []string{"Multiply", "Sieve", "Distance", "Words", "SortChunks", "Simulate", "Checksum", "Count"}

const (
	// convergeRuns is how often each convergence is repeated with another seed; the paper has 100.
	convergeRuns = 25
	// mostConverge is after how many timings convergence is given up; their time is what it is said to take then.
	mostConverge = 400_000

	columnCallMs  = "calls, ms"
	columnLapMs   = "passes, ms"
	columnGroupMs = "passes by call, ms"
	columnSooner  = "sooner, times"

	columnByCalls = "calls, %"
	columnByLaps  = "passes, %"
	columnAgree   = "agree"
)

// loopTimings are what a program has recorded of a function.
type loopTimings struct {
	calls  [][]float64 // by version, ns
	groups [][]laps    // by version and call
	least  float64     // ns
}

// laps are those of one call, ns for lapPasses each.
type laps []float64

// convergenceExperiment records, and finds out how long audits by calls and by loops take to see differences, and whether they see the same ones.
func convergenceExperiment(o *options, _ *regexp.Regexp, args string) (*report, error) {
	w, err := o.workshop(nil)
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(w.scratch)
	e := &entry{Module: "example.com/loopy", Local: "testdata/loopy"}
	if err := e.writeLocal(w.scratch); err != nil {
		return nil, err
	}
	recorded, err := w.recordLoops(o.seconds)
	if err != nil {
		return nil, err
	}
	converge := &measure{Title: "time until a difference is seen, 99% sure", Unit: "ms of the function's time", Absolute: true,
		Columns: []string{columnCallMs, columnLapMs, columnGroupMs, columnSooner}}
	agree := &measure{Title: "B against A, by calls and by passes", Unit: "%", Absolute: true,
		Columns: []string{columnByCalls, columnByLaps, columnAgree}}
	for _, name := range loopyFunctions {
		t := recorded[loopyPrefix+name]
		if t == nil || len(t.groups) == 0 {
			return nil, fmt.Errorf("%s has no loop timings", name)
		}
		for _, less := range []float64{0.01, 0.05} {
			converge.Rows = append(converge.Rows, t.convergence(fmt.Sprintf("%g%% less", less*100), name, 1-less))
		}
		agree.Rows = append(agree.Rows, t.agreement(name))
	}
	return &report{Machine: thisMachine(), Options: args, Measures: []*measure{converge, agree}}, nil
}

// recordLoops builds the benchmarks with dispatchers, and runs them unwatched.
func (w *workshop) recordLoops(seconds float64) (map[string]*loopTimings, error) {
	build := exec.Command(w.goprofinstr, "audit", "go", "test", "-c", "-o", "loopy.test")
	build.Dir = w.scratch
	if out, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%w: %s", err, out)
	}
	dir := filepath.Join(w.scratch, "recorded")
	run := exec.Command("./loopy.test", "-test.run=^$", "-test.bench=.", "-test.cpu=1", fmt.Sprintf("-test.benchtime=%gs", seconds))
	run.Dir, run.Env = w.scratch, append(os.Environ(), "GOPROFINSTR_DIR="+dir)
	if out, err := run.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%w: %s", err, out)
	}
	names, err := filepath.Glob(filepath.Join(dir, "run.*.gpi"))
	if err != nil || len(names) != 1 {
		return nil, fmt.Errorf("%d run files of one program", len(names))
	}
	f, err := rundata.Follow(names[0])
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if err := f.Poll(); err != nil {
		return nil, err
	}
	return readLoops(f)
}

// readLoops reads all timings of a run file.
func readLoops(f *rundata.Follower) (map[string]*loopTimings, error) {
	all := make(map[string]*loopTimings)
	for _, a := range f.Audits {
		var err error
		if a.Loop {
			err = all[a.Of].readLaps(a)
		} else {
			t := &loopTimings{calls: make([][]float64, len(a.Versions)), least: a.Least}
			all[a.Function] = t
			err = a.Drain(true, func(version int, ticks uint64) {
				t.calls[version] = append(t.calls[version], float64(ticks)/a.Nanosecond)
			})
		}
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

// readLaps reads the laps of one point, of as many passes as the last ones.
func (t *loopTimings) readLaps(a *rundata.Audit) error {
	passes := uint64(0)
	return a.DrainLaps(true, func(version int, l rundata.Lap) {
		if l.Passes > passes {
			passes, t.groups = l.Passes, make([][]laps, len(a.Versions))
		}
		if l.Passes < passes {
			return
		}
		g := &t.groups[version]
		if l.First || len(*g) == 0 {
			*g = append(*g, nil)
		}
		(*g)[len(*g)-1] = append((*g)[len(*g)-1], float64(l.Ticks)/a.Nanosecond)
	})
}

// convergence is AUDIT 6.3: the timings of version A are parted at random, and those of one part scaled. It returns the function's time that has to be
// recorded until that is seen, the mean over several seeds.
func (t *loopTimings) convergence(suite, name string, factor float64) *row {
	r := newRow(suite, name)
	o := verdict.Defaults(t.least)
	var all laps
	for _, g := range t.groups[0] {
		all = append(all, g...)
	}
	calls := meanOf(func(random *rand.Rand) float64 { return independent(random, t.calls[0], o, factor) })
	passes := meanOf(func(random *rand.Rand) float64 { return independent(random, all, o, factor) })
	r.add(columnCallMs, calls, nil)
	r.add(columnLapMs, passes, nil)
	r.add(columnGroupMs, meanOf(func(random *rand.Rand) float64 { return byCall(random, t.groups[0], o, factor) }), nil)
	r.add(columnSooner, calls/passes, nil)
	return r
}

// meanOf returns the mean of several runs, in ms.
func meanOf(run func(*rand.Rand) float64) float64 {
	sum := 0.0
	for i := range convergeRuns {
		sum += run(rand.New(rand.NewPCG(uint64(i), 2)))
	}
	return sum / convergeRuns / 1e6
}

// independent returns the time that it takes to see a difference between timings drawn at random, as the paper does. There may be more of them than were recorded.
func independent(random *rand.Rand, timings []float64, o verdict.Options, factor float64) (time float64) {
	t := verdict.New(2, o)
	for n := 0; n < mostConverge; n++ {
		drawn, version := timings[random.IntN(len(timings))], n%2
		if version == 1 {
			drawn *= factor
		}
		t.Add(version, drawn)
		time += drawn
		if n%16 == 0 && t.Decided() {
			break
		}
	}
	return time
}

// byCall does the same with all laps of a call at a time, as a program has them: version by version of calls.
func byCall(random *rand.Rand, groups []laps, o verdict.Options, factor float64) (time float64) {
	t := verdict.NewLaps(2, o)
	for n := 0; n < mostConverge; {
		version := random.IntN(2)
		for i, drawn := range groups[random.IntN(len(groups))] {
			if version == 1 {
				drawn *= factor
			}
			t.Add(version, 1, drawn, i == 0)
			time += drawn
			n++
		}
		if t.Decided() {
			break
		}
	}
	return time
}

// agreement compares what calls and passes say of B: AUDIT 6.2, where calls are right. That what they find is less than 1% is no disagreement.
func (t *loopTimings) agreement(name string) *row {
	r := newRow("pairs", name)
	o := verdict.Defaults(t.least)
	calls, passes := verdict.New(2, o), verdict.New(2, o)
	for version := range 2 {
		for _, ns := range t.calls[version] {
			calls.Add(version, ns)
		}
		for _, g := range t.groups[version] {
			for _, ns := range g {
				passes.Add(version, ns)
			}
		}
	}
	byCalls, byPasses := effect(calls), effect(passes)
	agree := 0.0
	if math.Signbit(byCalls) == math.Signbit(byPasses) || math.Abs(byCalls) < 0.01 {
		agree = 1
	}
	r.add(columnByCalls, 100*byCalls, nil)
	r.add(columnByLaps, 100*byPasses, nil)
	r.add(columnAgree, agree, nil)
	return r
}

// effect is by how much longer B takes, without outliers.
func effect(t *verdict.Trial) float64 {
	v := t.Result().Versions
	return v[1].Capped/v[0].Capped - 1
}
