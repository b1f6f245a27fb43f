package main

import (
	"fmt"
	"os"
)

// An evaluation is a report in the making, with one table for each thing that is measured.
type evaluation struct {
	*workshop
	*options
	report *report
	// Tables, nil for what is not asked for.
	times, instructions, sizes, builds *measure
}

// newEvaluation makes the tables, with a row for everything that is to be measured: what is not reached is shown as failed.
func newEvaluation(w *workshop, o *options, r *report, targets []*target) *evaluation {
	e := &evaluation{workshop: w, options: o, report: r}
	add := func(title, unit string, columns []string) *measure {
		m := &measure{Title: title, Unit: unit, Columns: columns}
		r.Measures = append(r.Measures, m)
		return m
	}
	if o.rounds > 0 {
		e.times = add("Time of benchmarks: ratio of the least times, 95% interval", "ns/op", w.columns())
		e.times.addJobs(targets)
	}
	if o.callgrind {
		e.instructions = add("Instructions of benchmarks, by callgrind", "instructions/op", w.columns())
		e.instructions.addJobs(targets)
	}
	e.sizes = add("Size of test binaries", "bytes", w.built())
	e.sizes.addPackages(targets)
	if o.buildTimes > 0 {
		e.builds = add("Time of building a test binary after an edit in the package", "s", w.built())
		e.builds.addPackages(editable(targets))
	}
	return e
}

func (m *measure) addJobs(targets []*target) {
	for _, t := range targets {
		for _, j := range t.jobs {
			m.Rows = append(m.Rows, newRow(j.suite, j.name(t.pkg)))
		}
	}
}

func (m *measure) addPackages(targets []*target) {
	for _, t := range targets {
		m.Rows = append(m.Rows, newRow(t.Suite, t.pkg))
	}
}

// find returns the row of a name; nil if there is no such table or row.
func (m *measure) find(suite, name string) *row {
	if m == nil {
		return nil
	}
	for _, r := range m.Rows {
		if r.Suite == suite && r.Name == name {
			return r
		}
	}
	return nil
}

// editable returns the targets whose files are copies.
func editable(targets []*target) []*target {
	var some []*target
	for _, t := range targets {
		if t.Module != "" {
			some = append(some, t)
		}
	}
	return some
}

// run measures the targets, one after the other. With -json the report is written after each, since all of them take an hour.
func (e *evaluation) run(targets []*target) error {
	for _, t := range targets {
		fmt.Fprintln(os.Stderr, t.pkg)
		if err := e.measure(t); err != nil {
			e.fail(t, err)
		}
		if e.json != "" {
			if err := e.report.write(e.json); err != nil {
				return err
			}
		}
	}
	return nil
}

// measure builds one target and runs its benchmarks.
func (e *evaluation) measure(t *target) error {
	b, err := e.build(t)
	if err != nil {
		return err
	}
	defer b.remove()
	sizes := e.sizes.find(t.Suite, t.pkg)
	for _, name := range e.built() {
		size, err := b.size(name)
		sizes.add(name, size, err)
	}
	for _, j := range t.jobs {
		fmt.Fprintf(os.Stderr, "\t%s\n", j.name(t.pkg))
		bench := e.bench(b, t, j)
		if r := e.times.find(j.suite, j.name(t.pkg)); r != nil {
			bench.measure(r, e.workshop.modes, e.rounds, e.runtime)
		}
		if r := e.instructions.find(j.suite, j.name(t.pkg)); r != nil {
			bench.instructions(r, e.columns())
		}
	}
	if r := e.builds.find(t.Suite, t.pkg); r != nil {
		e.timeBuilds(r, t, b, e.options.buildTimes)
	}
	return nil
}

// fail says of everything that would have been measured on a target why it could not be.
func (e *evaluation) fail(t *target, err error) {
	for _, m := range []*measure{e.sizes, e.builds} {
		if r := m.find(t.Suite, t.pkg); r != nil {
			r.add(plain, 0, err)
		}
	}
	for _, m := range []*measure{e.times, e.instructions} {
		for _, j := range t.jobs {
			if r := m.find(j.suite, j.name(t.pkg)); r != nil {
				r.add(plain, 0, err)
			}
		}
	}
}
