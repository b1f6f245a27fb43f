package main

import (
	"fmt"
	"math"
	"os"
	"regexp"
	"strconv"
	"strings"

	"github.com/goprofinstr/goprofinstr/integration/eval/record"
	"github.com/goprofinstr/goprofinstr/integration/eval/strat"
	"github.com/goprofinstr/goprofinstr/sampler/stream"
)

// What is compared. The first of each list is what the others are compared with.
const (
	streamSamplers = "R256 P256 D256 CR256 H[P256]2048 H[S256]2048 Hx[P256]2048 H[P512]2048 H[S512]2048 T2[P256]2048"
	sizeSamplers   = "H[P256]2048 H[P256]512 H[P256]1024 H[P256]4096 H[S256]512 H[S256]1024 H[S256]2048 H[S256]4096"
	levelSamplers  = "R256 R256+A16 H[P256]2048 H[P256]2048+A16 T2[P256]2048 T2[P256]2048+A16"
	mixedSampler   = "H[P256]2048"
)

const (
	randomRuns  = 5       // of samplers that draw, of which the mean counts
	firstStep   = 1 << 13 // events, of curves
	leastEvents = 1 << 16
)

// kinds are the streams of a trace.
var kinds = []struct {
	name string
	of   uint64
}{{"paths", record.Paths}, {"edges", record.Edges}, {"calls", record.Calls}}

// An experiment compresses the streams of workloads.
type experiment struct {
	*recorder
	*options
	report *report
	tables map[string]*measure // by title
}

// compressStreams makes the measurements of -experiment strat.
func compressStreams(o *options, match *regexp.Regexp, args string) (*report, error) {
	list, err := readList(workloads)
	if err != nil {
		return nil, err
	}
	targets := selectTargets(list, match, false)
	if len(targets) == 0 {
		return nil, fmt.Errorf("nothing matches -run %q", o.run)
	}
	w, err := o.folders([]mode{recording})
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(w.scratch)
	r := &report{Machine: thisMachine(), Options: args}
	if err := addFigure4(r, o.experiments); err != nil {
		return nil, err
	}
	e := &experiment{&recorder{w, o.events, make(map[string]*build)}, o, r, make(map[string]*measure)}
	return r, e.run(targets)
}

func (e *experiment) run(targets []*target) error {
	for _, t := range targets {
		for _, j := range t.jobs {
			name := j.name(t.pkg)
			fmt.Fprintln(os.Stderr, name)
			row := e.row(measure{Title: "Traces", Columns: []string{"path ends", "paths", "edges", "calls"}, Absolute: true}, name)
			trace, err := e.trace(t, j)
			if err != nil {
				row.add("path ends", 0, err)
				continue
			}
			row.add("path ends", float64(trace.Ends()), nil)
			if err := e.compress(trace, name, row); err != nil {
				return err
			}
		}
		if e.json != "" {
			if err := e.report.write(e.json); err != nil {
				return err
			}
		}
		if b := e.builds[t.pkg]; b != nil {
			b.remove()
		}
	}
	return nil
}

// row returns a new row in the table with a title, which is made if it is new.
func (e *experiment) row(like measure, name string) *row {
	m := e.tables[like.Title]
	if m == nil {
		m = &like
		e.tables[like.Title] = m
		e.report.Measures = append(e.report.Measures, m)
	}
	r := newRow("workloads", name)
	m.Rows = append(m.Rows, r)
	return r
}

