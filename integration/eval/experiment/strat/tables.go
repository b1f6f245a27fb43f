package strat

import (
	"math"
	"strconv"
	"strings"

	"github.com/goprofinstr/goprofinstr/integration/eval/lab"
	"github.com/goprofinstr/goprofinstr/integration/eval/record"
	"github.com/goprofinstr/goprofinstr/integration/eval/result"
	"github.com/goprofinstr/goprofinstr/integration/eval/strat"
)

// leastShare is the least that is told apart from 0: ratios of errors have a geometric mean.
const leastShare = 1e-5

// percent returns a share in percent, but no less than leastShare.
func percent(share float64) float64 { return 100 * max(share, leastShare) }

// addErrors adds how good the profiles of whole streams are.
func (e *compression) addErrors(kind, name string, results []outcome) {
	var columns []string
	for _, r := range results {
		columns = append(columns, r.sampler)
	}
	errors := e.row(result.Measure{Title: "Error of " + kind + ", in percent (STRAT 5.3.1)", Unit: "error",
		Columns: columns}, name)
	distances := e.row(result.Measure{
		Title: "Distance of " + kind + " in all, in percent: 1 less the overlap of shares",
		Unit:  "distance", Columns: columns,
	}, name)
	messages := e.row(result.Measure{Title: "Messages of " + kind, Unit: "messages", Columns: columns}, name)
	for _, r := range results {
		p := r.last()
		if math.IsNaN(p.Error) {
			errors.Add(r.sampler, 0, strat.ErrNoTuple)
		} else {
			errors.Add(r.sampler, percent(p.Error), nil)
		}
		distances.Add(r.sampler, percent(p.Distance), nil)
		messages.Add(r.sampler, float64(p.Messages), nil)
	}
}

// addCurves adds the figures 7 and 8 of one workload.
func (e *compression) addCurves(name string, results []outcome) {
	var columns []string
	for _, p := range results[0].points {
		columns = append(columns, strconv.Itoa(p.Events))
	}
	add := func(what, plot string, value func(strat.Point) float64) {
		m := &result.Measure{Title: name + ": " + what + " by events", Columns: columns, Curves: true,
			Absolute: true, Plot: plot + "-" + lab.Flat(name)}
		for _, r := range results {
			row := result.NewRow("paths", r.sampler)
			for i, p := range r.points {
				if v := value(p); !math.IsNaN(v) {
					row.Add(columns[i], v, nil)
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

// addNeeded adds after how many events others are as good as the first sampler is in the end.
func (e *compression) addNeeded(name string, results []outcome) {
	var columns []string
	for _, r := range results {
		columns = append(columns, r.sampler)
	}
	errors := e.row(result.Measure{
		Title:   "Events for the final error of paths of R256, of those that this took",
		Columns: columns, Unit: "events",
	}, name)
	distances := e.row(result.Measure{
		Title:   "Events for the final distance of paths of R256, of those that this took",
		Columns: columns, Unit: "events",
	}, name)
	final := results[0].last()
	for _, r := range results {
		if math.IsNaN(final.Error) {
			errors.Add(r.sampler, 0, strat.ErrNoTuple)
		} else {
			errors.Add(r.sampler, until(r.points, final.Error, func(p strat.Point) float64 { return p.Error }), nil)
		}
		distances.Add(r.sampler, until(r.points, final.Distance,
			func(p strat.Point) float64 { return p.Distance }), nil)
	}
}

// until returns after how many events a value is no more than most, and stays so, on lines between points
// whose scales are logarithmic. Where it never does, it is the number there would have to be if the value
// fell with the square root.
func until(points []strat.Point, most float64, value func(strat.Point) float64) float64 {
	most = max(most, leastShare)
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
func (e *compression) addSizes(name string, s *strat.Stream) error {
	results, err := e.samplers(s, sizeSamplers)
	if err != nil {
		return err
	}
	columns := strings.Fields(sizeSamplers)
	late := e.row(result.Measure{Title: "Distance of paths, in percent, by number of strata (STRAT figure 9)",
		Columns: columns, Unit: "distance"}, name)
	early := e.row(result.Measure{
		Title:   "Distance of paths, in percent, by number of strata, after a sixteenth of the stream",
		Columns: columns, Unit: "distance",
	}, name)
	for _, r := range results {
		late.Add(r.sampler, percent(r.last().Distance), nil)
		early.Add(r.sampler, percent(r.points[len(r.points)-1-beforeEarly].Distance), nil)
	}
	return nil
}

// addLevels adds what a second level makes of the number of messages (STRAT figure 10).
func (e *compression) addLevels(name string, s *strat.Stream) error {
	results, err := e.samplers(s, levelSamplers)
	if err != nil {
		return err
	}
	row := e.row(result.Measure{Title: "Messages of paths with a second level (STRAT figure 10)",
		Columns: strings.Fields(levelSamplers), Unit: "messages"}, name)
	for _, r := range results {
		row.Add(r.sampler, float64(r.last().Messages), nil)
	}
	return nil
}

// addMixed adds the errors and messages of several kinds in one stream (STRAT figure 11, which has edges and calls).
func (e *compression) addMixed(trace *record.Trace, name string) error {
	mixes := []struct {
		name string
		of   uint64
	}{{"edges", record.Edges}, {"calls", record.Calls}, {"edges and calls",
		record.Edges | record.Calls}, {"with paths", record.Edges | record.Calls | record.Paths}}
	var columns []string
	for _, m := range mixes {
		columns = append(columns, m.name)
	}
	errors := e.row(result.Measure{
		Title:   "Error of several kinds at once with " + mixedSampler + ", in percent (STRAT figure 11)",
		Columns: columns, Curves: true, Absolute: true,
	}, name)
	messages := e.row(result.Measure{
		Title:   "Messages of several kinds at once with " + mixedSampler + ", for 1000 events",
		Columns: columns, Curves: true, Absolute: true,
	}, name)
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
			errors.Add(m.name, 100*p.Error, nil)
		}
		messages.Add(m.name, 1000*float64(p.Messages)/float64(p.Events), nil)
	}
	return nil
}
