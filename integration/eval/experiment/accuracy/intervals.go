package accuracy

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"regexp"
	"time"

	"github.com/goprofinstr/goprofinstr/integration/eval/estimates"
	"github.com/goprofinstr/goprofinstr/integration/eval/lab"
	"github.com/goprofinstr/goprofinstr/integration/eval/result"
)

// sixWorkloads is what -run says in eval intervals if it is not given: with tight loops and without.
const sixWorkloads = "CodeDecoder|Match/Hard|Encode/Newton|Decode/Newton|Valid|Phases"

// Columns of eval intervals.
const (
	columnPaths  = "paths"
	columnEdges  = "edges"
	columnCalls  = "calls"
	columnBranch = "shares"
)

var intervalColumns = []string{columnPaths, columnEdges, columnCalls, columnBranch}

// An Intervals asks how many 95% intervals hold the truth: eval intervals.
type Intervals struct {
	options
	seconds float64
}

// Declare declares the flags.
func (x *Intervals) Declare(fs *flag.FlagSet) {
	x.add(fs)
	x.Match = regexp.MustCompile(sixWorkloads)
	x.trials = 200
	fs.Lookup("trials").DefValue = "200"
	fs.Lookup("trials").Usage = "sampled runs of each workload"
	fs.Float64Var(&x.seconds, "seconds", 2, "the least CPU time of a workload")
}

// Check reports flags that make no sense.
func (x *Intervals) Check() error {
	if x.seconds <= 0 {
		return errors.New("-seconds must be more than 0")
	}
	return x.options.Check()
}

// Run adds what is measured to the report.
func (x *Intervals) Run(r *result.Report) error {
	samplers, err := parseSamplers(cmp.Or(x.samplers, convergeSampler))
	if err != nil {
		return err
	}
	if len(samplers) != 1 || samplers[0].edges || samplers[0].plain {
		return errors.New("intervals takes one sampler, with whole estimates")
	}
	return x.compare(samplers, func(w *lab.Workshop, targets []*lab.Target) error {
		return x.measure(w, r, samplers[0].mode, targets)
	})
}

// measure measures all workloads. What has no interval at all is a note, not a failure.
func (x *Intervals) measure(w *lab.Workshop, r *result.Report, mode string, targets []*lab.Target) error {
	hold := &result.Measure{
		Title: "Shares of 95% intervals that hold the truth, of what is not known exactly; 0 if there is none",
		// Of medians over workloads there is no use here: a share is of all runs.
		Columns: intervalColumns, Absolute: true,
	}
	number := &result.Measure{Title: "Numbers of such intervals in all runs", Columns: intervalColumns, Absolute: true}
	wrong := &result.Measure{Title: "Numbers that are called exact and are wrong", Columns: intervalColumns,
		Absolute: true}
	measures := []*result.Measure{hold, number, wrong}
	for _, m := range measures {
		lab.AddJobs(m, targets)
	}
	r.Measures = append(r.Measures, measures...)
	return eachBench(w, targets, r, func(b *lab.Bench, name string, err error) {
		c := make(coverage)
		if err == nil {
			err = x.count(b, mode, c)
		}
		for _, column := range intervalColumns {
			k := c.of(column)
			hold.Find(b.Suite, name).Add(column, k.share(), err)
			number.Find(b.Suite, name).Add(column, float64(k.intervals), err)
			wrong.Find(b.Suite, name).Add(column, float64(k.wrong), err)
		}
		if err == nil && len(c) == 0 {
			r.Notes = append(r.Notes, name+": the profile has no intervals")
		}
	})
}

// count runs a workload exactly, and over and over with a sampler.
func (x *Intervals) count(b *lab.Bench, mode string, c coverage) error {
	n, err := b.Iterations(time.Duration(x.seconds * float64(time.Second)))
	if err != nil {
		return err
	}
	run, err := exactly(b, n)
	if err != nil {
		return err
	}
	truth, err := estimates.Read(run.profile)
	if err != nil {
		return err
	}
	for range x.trials {
		p, _, err := b.Profile(mode, n)
		if err != nil {
			return err
		}
		said, err := estimates.Read(p)
		if err != nil {
			return err
		}
		if err := c.compare(truth, said); err != nil {
			return err
		}
		if len(c) == 0 {
			return nil // the others have none either
		}
	}
	return nil
}

// A coverage counts the intervals by what they are of, a column.
type coverage map[string]*covered

type covered struct {
	intervals, hold int // of estimates
	wrong           int // of what is called exact
}

func (c coverage) of(column string) *covered {
	if c[column] == nil {
		return new(covered)
	}
	return c[column]
}

// share returns the share of intervals that hold the truth; 0 if there are none.
func (k *covered) share() float64 { return float64(k.hold) / float64(max(1, k.intervals)) }

// add adds a number with its truth, if it has an interval.
func (c coverage) add(column string, n *estimates.Number, truth float64) {
	if !n.HasInterval() {
		return
	}
	if c[column] == nil {
		c[column] = new(covered)
	}
	k := c[column]
	switch {
	case !n.Sure():
		k.intervals++
		if n.Holds(truth) {
			k.hold++
		}
	case !n.Holds(truth):
		k.wrong++
	}
}

// compare adds the intervals of a profile, if it has any.
func (c coverage) compare(truth, said []estimates.Function) error {
	if len(truth) != len(said) {
		return fmt.Errorf("%d functions in one profile, %d in the other", len(truth), len(said))
	}
	if !estimates.HaveIntervals(said) {
		return nil
	}
	for i := range truth {
		f, s := &truth[i], &said[i]
		if f.Name != s.Name || f.File != s.File || f.Line != s.Line || len(f.Edges) != len(s.Edges) {
			return fmt.Errorf("%s of one profile is not %s of the other", f.Name, s.Name)
		}
		c.addFunction(f, s)
	}
	return nil
}

func (c coverage) addFunction(truth, said *estimates.Function) {
	paths := make(map[uint64]float64)
	calls := 0.0
	for _, p := range truth.Paths {
		paths[p.ID] = p.Count
		if p.Start == "entry" {
			calls += p.Count
		}
	}
	for i := range said.Paths {
		p := &said.Paths[i]
		c.add(columnPaths, &p.Number, paths[p.ID])
		delete(paths, p.ID)
	}
	for _, count := range paths { // which are not listed
		if said.Complete {
			c.add(columnPaths, estimates.Never(), count)
		}
	}
	c.add(columnCalls, said.Calls, calls)
	out := make(map[int]float64) // executions of blocks
	for _, e := range truth.Edges {
		out[e.From] += e.Count
	}
	for i := range said.Edges {
		e, actual := &said.Edges[i], &truth.Edges[i]
		c.add(columnEdges, &e.Number, actual.Count)
		if out[e.From] > 0 {
			c.add(columnBranch, e.Share, actual.Count/out[e.From])
		}
	}
}
