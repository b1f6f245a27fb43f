package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"

	"github.com/goprofinstr/goprofinstr/export/verdict"
	"github.com/goprofinstr/goprofinstr/rt/rundata"
)

// How much sooner loop timings tell than timings of calls: AUDIT 6.3, on the functions of testdata/loopy.

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

	// With loops chosen by a profile.
	columnChosenMs     = "profile: passes, ms"
	columnChosenSooner = "profile: sooner"
)

// loopTimings are what a program has recorded of a function.
type loopTimings struct {
	calls  [][]float64 // by version, ns
	groups [][]laps    // by version and call
	least  float64     // ns
}

// laps are those of one call, ns each.
type laps []float64

// A loopRecording is what a program has recorded, by function.
type loopRecording map[string]*loopTimings

// convergenceExperiment records, and finds out how long audits by calls and by loops take to see differences: by loops that are chosen by estimates, and by
// those that are chosen by what a profile has counted.
func convergenceExperiment(o *options, _ *regexp.Regexp, args string) (*report, error) {
	w, err := o.workshop(nil)
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(w.scratch)
	recorded, err := w.recordLoopy(o.seconds)
	if err != nil {
		return nil, err
	}
	if err := goCommand(filepath.Join(w.scratch, "loopy"), w.goprofinstr, "wrap", "-mode", "exact", "-o", "profile", "go", "test", "-bench=.", "-benchtime=1x"); err != nil {
		return nil, err
	}
	chosen, err := w.recordLoopy(o.seconds, "-profile", "profile")
	if err != nil {
		return nil, err
	}
	m := &measure{Title: "time until a difference is seen, 99% sure", Unit: "ms of the function's time", Absolute: true,
		Columns: []string{columnCallMs, columnLapMs, columnGroupMs, columnSooner, columnChosenMs, columnChosenSooner}}
	for _, name := range loopyFunctions {
		t, c := recorded[loopyPrefix+name], chosen[loopyPrefix+name]
		if t == nil || len(t.groups) == 0 || c == nil || len(c.groups) == 0 {
			return nil, fmt.Errorf("%s has no loop timings", name)
		}
		for _, less := range []float64{0.01, 0.05} {
			r := newRow(fmt.Sprintf("%g%% less", less*100), name)
			calls := t.convergence(r, 1-less)
			passes := c.passes(1 - less)
			r.add(columnChosenMs, passes, nil)
			r.add(columnChosenSooner, calls/passes, nil)
			m.Rows = append(m.Rows, r)
		}
	}
	return &report{Machine: thisMachine(), Options: args, Measures: []*measure{m}}, nil
}

// recordLoopy records the benchmarks of testdata/loopy, for so many seconds each.
func (w *workshop) recordLoopy(seconds float64, auditFlags ...string) (loopRecording, error) {
	dir := filepath.Join(w.scratch, "loopy")
	e := &entry{Module: "example.com/loopy", Local: "testdata/loopy"}
	if err := e.writeLocal(dir); err != nil {
		return nil, err
	}
	return w.recordLoops(dir, exec.Command("go", "test", "-c", "-o", "prog"),
		exec.Command("./prog", "-test.run=^$", "-test.bench=.", "-test.cpu=1", fmt.Sprintf("-test.benchtime=%gs", seconds)), auditFlags...)
}

// recordLoops builds a program with dispatchers in a folder, and runs it unwatched.
func (w *workshop) recordLoops(dir string, build, run *exec.Cmd, auditFlags ...string) (loopRecording, error) {
	if err := goCommand(dir, slices.Concat([]string{w.goprofinstr, "audit"}, auditFlags, build.Args)...); err != nil {
		return nil, err
	}
	data := filepath.Join(dir, "recorded")
	if err := os.RemoveAll(data); err != nil {
		return nil, err
	}
	run.Dir, run.Env = dir, append(os.Environ(), "GOPROFINSTR_DIR="+data)
	if out, err := run.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%w: %s", err, out)
	}
	names, err := filepath.Glob(filepath.Join(data, "run.*.gpi"))
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
func readLoops(f *rundata.Follower) (loopRecording, error) {
	all := make(loopRecording)
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

// convergence is AUDIT 6.3: the timings of version A are parted at random, and those of one part scaled. It adds the function's time that has to be
// recorded until that is seen, the mean over several seeds, and returns that for calls.
func (t *loopTimings) convergence(r *row, factor float64) float64 {
	o := verdict.Defaults(t.least)
	calls := meanOf(func(random *rand.Rand) float64 { return independent(random, t.calls[0], o, factor) })
	passes := t.passes(factor)
	r.add(columnCallMs, calls, nil)
	r.add(columnLapMs, passes, nil)
	r.add(columnGroupMs, meanOf(func(random *rand.Rand) float64 { return byCall(random, t.groups[0], o, factor) }), nil)
	r.add(columnSooner, calls/passes, nil)
	return calls
}

// passes is the time for passes.
func (t *loopTimings) passes(factor float64) float64 {
	all := slices.Concat(t.groups[0]...)
	return meanOf(func(random *rand.Rand) float64 { return independent(random, all, verdict.Defaults(t.least), factor) })
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
