package main

import (
	"errors"
	"fmt"
	"math"
	"os"
	"regexp"
	"strconv"
	"time"

	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/integration/eval/accuracy"
)

// predictedShare is the least flow of a path that is predicted from edges. Predictions spread flow over more paths than there
// are, so that some of the n hottest, which are compared with n hot ones, are not hot themselves.
const predictedShare = accuracy.Threshold / 10

// A comparison has the tables of profiles that are compared with exact ones.
type comparison struct {
	*workshop
	report                    *report
	json                      string // file, or ""
	trials                    int
	workloads                 *measure
	paths, relative, absolute *measure
	invariance                *measure
}

// workloads returns those that the command line selects.
func (o *options) workloads(match *regexp.Regexp) ([]*target, error) {
	list, err := readList(workloads)
	if err != nil {
		return nil, err
	}
	targets := selectTargets(list, match, false)
	if len(targets) == 0 {
		return nil, fmt.Errorf("nothing matches -run %q", o.run)
	}
	return targets, nil
}

// compareProfiles makes the measurements of -accuracy, or of -converge.
func compareProfiles(o *options, match *regexp.Regexp, args string) (*report, error) {
	targets, err := o.workloads(match)
	if err != nil {
		return nil, err
	}
	samplers, err := o.samplersToCompare()
	if err != nil {
		return nil, err
	}
	w, err := o.workshop(samplerModes(samplers))
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(w.scratch)
	r := &report{Machine: thisMachine(), Options: args}
	if o.converge {
		return r, newConvergence(w, o, r, samplers[0], targets).run(targets)
	}
	return r, newAccuracies(w, o, r, samplers, targets).run(targets)
}

// newComparison makes the tables, with a row for each workload. Paths have other columns than edges.
func newComparison(w *workshop, o *options, r *report, of string, pathColumns, edgeColumns []string, targets []*target) *comparison {
	c := &comparison{workshop: w, report: r, json: o.json, trials: o.trials}
	add := func(m measure) *measure {
		m.addJobs(targets)
		r.Measures = append(r.Measures, &m)
		return &m
	}
	c.workloads = add(measure{Title: "Workloads: CPU seconds of an exact run, executions of paths in millions, hot paths", Columns: []string{"CPU s", "M paths", "hot"}, Absolute: true})
	c.paths = add(measure{Title: "Path accuracy" + of + " (PEP 6.3): flow of the hot paths that are found", Columns: pathColumns, Shares: true, Plot: "paths"})
	c.relative = add(measure{Title: "Relative overlap" + of + " (PEP 6.4): accuracy of the bias of branches", Columns: edgeColumns, Shares: true, Plot: "edges"})
	c.absolute = add(measure{Title: "Absolute overlap" + of + " (PEP 6.4): of the frequencies of edges", Columns: edgeColumns, Shares: true})
	c.invariance = add(measure{Title: "Error" + of + " (STRAT 5.3.1): of the shares of a function's frequent paths in its executions", Columns: edgeColumns, Shares: true})
	return c
}

// rows are those of one workload.
type rows struct{ workload, paths, relative, absolute, invariance *row }

func (c *comparison) rows(t *target, j job) rows {
	find := func(m *measure) *row { return m.find(j.suite, j.name(t.pkg)) }
	return rows{find(c.workloads), find(c.paths), find(c.relative), find(c.absolute), find(c.invariance)}
}

// runAll builds the targets, one after the other, and calls one for each workload. What fails is in the report.
func (c *comparison) runAll(targets []*target, one func(*bench, rows) error) error {
	for _, t := range targets {
		fmt.Fprintln(os.Stderr, t.pkg)
		b, err := c.build(t)
		for _, j := range t.jobs {
			fmt.Fprintf(os.Stderr, "\t%s\n", j.name(t.pkg))
			rows, err := c.rows(t, j), err
			if err == nil {
				err = one(c.bench(b, t, j), rows)
			}
			if err != nil {
				rows.workload.add(c.workloads.Columns[0], 0, err)
			}
		}
		if b != nil {
			b.remove()
		}
		if c.json != "" {
			if err := c.report.write(c.json); err != nil {
				return err
			}
		}
	}
	return nil
}

// add compares the profile of a sampler with an exact one, in a column.
func (r rows) add(column string, s sampler, actual, estimate *accuracy.Profile) {
	if s.edges {
		share, err := accuracy.Paths(actual, accuracy.Predict(estimate, predictedShare))
		r.paths.add(column, share, err)
		return // the edges are those of the other sampler
	}
	share, err := accuracy.Paths(actual, estimate)
	r.paths.add(column, share, err)
	share, err = accuracy.Relative(actual, estimate)
	r.relative.add(column, share, err)
	share, err = accuracy.Absolute(actual, estimate)
	r.absolute.add(column, share, err)
	share, err = invarianceError(actual, estimate)
	r.invariance.add(column, share, err)
}

