package strat

import (
	"strconv"
	"strings"

	"github.com/goprofinstr/goprofinstr/integration/eval/result"
	"github.com/goprofinstr/goprofinstr/integration/eval/strat"
)

// figure4Samplers are STRAT's six, and the countdown sampler that it mentions.
const (
	figure4Samplers = "R10 H[R10]4 D10 H[D10]4 P10 CR10 CR10/length H[P10]4 H[CR10]4 H[CR10]4/length"
	figure4Error    = 4 // percent
)

// addFigure4 makes the experiment of STRAT's figure 4, with so many experiments of each length.
func addFigure4(r *result.Report, experiments int) error {
	m := strat.MonteCarlo{Experiments: experiments, Seed: 1}
	curves := &result.Measure{
		Title: "Error of the estimated frequency of a tuple, in percent, by length of the stream " +
			"(STRAT figure 4)",
		Curves: true, Absolute: true, Plot: "figure4",
	}
	for n := 1000; n <= 20000; n += 1000 {
		m.Lengths = append(m.Lengths, n)
		curves.Columns = append(curves.Columns, strconv.Itoa(n))
	}
	names := strings.Fields(figure4Samplers)
	for _, name := range names {
		e, err := strat.ParseEstimator(name)
		if err != nil {
			return err
		}
		m.Samplers = append(m.Samplers, e)
	}
	needed := &result.Measure{Title: "Length of the stream for an error of 4%",
		Columns: []string{"events", "times that of H[P10]4"}, Absolute: true}
	all := m.Run()
	of := strat.Length(m.Lengths, all[7], figure4Error)
	for i, errors := range all {
		row := result.NewRow("figure 4", names[i])
		for l, v := range errors {
			row.Add(curves.Columns[l], v, nil)
		}
		curves.Rows = append(curves.Rows, row)
		row = result.NewRow("figure 4", names[i])
		length := strat.Length(m.Lengths, errors, figure4Error)
		row.Add(needed.Columns[0], length, nil)
		row.Add(needed.Columns[1], length/of, nil)
		needed.Rows = append(needed.Rows, row)
	}
	r.Measures = append(r.Measures, curves, needed)
	return nil
}
