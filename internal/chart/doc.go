// Package chart draws SVG charts: it is the only renderer of charts in the repository.
//
//   - [Bars]: groups of bars, each with an interval, on a scale across;
//   - [Lines]: lines through points, on a scale across and one up;
//   - [Panels]: how values are distributed, and below that the intervals of their differences.
//
// A chart knows nothing of what is measured: callers give names, values, scales and labels. All charts have the same
// colours ([Bars] and [Lines] begin with grey, for what the others are compared with).
//
// # Example
//
//	b := &chart.Bars{
//		Title:   "Time",
//		Columns: []string{"exact"},
//		Groups:  []chart.Group{{Name: "sort.A", Values: []chart.Interval{{Value: 1.1, Low: 1.05, High: 1.15}}}},
//		Scale:   chart.Scale{Least: 0.8, Most: 1.25, Log: true, Ticks: []float64{0.8, 1, 1.25}},
//		Base:    1,
//	}
//	err := b.Write(w)
//
// # Not handled
//
// Text is not measured: names that are too long are cut by callers.
package chart