// fail says why a column has no result.
func (r rows) fail(column string, s sampler, err error) {
	r.paths.add(column, 0, err)
	if !s.edges {
		r.relative.add(column, 0, err)
		r.absolute.add(column, 0, err)
		r.invariance.add(column, 0, err)
	}
}

// An accuracies compares samplers.
type accuracies struct {
	*comparison
	samplers []sampler
	cpu      time.Duration // of a run
}

func newAccuracies(w *workshop, o *options, r *report, samplers []sampler, targets []*target) *accuracies {
	var all, sampled []string
	for _, s := range samplers {
		all = append(all, s.name)
		if !s.edges {
			sampled = append(sampled, s.name)
		}
	}
	return &accuracies{newComparison(w, o, r, "", all, sampled, targets), samplers, o.cpu()}
}

func (a *accuracies) run(targets []*target) error { return a.runAll(targets, a.compare) }

// compare measures one workload: the exact profile once, then trials of all samplers, in turn.
func (a *accuracies) compare(b *bench, r rows) error {
	n, err := b.iterations(a.cpu)
	if err != nil {
		return err
	}
	run, err := b.exact(n)
	if err != nil {
		return err
	}
	a.describe(r.workload, run)
	for range a.trials {
		estimates := make(map[string]*profile.Profile) // by mode
		for _, s := range a.samplers {
			if estimates[s.mode] == nil {
				p, _, err := b.profile(s.mode, n)
				if err != nil {
					r.fail(s.name, s, err)
					continue
				}
				estimates[s.mode] = p
			}
			r.add(s.name, s, run.paths, s.paths(estimates[s.mode]))
		}
	}
	return nil
}

// An exactRun is what estimates are compared with.
type exactRun struct {
	iterations int
	cpu        time.Duration
	paths      *accuracy.Profile
}

// exact counts the paths of n iterations.
func (b *bench) exact(n int) (*exactRun, error) {
	p, cpu, err := b.profile(exact, n)
	if err != nil {
		return nil, err
	}
	if err := p.Check(); err != nil {
		return nil, fmt.Errorf("the exact profile is not exact: %w", err)
	}
	return &exactRun{n, cpu, accuracy.New(p)}, nil
}

// describe adds a run to the table of workloads.
func (c *comparison) describe(r *row, run *exactRun) {
	r.Iterations = run.iterations
	for i, v := range []float64{run.cpu.Seconds(), run.paths.Executions() / 1e6, float64(run.paths.HotPaths())} {
		r.add(c.workloads.Columns[i], v, nil)
	}
}

// profile runs the binary of a mode, with a number of iterations, and returns what it has counted.
func (b *bench) profile(mode string, n int) (*profile.Profile, time.Duration, error) {
	if err := b.failed[mode]; err != nil {
		return nil, 0, err
	}
	ran, err := b.start(nil, b.binaries[mode], strconv.Itoa(n)+"x", b.runDir)
	if err != nil {
		return nil, 0, err
	}
	// Not for the time, but for whether one benchmark was run.
	if _, err := parseTime(ran.stdout); err != nil {
		return nil, 0, err
	}
	p, err := profile.Load(b.runDir)
	return p, ran.cpu, err
}

// iterations returns how many iterations of the plain benchmark take at least some CPU time. What is done once, before them, is not in it. All
// modes run as many, so that all do the same.
func (b *bench) iterations(cpu time.Duration) (int, error) {
	once, err := b.plainTime(1) // testing runs one iteration, before others, in any case
	if err != nil {
		return 0, err
	}
	for n := 10; n < math.MaxInt32; {
		t, err := b.plainTime(n)
		if err != nil {
			return 0, err
		}
		t -= once
		if t >= cpu {
			return n, nil
		}
		// A fifth more than it should take, since short runs tell little of long ones; and not much more than the last, which may
		// have been too short for the clock.
		n = int(float64(n)*min(100, 1.2*cpu.Seconds()/max(0, t.Seconds()))) + 1
	}
	return 0, errors.New("its iterations take no time")
}

// plainTime returns the CPU time of a plain run of n iterations.
func (b *bench) plainTime(n int) (time.Duration, error) {
	if err := b.failed[plain]; err != nil {
		return 0, err
	}
	ran, err := b.start(nil, b.binaries[plain], strconv.Itoa(n)+"x", b.runDir)
	if err != nil {
		return 0, err
	}
	// Not for the time, but for whether one benchmark was run.
	_, err = parseTime(ran.stdout)
	return ran.cpu, err
}
