package audit

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"

	"github.com/goprofinstr/goprofinstr/export/verdict"
	"github.com/goprofinstr/goprofinstr/integration/eval/lab"
	"github.com/goprofinstr/goprofinstr/integration/eval/result"
)

// How much sooner loop timings tell than timings of calls: AUDIT 6.3, on the functions of testdata/loopy.

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

// A Convergence records, and finds out how long audits by calls and by loops take to see differences: eval
// audit-convergence. Loops are chosen by estimates, and by what a profile has counted.
type Convergence struct{ recordings }

// Run adds what is measured to the report.
func (x *Convergence) Run(r *result.Report) error {
	w, err := x.Workshop(nil)
	if err != nil {
		return err
	}
	defer w.Close()
	recorded, err := recordLoopy(w, x.seconds)
	if err != nil {
		return err
	}
	wrapped := []string{w.Goprofinstr, "wrap", "-mode", "exact", "-o", "profile", "go", "test", "-bench=.",
		"-benchtime=1x"}
	if err := lab.GoCommand(filepath.Join(w.Scratch, "loopy"), wrapped...); err != nil {
		return err
	}
	chosen, err := recordLoopy(w, x.seconds, "-profile", "profile")
	if err != nil {
		return err
	}
	m := &result.Measure{Title: "time until a difference is seen, 99% sure", Unit: "ms of the function's time",
		Absolute: true,
		Columns:  []string{columnCallMs, columnLapMs, columnGroupMs, columnSooner, columnChosenMs, columnChosenSooner}}
	for _, name := range loopyFunctions {
		t, c := recorded[loopyPrefix+name], chosen[loopyPrefix+name]
		if t == nil || len(t.groups) == 0 || c == nil || len(c.groups) == 0 {
			return fmt.Errorf("%s has no loop timings", name)
		}
		for _, less := range []float64{0.01, 0.05} {
			row := result.NewRow(fmt.Sprintf("%g%% less", less*100), name)
			calls := t.convergence(row, 1-less)
			passes := c.passes(1 - less)
			row.Add(columnChosenMs, passes, nil)
			row.Add(columnChosenSooner, calls/passes, nil)
			m.Rows = append(m.Rows, row)
		}
	}
	r.Measures = append(r.Measures, m)
	return nil
}

// convergence is AUDIT 6.3: the timings of version A are parted at random, and those of one part scaled. It
// adds the function's time that has to be recorded until that is seen, the mean over several seeds, and
// returns that for calls.
func (t *loopTimings) convergence(r *result.Row, factor float64) float64 {
	o := verdict.Defaults(t.least)
	calls := meanOf(func(random *rand.Rand) float64 { return independent(random, t.calls[0], o, factor) })
	passes := t.passes(factor)
	r.Add(columnCallMs, calls, nil)
	r.Add(columnLapMs, passes, nil)
	r.Add(columnGroupMs, meanOf(func(random *rand.Rand) float64 { return byCall(random, t.groups[0], o, factor) }), nil)
	r.Add(columnSooner, calls/passes, nil)
	return calls
}

// passes is the time for passes.
func (t *loopTimings) passes(factor float64) float64 {
	all, o := slices.Concat(t.groups[0]...), verdict.Defaults(t.least)
	return meanOf(func(random *rand.Rand) float64 { return independent(random, all, o, factor) })
}

// meanOf returns the mean of several runs, in ms.
func meanOf(run func(*rand.Rand) float64) float64 {
	sum := 0.0
	for i := range convergeRuns {
		sum += run(rand.New(rand.NewPCG(uint64(i), 2)))
	}
	return sum / convergeRuns / 1e6
}

// independent returns the time that it takes to see a difference between timings drawn at random, as the
// paper does. There may be more of them than were recorded.
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
