package main

import (
	"fmt"
	"os"
)

// evaluate measures the targets, one after the other, and adds to the report. With -json it is written after
// each, since all of them take an hour; what was not reached when it is interrupted is shown as failed.
func (w *workshop) evaluate(r *report, targets []*target, o *options) error {
	times := w.times(targets)
	sizes := w.sizes(targets)
	r.Measures = append(r.Measures, times, sizes)
	next := 0 // row of times
	for i, t := range targets {
		rows := times.Rows[next : next+len(t.jobs)]
		next += len(rows)
		w.measure(t, rows, sizes.Rows[i], o)
		if o.json != "" {
			if err := r.write(o.json); err != nil {
				return err
			}
		}
	}
	return nil
}

// times returns the table of times, still empty.
func (w *workshop) times(targets []*target) *measure {
	m := &measure{Title: "Time of benchmarks: ratio of the least times, 95% interval", Unit: "ns/op", Columns: w.columns()}
	for _, t := range targets {
		for _, j := range t.jobs {
			m.Rows = append(m.Rows, newRow(j.suite, j.name(t.pkg)))
		}
	}
	return m
}

// sizes returns the table of binary sizes, still empty.
func (w *workshop) sizes(targets []*target) *measure {
	m := &measure{Title: "Size of test binaries", Unit: "bytes", Columns: w.built()}
	for _, t := range targets {
		m.Rows = append(m.Rows, newRow(t.Suite, t.pkg))
	}
	return m
}

func (w *workshop) columns() []string {
	var names []string
	for _, m := range w.modes {
		names = append(names, m.name)
	}
	return names
}

// built returns the names of the modes that have binaries of their own.
func (w *workshop) built() []string {
	var names []string
	for _, m := range w.modes {
		if m.same == "" {
			names = append(names, m.name)
		}
	}
	return names
}

// measure builds one target and runs its benchmarks.
func (w *workshop) measure(t *target, times []*row, sizes *row, o *options) {
	fmt.Fprintln(os.Stderr, t.pkg)
	b, err := w.build(t)
	if err != nil {
		for _, r := range append(times, sizes) {
			r.add(plain, 0, err)
		}
		return
	}
	for _, name := range w.built() {
		size, err := b.size(name)
		sizes.add(name, size, err)
	}
	for i, j := range t.jobs {
		fmt.Fprintf(os.Stderr, "\t%s\n", j.bench)
		w.bench(b, t, j).measure(times[i], w.modes, o.rounds, o.runtime)
	}
}

// fewTargets leaves the first benchmark of each package in suite std.
func fewTargets(targets []*target) []*target {
	var few []*target
	for _, t := range targets {
		if t.Suite == "std" {
			t.jobs = t.jobs[:1]
			few = append(few, t)
		}
	}
	return few
}
