package main

import (
	"cmp"
	"fmt"
	"os"
	"regexp"
	"time"
)

// A contextMeasure makes one measurement of calling contexts, on the benchmarks of a suite of contexts.json.
type contextMeasure interface {
	suite() string
	modes() []mode
	tables() []*measure // with rows for the benchmarks, to which failures are added, too
	compare(*bench) error
}

// compareContexts makes the measurements of -contexts.
func compareContexts(o *options, match *regexp.Regexp, args string) (*report, error) {
	list, err := readList(inContexts)
	if err != nil {
		return nil, err
	}
	targets := contextTargets(list, match)
	if len(targets) == 0 {
		return nil, fmt.Errorf("nothing matches -run %q", o.run)
	}
	w, err := o.workshop(nil)
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(w.scratch)
	r := &report{Machine: thisMachine(), Options: args}
	for _, m := range []contextMeasure{newPrecision(o.cpu(), o.trials), newAgreement(pprofParts * o.cpu()), newMemory(o.cpu())} {
		if err := w.compareSuite(m, targets, r, o.json); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// contextTargets returns what is selected: benchmarks with one P, and those that use b.RunParallel or serve clients with two.
func contextTargets(list []entry, match *regexp.Regexp) []*target {
	var targets []*target
	for i := range list {
		e := &list[i]
		for _, p := range e.Packages {
			t := &target{entry: e, pkg: p.Path, instrument: cmp.Or(p.Instrument, p.Path)}
			all := jobs(e, &p, false)
			for _, b := range p.Parallel {
				all = append(all, job{e.Suite, b, 2})
			}
			for _, j := range all {
				if match.MatchString(j.suite + " " + j.name(p.Path)) {
					t.jobs = append(t.jobs, j)
				}
			}
			if len(t.jobs) > 0 {
				targets = append(targets, t)
			}
		}
	}
	return targets
}

// compareSuite makes one measurement on those of the targets that are for it, and adds its tables to r, which is written to the file json, if it is not "".
func (w *workshop) compareSuite(m contextMeasure, targets []*target, r *report, json string) error {
	var mine []*target
	for _, t := range targets {
		if t.Suite == m.suite() {
			mine = append(mine, t)
		}
	}
	if len(mine) == 0 {
		return nil
	}
	for _, table := range m.tables() {
		table.addJobs(mine)
		r.Measures = append(r.Measures, table)
	}
	w.modes = m.modes()
	for _, t := range mine {
		w.compareTarget(m, t)
		if json != "" {
			if err := r.write(json); err != nil {
				return err
			}
		}
	}
	return nil
}

// compareTarget builds a target and makes a measurement on its benchmarks. What fails is in the tables.
func (w *workshop) compareTarget(m contextMeasure, t *target) {
	fmt.Fprintln(os.Stderr, t.pkg)
	b, err := w.build(t)
	if b != nil {
		defer b.remove()
	}
	for _, j := range t.jobs {
		fmt.Fprintf(os.Stderr, "\t%s\n", j.name(t.pkg))
		failure := err
		if err == nil {
			failure = m.compare(w.bench(b, t, j))
		}
		if failure != nil {
			table := m.tables()[0]
			table.find(j.suite, j.name(t.pkg)).add(table.Columns[0], 0, failure)
		}
	}
}

// row returns the row of a benchmark.
func (m *measure) row(b *bench) *row { return m.find(b.suite, b.job.name(b.pkg)) }

// parts returns the ends of parts of a run that take the same CPU time.
func parts(n int, each time.Duration) []time.Duration {
	var ends []time.Duration
	for i := range n {
		ends = append(ends, time.Duration(i+1)*each)
	}
	return ends
}