// compress measures all there is on one trace. Row has how many different tuples there are.
func (e *experiment) compress(trace *record.Trace, name string, row *row) error {
	for _, kind := range kinds {
		s := trace.Stream(kind.of, e.events)
		row.add(kind.name, float64(len(s.Tuples)), nil)
		if len(s.Events) < leastEvents {
			continue // of calls, where all are inlined
		}
		results, err := e.samplers(s, streamSamplers)
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

// A result is what came of a compressor on a stream.
type result struct {
	sampler string
	points  []strat.Point // the mean of all runs
}

func (r *result) last() strat.Point { return r.points[len(r.points)-1] }

// samplers compresses a stream in several ways.
func (e *experiment) samplers(s *strat.Stream, list string) ([]result, error) {
	var results []result
	for text := range strings.FieldsSeq(list) {
		spec, err := stream.Parse(text)
		if err != nil {
			return nil, err
		}
		runs := 1
		if draws(spec) {
			runs = randomRuns
		}
		var points []strat.Point
		for seed := range uint64(runs) {
			one := s.Progress(spec, seed+1, e.thresholds, strat.Steps(firstStep, len(s.Events)))
			if points == nil {
				points = make([]strat.Point, len(one))
			}
			for i, p := range one {
				points[i].Events = p.Events
				points[i].Messages += p.Messages / runs
				points[i].Error += p.Error / float64(runs)
				points[i].Distance += p.Distance / float64(runs)
			}
		}
		results = append(results, result{text, points})
	}
	return results, nil
}

// draws reports whether there is chance in a sampler.
func draws(s stream.Spec) bool { return s.Sampler.Kind != stream.KindPeriodic || s.Fold }

// addErrors adds how good the profiles of whole streams are.
func (e *experiment) addErrors(kind, name string, results []result) {
	var columns []string
	for _, r := range results {
		columns = append(columns, r.sampler)
	}
	errors := e.row(measure{Title: "Error of " + kind + ", in percent (STRAT 5.3.1)", Unit: "error", Columns: columns}, name)
	distances := e.row(measure{Title: "Distance of " + kind + " in all, in percent: 1 less the overlap of shares", Unit: "distance", Columns: columns}, name)
	messages := e.row(measure{Title: "Messages of " + kind, Unit: "messages", Columns: columns}, name)
	for _, r := range results {
		p := r.last()
		if math.IsNaN(p.Error) {
			errors.add(r.sampler, 0, strat.ErrNoTuple)
		} else {
			errors.add(r.sampler, 100*p.Error, nil)
		}
		distances.add(r.sampler, 100*p.Distance, nil)
		messages.add(r.sampler, float64(p.Messages), nil)
	}
}

// addCurves adds the figures 7 and 8 of one workload.
func (e *experiment) addCurves(name string, results []result) {
	var columns []string
	for _, p := range results[0].points {
		columns = append(columns, strconv.Itoa(p.Events))
	}
	add := func(what, plot string, value func(strat.Point) float64) {
		m := &measure{Title: name + ": " + what + " by events", Columns: columns, Curves: true, Absolute: true, Plot: plot + "-" + flat(name)}
		for _, r := range results {
			row := newRow("paths", r.sampler)
			for i, p := range r.points {
				if v := value(p); !math.IsNaN(v) {
					row.add(columns[i], v, nil)
				}
			}
			m.Rows = append(m.Rows, row)
		}
		e.report.Measures = append(e.report.Measures, m)
	}
	add("error of paths, in percent", "error", func(p strat.Point) float64 { return 100 * p.Error })
	add("distance of paths, in percent", "distance", func(p strat.Point) float64 { return 100 * p.Distance })
	add("messages", "messages", func(p strat.Point) float64 { return float64(p.Messages) })
}

// flat makes a name one of a file.
func flat(name string) string { return strings.NewReplacer("/", "_").Replace(name) }

// addNeeded adds after how many events others are as good as the first sampler is in the end.
func (e *experiment) addNeeded(name string, results []result) {
	var columns []string
	for _, r := range results {
		columns = append(columns, r.sampler)
	}
	errors := e.row(measure{Title: "Events for the final error of paths of R256, of those that this took", Columns: columns, Unit: "events"}, name)
	distances := e.row(measure{Title: "Events for the final distance of paths of R256, of those that this took", Columns: columns, Unit: "events"}, name)
	for _, r := range results {
		errors.add(r.sampler, until(r.points, results[0].last().Error, func(p strat.Point) float64 { return p.Error }), nil)
		distances.add(r.sampler, until(r.points, results[0].last().Distance, func(p strat.Point) float64 { return p.Distance }), nil)
	}
}

// until returns after how many events a value is no more than most, and stays so, on lines between points whose scales are logarithmic. Where it never does,
// it is the number there would have to be if the value fell with the square root.
func until(points []strat.Point, most float64, value func(strat.Point) float64) float64 {
	last := points[len(points)-1]
	if v := value(last); v > most {
		return float64(last.Events) * (v / most) * (v / most)
	}
	for i := len(points) - 2; i >= 0; i-- {
		if v := value(points[i]); !(v <= most) {
			if math.IsNaN(v) || value(points[i+1]) <= 0 {
				return float64(points[i+1].Events)
			}
			part := math.Log(v/most) / math.Log(v/value(points[i+1]))
			return float64(points[i].Events) * math.Pow(float64(points[i+1].Events)/float64(points[i].Events), part)
		}
	}
	return float64(points[0].Events)
}

// addSizes adds what the number of strata makes of the error (STRAT figure 9), early and in the end.
func (e *experiment) addSizes(name string, s *strat.Stream) error {
	results, err := e.samplers(s, sizeSamplers)
	if err != nil {
		return err
	}
	columns := strings.Fields(sizeSamplers)
	late := e.row(measure{Title: "Distance of paths, in percent, by number of strata (STRAT figure 9)", Columns: columns, Unit: "distance"}, name)
	early := e.row(measure{Title: "Distance of paths, in percent, by number of strata, after a sixteenth of the stream", Columns: columns, Unit: "distance"}, name)
	for _, r := range results {
		late.add(r.sampler, 100*r.last().Distance, nil)
		early.add(r.sampler, 100*r.points[len(r.points)-5].Distance, nil)
	}
	return nil
}

// addLevels adds what a second level makes of the number of messages (STRAT figure 10).
func (e *experiment) addLevels(name string, s *strat.Stream) error {
	results, err := e.samplers(s, levelSamplers)
	if err != nil {
		return err
	}
	row := e.row(measure{Title: "Messages of paths with a second level (STRAT figure 10)", Columns: strings.Fields(levelSamplers), Unit: "messages"}, name)
	for _, r := range results {
		row.add(r.sampler, float64(r.last().Messages), nil)
	}
	return nil
}

// addMixed adds the errors and messages of several kinds in one stream (STRAT figure 11, which has edges and calls).
func (e *experiment) addMixed(trace *record.Trace, name string) error {
	mixes := []struct {
		name string
		of   uint64
	}{{"edges", record.Edges}, {"calls", record.Calls}, {"edges and calls", record.Edges | record.Calls}, {"with paths", record.Edges | record.Calls | record.Paths}}
	var columns []string
	for _, m := range mixes {
		columns = append(columns, m.name)
	}
	errors := e.row(measure{Title: "Error of several kinds at once with " + mixedSampler + ", in percent (STRAT figure 11)", Columns: columns, Curves: true, Absolute: true}, name)
	messages := e.row(measure{Title: "Messages of several kinds at once with " + mixedSampler + ", for 1000 events", Columns: columns, Curves: true, Absolute: true}, name)
	for _, m := range mixes {
		s := trace.Stream(m.of, e.events)
		if len(s.Events) < leastEvents {
			continue
		}
		results, err := e.samplers(s, mixedSampler)
		if err != nil {
			return err
		}
		p := results[0].last()
		if !math.IsNaN(p.Error) {
			errors.add(m.name, 100*p.Error, nil)
		}
		messages.add(m.name, 1000*float64(p.Messages)/float64(p.Events), nil)
	}
	return nil
}
