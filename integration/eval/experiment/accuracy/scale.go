package accuracy

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"time"

	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/integration/eval/accuracy"
	"github.com/goprofinstr/goprofinstr/integration/eval/lab"
	"github.com/goprofinstr/goprofinstr/integration/eval/result"
)

// scaleSamplers is what -samplers says in eval scale if it is not given: the default, with either kind of probes.
const scaleSamplers = "pep(64,17) portable/pep(64,17)"

// Columns of eval scale. All but the first are 1 at best, so that their minimum is what is worst.
const (
	columnSum      = "sum/truth"
	columnScale    = "scale" // the lesser of sum/truth and its inverse
	columnAbsolute = "absolute"
	columnRelative = "relative"
	columnOutcomes = "outcomes" // share of those that exact saw which are not called never
	columnSeen     = "seen"
	columnNever    = "called never"
)

// A Scale asks whether estimates are as large as the truth, and what they miss: eval scale.
type Scale struct {
	options
	seconds float64
	load    int
}

// Declare declares the flags.
func (x *Scale) Declare(fs *flag.FlagSet) {
	x.add(fs)
	fs.Float64Var(&x.seconds, "seconds", 5, "the least CPU time of a workload")
	fs.IntVar(&x.load, "load", 0, "busy loops that run beside the workloads")
}

// Check reports flags that make no sense.
func (x *Scale) Check() error {
	if x.seconds <= 0 || x.load < 0 {
		return errors.New("-seconds must be more than 0, -load not less")
	}
	return x.options.Check()
}

// Run adds what is measured to the report.
func (x *Scale) Run(r *result.Report) error {
	samplers, err := parseSamplers(cmp.Or(x.samplers, scaleSamplers))
	if err != nil {
		return err
	}
	for _, s := range samplers {
		if s.edges || s.plain {
			return fmt.Errorf("scale takes whole estimates, not %s", s.name)
		}
	}
	return x.compare(samplers, func(w *lab.Workshop, targets []*lab.Target) error {
		return newScales(x, w, r, samplers, targets).run(targets)
	})
}

// A scales has the tables of eval scale, with a suite for each sampler.
type scales struct {
	*lab.Workshop
	*Scale
	report           *result.Report
	samplers         []sampler
	shares, outcomes *result.Measure
}

func newScales(x *Scale, w *lab.Workshop, r *result.Report, samplers []sampler, targets []*lab.Target) *scales {
	s := &scales{Workshop: w, Scale: x, report: r, samplers: samplers}
	s.shares = &result.Measure{
		Title: fmt.Sprintf("Estimates against the truth, beside %d busy loops: sum over all paths, overlap of edges "+
			"(PEP 6.4), outcomes of conditions", x.load),
		Columns: []string{columnSum, columnScale, columnAbsolute, columnRelative, columnOutcomes}, Shares: true,
		Plot: "scale",
	}
	s.outcomes = &result.Measure{
		Title:   "Outcomes of conditions: those that exact counts have seen, and those of them called never",
		Columns: []string{columnSeen, columnNever}, Absolute: true,
	}
	for _, sampler := range samplers {
		for _, t := range targets {
			for _, j := range t.Jobs {
				for _, m := range []*result.Measure{s.shares, s.outcomes} {
					m.Rows = append(m.Rows, result.NewRow(sampler.name, j.Name(t.Pkg)))
				}
			}
		}
	}
	r.Measures = append(r.Measures, s.shares, s.outcomes)
	return s
}

// run measures all workloads. What fails is in the tables.
func (s *scales) run(targets []*lab.Target) error {
	return eachBench(s.Workshop, targets, s.report, func(b *lab.Bench, name string, err error) {
		var truth *exactRun
		if err == nil {
			truth, err = s.exactly(b)
		}
		for _, sampler := range s.samplers {
			failure := err
			for i := 0; i < s.trials && failure == nil; i++ {
				failure = s.compareRun(b, name, sampler, truth)
			}
			if failure != nil {
				s.shares.Find(sampler.name, name).Add(columnSum, 0, failure)
			}
		}
	})
}

// exactly counts what the runs of a workload do. Nothing runs beside it: how long it takes is of no account.
func (s *scales) exactly(b *lab.Bench) (*exactRun, error) {
	n, err := b.Iterations(time.Duration(s.seconds * float64(time.Second)))
	if err != nil {
		return nil, err
	}
	return exactly(b, n)
}

// compareRun runs a workload once with a sampler.
func (s *scales) compareRun(b *lab.Bench, name string, with sampler, truth *exactRun) error {
	stop, err := lab.Load(s.load)
	if err != nil {
		return err
	}
	p, _, err := b.Profile(with.mode, truth.iterations)
	stop()
	if err != nil {
		return err
	}
	shares := s.shares.Find(with.name, name)
	shares.Iterations = truth.iterations
	if err := addShares(shares, truth.paths, accuracy.New(p)); err != nil {
		return err
	}
	return s.addOutcomes(with.name, name, truth.profile, p)
}

func addShares(r *result.Row, actual, estimate *accuracy.Profile) error {
	sum := estimate.Executions() / actual.Executions()
	r.Add(columnSum, sum, nil)
	r.Add(columnScale, min(sum, 1/sum), nil) // 0 if there are no estimates
	absolute, err := accuracy.Absolute(actual, estimate)
	if err != nil {
		return err
	}
	r.Add(columnAbsolute, absolute, nil)
	relative, err := accuracy.Relative(actual, estimate)
	r.Add(columnRelative, relative, err)
	return err
}

// addOutcomes adds how many outcomes are called never, and a note with the worst.
func (s *scales) addOutcomes(sampler, name string, actual, estimate *profile.Profile) error {
	seen, never, err := accuracy.Outcomes(actual, estimate)
	if err != nil {
		return err
	}
	share := 1.0
	if seen > 0 {
		share -= float64(len(never)) / float64(seen)
	}
	s.shares.Find(sampler, name).Add(columnOutcomes, share, nil)
	row := s.outcomes.Find(sampler, name)
	row.Add(columnSeen, float64(seen), nil)
	row.Add(columnNever, float64(len(never)), nil)
	if len(never) > 0 {
		s.report.Notes = append(s.report.Notes, fmt.Sprintf("most frequent outcome called never by %s in %s: %v",
			sampler, name, never[0]))
	}
	return nil
}
