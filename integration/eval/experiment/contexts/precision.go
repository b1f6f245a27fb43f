package contexts

import (
	"slices"
	"strings"
	"time"

	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/integration/eval/contexts"
	"github.com/goprofinstr/goprofinstr/integration/eval/lab"
	"github.com/goprofinstr/goprofinstr/integration/eval/result"
	"github.com/goprofinstr/goprofinstr/rt/rundata"
)

// periods are the times between ticks that contexts are compared for: the paper's, but for its shortest,
// which the timers of Linux do not have. Each is there without marks of activations and with them.
var periods = []string{"4ms", "10ms", "50ms"}

// marked is what is added to a period in the columns with marks.
const marked = ", marks"

// columns are those without marks and those with them.
func columns() (all, withMarks []string) {
	for _, period := range periods {
		withMarks = append(withMarks, period+marked)
	}
	return slices.Concat(periods, withMarks), withMarks
}

// A precision has the tables of PCCT's figure 14, but for its times, which are eval's other ones. They are the
// correlation of the contexts of successive runs, and of successive parts of one run.
type precision struct {
	part         time.Duration // CPU time of what is compared
	pairs        int
	runs, within correlated
	walks        *result.Measure
}

// correlated are the tables of one kind of pairs: the paper's nodes and edges, each of these, and calls.
type correlated struct{ both, time, new, calls *result.Measure }

func newPrecision(part time.Duration, pairs int) *precision {
	of := []string{"contexts/s", "frames", "new frames", "truncated %", "cost %", "nodes", "effective",
		"by chance"}
	return &precision{part, pairs, newCorrelated("two runs", part), newCorrelated("two parts of a run", part),
		&result.Measure{
			Title: "Stacks with a tick every 10ms: found in a second of CPU time, their frames, " +
				"those looked up, ones that were too deep, what all sampling took; nodes, contexts " +
				"of CPU time if all had the same, and the correlation that so many would have by chance alone",
			Columns: of, Absolute: true,
		}}
}

func newCorrelated(of string, part time.Duration) correlated {
	all, withMarks := columns()
	table := func(what string, columns []string) *result.Measure {
		return &result.Measure{
			Title:   "Precision (PCCT 6): correlation of " + what + " of " + of + " of " + part.String(),
			Columns: columns, Shares: true, Geometric: true,
		}
	}
	return correlated{table("nodes and edges", withMarks), table("nodes: CPU time by context", all),
		table("edges: CPU time of new activations", withMarks), table("calls by edge", all)}
}

func (p *precision) suite() string { return "precision" }

func (p *precision) tables() []*result.Measure {
	return []*result.Measure{p.runs.both, p.runs.time, p.runs.new, p.runs.calls, p.within.both, p.within.time,
		p.within.new, p.within.calls, p.walks}
}

// modes has the budget of CPU time out of the way, so that ticks come as often as the column says.
func (p *precision) modes() []lab.Mode {
	var modes []lab.Mode
	all, _ := columns()
	for _, column := range all {
		period, withMarks := strings.CutSuffix(column, marked)
		wrap := []string{"-mode=sampled", "-cpu-budget=100", "-period=" + period}
		if withMarks {
			wrap = append(wrap, "-frames=128,marks")
		}
		modes = append(modes, lab.Mode{Name: column, Wrap: wrap})
	}
	return modes
}

// compare compares the contexts of one run, in parts, and those of its first part with others of runs as long.
func (p *precision) compare(b *lab.Bench) error {
	all, _ := columns()
	for _, column := range all {
		if err := p.compareColumn(b, column); err != nil {
			for _, m := range p.tables()[:8] {
				if slices.Contains(m.Columns, column) {
					b.Row(m).Add(column, 0, err)
				}
			}
		}
	}
	return nil
}

func (p *precision) compareColumn(b *lab.Bench, column string) error {
	const least = 3 // parts of a run
	states, err := b.Watch(column, parts(max(least, p.pairs+1), p.part))
	if err != nil {
		return err
	}
	if column == "10ms" {
		if err := p.describe(b.Row(p.walks), states[len(states)-1]); err != nil {
			return err
		}
	}
	segments, err := segmentsOf(states)
	if err != nil {
		return err
	}
	p.within.add(b, column, segments)
	runs := segments[:1]
	for range p.pairs {
		states, err := b.Watch(column, parts(1, p.part))
		if err != nil {
			return err
		}
		another, err := segmentsOf(states)
		if err != nil {
			return err
		}
		runs = append(runs, another...)
	}
	p.runs.add(b, column, runs)
	return nil
}

// describe adds what finding stacks took in a run.
func (p *precision) describe(r *result.Row, run *rundata.Run) error {
	tree, err := profile.New([]*rundata.Run{run}, nil)
	if err != nil {
		return err
	}
	effective, samples := contexts.Effective(tree)
	samples *= p.part.Seconds() / run.Sampling.CPU.Seconds() // of a part
	s := run.Sampling
	n := float64(s.Contexts)
	for i, v := range []float64{
		n / s.CPU.Seconds(), float64(s.Frames) / n, float64(s.NewFrames) / n, 100 * float64(s.Truncated) / n,
		100 * s.Cost.Seconds() / s.CPU.Seconds(), float64(len(run.Contexts.Nodes)),
		min(effective, samples*samples), // infinite numbers cannot be written
		samples / (samples + effective),
	} {
		r.Add(p.walks.Columns[i], v, nil)
	}
	return nil
}

// A segment is the context tree of a part of a run.
type segment struct{ times, new, calls contexts.Weights }

// segmentsOf returns what has been added from each of some states of a run to the next; to nothing, for the first.
func segmentsOf(states []*rundata.Run) ([]segment, error) {
	var segments []segment
	var before segment
	for _, run := range states {
		p, err := profile.New([]*rundata.Run{run}, nil)
		if err != nil {
			return nil, err
		}
		now := segment{contexts.Times(p), contexts.New(p), contexts.Calls(p)}
		segments = append(segments, segment{now.times.Since(before.times), now.new.Since(before.new),
			now.calls.Since(before.calls)})
		before = now
	}
	return segments, nil
}

// add adds the correlations of successive segments. Without marks there are no edges.
func (c correlated) add(b *lab.Bench, column string, all []segment) {
	for i := range all[1:] {
		x, y := all[i], all[i+1]
		for m, pair := range map[*result.Measure][2]contexts.Weights{
			c.time:  {x.times, y.times},
			c.new:   {x.new, y.new},
			c.calls: {x.calls, y.calls},
			c.both:  {contexts.Union(x.times, x.new), contexts.Union(y.times, y.new)},
		} {
			if slices.Contains(m.Columns, column) {
				r, err := contexts.Correlation(pair[0], pair[1])
				b.Row(m).Add(column, r, err)
			}
		}
	}
}
