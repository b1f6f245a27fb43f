package mode

import (
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/usage"
	"github.com/goprofinstr/goprofinstr/rewrite/method"
	"github.com/goprofinstr/goprofinstr/rewrite/target"
)

// Fit has the choice be one for which the runtime of a release has hooks. It returns what is lost by that. A mode that the
// user has asked for is not replaced by another: that it cannot be had is an error.
func (c *Choice) Fit(hooks *target.Hooks, goversion string) (lost []string, err error) {
	if c.Mode == Sampled && !hooks.CanSample() {
		if c.chosen {
			return nil, usage.Errorf("%s: its runtime is not as -mode sampled expects; use -mode exact; "+
				"goprofinstr doctor says which hooks have no place", goversion)
		}
		c.Mode, c.Counting.Sampling = Exact, method.Sampling{}
		lost = append(lost, "paths are counted, as with -mode exact, and not sampled")
	}
	for _, f := range []struct {
		feature target.Feature
		wanted  bool
	}{
		{target.Abandoned, !c.Counting.Sampling.On() && (!c.Counting.Stream.On() || c.Counting.Stream.Counted > 0)},
		{target.Shards, c.Counting.Atomic && !c.PerTest},
	} {
		if f.wanted && !hooks.Has(f.feature) {
			lost = append(lost, f.feature.Without())
		}
	}
	return lost, nil
}
