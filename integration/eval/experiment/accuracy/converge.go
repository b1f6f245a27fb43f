package accuracy

import (
	"fmt"
	"math"
	"time"

	"github.com/goprofinstr/goprofinstr/integration/eval/lab"
	"github.com/goprofinstr/goprofinstr/integration/eval/result"
)

// A convergence shows how a sampler's accuracy depends on how long a program runs.
type convergence struct {
	*comparison
	sampler sampler
	seconds []float64 // of CPU time of the runs, increasing
}

func newConvergence(w *lab.Workshop, trials int, seconds []float64, r *result.Report, s sampler,
	targets []*lab.Target) *convergence {
	c := &convergence{sampler: s, seconds: seconds}
	edges := c.columns()
	if s.edges {
		edges = nil
	}
	c.comparison = newComparison(w, trials, r, " of "+s.name+" by CPU time", c.columns(), edges, targets)
	c.paths.Lines, c.relative.Lines = true, true
	return c
}

func (c *convergence) columns() []string {
	var names []string
	for _, s := range c.seconds {
		names = append(names, fmt.Sprintf("%vs", s))
	}
	return names
}

func (c *convergence) run(targets []*lab.Target) error { return c.runAll(targets, c.compare) }

// compare measures one workload: for each time an exact profile of as many iterations, and trials of the sampler.
func (c *convergence) compare(b *lab.Bench, r rows) error {
	longest := c.seconds[len(c.seconds)-1]
	all, err := b.Iterations(time.Duration(longest * float64(time.Second)))
	if err != nil {
		return err
	}
	for i, column := range c.columns() {
		n := int(math.Ceil(float64(all) * c.seconds[i] / longest))
		run, err := exactly(b, n)
		if err != nil {
			return err
		}
		if n == all {
			c.describe(r.workload, run)
		}
		for range c.trials {
			p, _, err := b.Profile(c.sampler.mode, n)
			if err != nil {
				r.fail(column, c.sampler, err)
				break
			}
			r.add(column, c.sampler, run.paths, c.sampler.paths(p))
		}
	}
	return nil
}
