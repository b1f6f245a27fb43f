package strat

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"

	"github.com/goprofinstr/goprofinstr/integration/eval/lab"
	"github.com/goprofinstr/goprofinstr/integration/eval/record"
	"github.com/goprofinstr/goprofinstr/integration/eval/result"
	"github.com/goprofinstr/goprofinstr/integration/eval/strat"
	"github.com/goprofinstr/goprofinstr/sampler/stream"
)

// What is compared. The first of each list is what the others are compared with.
const (
	pathSamplers = "R256 P256 D256 CR256 H[P256]2048 H[S256]2048 H[P256]2048/length " +
		"H[S256]2048/length H[F256]2048/length B256 H[B256]2048 H[B256]2048/length " +
		"H[D256]2048/length H[P257]2048 Hx[P256]2048 H[P512]2048 H[S512]2048 T2[P256]2048"
	otherSamplers = "R256 P256 H[P256]2048 H[S256]2048 H[P257]2048 H[B256]2048 H[B256]2048/length " +
		"H[P512]2048 T2[P256]2048"
	sizeSamplers  = "H[P256]2048 H[P256]512 H[P256]1024 H[P256]4096 H[S256]512 H[S256]1024 H[S256]2048 H[S256]4096"
	levelSamplers = "R256 R256+A16 H[P256]2048 H[P256]2048+A16 T2[P256]2048 T2[P256]2048+A16"
	mixedSampler  = "H[P256]2048"
)

const (
	randomRuns  = 3       // of samplers that draw, of which the mean counts
	firstStep   = 1 << 12 // events, of curves
	beforeEarly = 4       // steps before the last
	leastEvents = firstStep << beforeEarly
)

// kinds are the streams of a trace.
var kinds = []struct {
	name     string
	of       uint64
	samplers string
}{{"paths", record.Paths, pathSamplers}, {"edges", record.Edges, otherSamplers}, {"calls", record.Calls, otherSamplers}}

// A compression compresses the streams of workloads.
type compression struct {
	*recorder
	events     int
	thresholds strat.Thresholds
	report     *result.Report
	tables     map[string]*result.Measure // by title
}

func (e *compression) run(targets []*lab.Target) error {
	for _, t := range targets {
		for _, j := range t.Jobs {
			name := j.Name(t.Pkg)
			fmt.Fprintln(os.Stderr, name)
			row := e.row(result.Measure{Title: "Traces",
				Columns: []string{"path ends", "paths", "edges", "calls"}, Absolute: true}, name)
			trace, err := e.trace(t, j)
			if err != nil {
				row.Add("path ends", 0, err)
				continue
			}
			row.Add("path ends", float64(trace.Ends()), nil)
			if err := e.compress(trace, name, row); err != nil {
				return err
			}
		}
		if err := e.report.Save(); err != nil {
			return err
		}
		if b := e.builds[t.Pkg]; b != nil {
			b.Remove()
		}
	}
	return nil
}

// row returns a new row in the table with a title, which is made if it is new.
func (e *compression) row(like result.Measure, name string) *result.Row {
	m := e.tables[like.Title]
	if m == nil {
		m = &like
		e.tables[like.Title] = m
		e.report.Measures = append(e.report.Measures, m)
	}
	r := result.NewRow("workloads", name)
	m.Rows = append(m.Rows, r)
	return r
}

// compress measures all there is on one trace. Row has how many different tuples there are.
func (e *compression) compress(trace *record.Trace, name string, row *result.Row) error {
	for _, kind := range kinds {
		s := trace.Stream(kind.of, e.events)
		row.Add(kind.name, float64(len(s.Tuples)), nil)
		if len(s.Events) < leastEvents {
			continue // of calls, where all are inlined
		}
		results, err := e.samplers(s, kind.samplers)
		if err != nil {
			return err
		}
		e.addErrors(kind.name, name, results)
		if kind.of != record.Paths {
			continue
		}
		e.addCurves(name, results)
		e.addNeeded(name, results)
		if err := e.addSizes(name, s); err != nil {
			return err
		}
		if err := e.addLevels(name, s); err != nil {
			return err
		}
	}
	return e.addMixed(trace, name)
}

// An outcome is what came of a compressor on a stream.
type outcome struct {
	sampler string
	points  []strat.Point // the mean of all runs
}

func (r *outcome) last() strat.Point { return r.points[len(r.points)-1] }

// samplers compresses a stream in several ways, at the same time.
func (e *compression) samplers(s *strat.Stream, list string) ([]outcome, error) {
	var results []outcome
	var estimators []strat.Estimator
	for text := range strings.FieldsSeq(list) {
		estimator, err := strat.ParseEstimator(text)
		if err != nil {
			return nil, err
		}
		estimators = append(estimators, estimator)
		results = append(results, outcome{sampler: text})
	}
	var done sync.WaitGroup
	turn := make(chan bool, runtime.GOMAXPROCS(0))
	for i := range results {
		done.Go(func() {
			turn <- true
			results[i].points = e.mean(s, estimators[i])
			<-turn
		})
	}
	done.Wait()
	return results, nil
}

// mean compresses a stream, several times if there is chance in that.
func (e *compression) mean(s *strat.Stream, estimator strat.Estimator) []strat.Point {
	runs := 1
	if draws(estimator.Spec) {
		runs = randomRuns
	}
	steps := strat.Steps(firstStep, len(s.Events))
	points := make([]strat.Point, len(steps))
	for seed := range uint64(runs) {
		for i, p := range s.Progress(estimator, seed+1, e.thresholds, steps) {
			points[i].Events = p.Events
			points[i].Messages += p.Messages / runs
			points[i].Error += p.Error / float64(runs)
			points[i].Distance += p.Distance / float64(runs)
		}
	}
	return points
}

// draws reports whether there is chance in a sampler.
func draws(s stream.Spec) bool {
	return s.Sampler.Kind != stream.KindPeriodic && s.Sampler.Kind != stream.KindFirst || s.Fold
}
