// Package windows makes estimates of what the windows of a run saw: it puts a run's replicates into the form of package
// calibrate.
package windows

import (
	"math"
	"math/bits"

	"github.com/goprofinstr/goprofinstr/export/profile/internal/calibrate"
	"github.com/goprofinstr/goprofinstr/export/profile/internal/interval"
	"github.com/goprofinstr/goprofinstr/rt/rundata"
	"github.com/goprofinstr/goprofinstr/rt/runfile"
	"github.com/goprofinstr/goprofinstr/sampler"
)

// A Path is what windows say of a path while its site was sampled.
type Path struct {
	rundata.PathAt
	Samples uint64
	Total   float64 // executions that were not counted

	// Selections are what Total might have been, as many as [Design] has weights.
	Selections []float64
}

// levels is how many levels sampled sites have, or had where programs were built by an earlier release.
const levels = max(3, sampler.Highest)

// Design is what Selections are worth: 95 of 100 intervals hold the truth.
var Design = interval.New(calibrate.Weights(runfile.Replicates, levels), runfile.Replicates-1, 0.95)

// Sampling is Design without what factors may be off. It is for the first of the selections.
var Sampling = interval.New(calibrate.Weights(runfile.Replicates, 0), runfile.Replicates-1, 0.95)

// Off returns how far off an estimate may be by what factors may be off, and not by its samples: the standard deviation of its
// logarithm. Off returns 0 if nothing was estimated.
func Off(total float64, selections []float64) float64 {
	variance := 0.0
	for k := len(Sampling.Weights); k < len(selections); k++ {
		if total > 0 && selections[k] > 0 {
			by := math.Log(selections[k] / total)
			variance += Design.Weights[k] * by * by
		}
	}
	return math.Sqrt(variance)
}

// Estimate returns the paths of a run that were sampled, given how often paths were counted. A path is there once for each level
// that its site had. Controls are known besides. Copies tells that windows were in counting copies: their clocks are further off.
func Estimate(replicates []rundata.Replicate, controls []rundata.Control, counted func(rundata.PathAt) uint64, copies bool) ([]Path, error) {
	w, prior := newProblem(replicates, counted), calibrate.Usual
	w.addControls(controls)
	if copies {
		prior = calibrate.Copies
	}
	estimates, err := calibrate.Estimate(w.items, w.cells, runfile.Replicates, prior)
	if err != nil {
		return nil, err
	}
	selections := estimates.Selections(levels)
	list := make([]Path, 0, len(w.items))
	all := make([]float64, 0, len(w.items)*len(selections))
	for i, item := range w.items {
		if item.Level == 0 {
			continue
		}
		p := Path{PathAt: w.paths[i], Samples: w.samples[i], Total: estimates.Total[i]}
		begin := len(all)
		for _, s := range selections {
			all = append(all, s[i])
		}
		p.Selections = all[begin:len(all):len(all)]
		list = append(list, p)
	}
	return list, nil
}

// problem is what a run says of its windows, as package calibrate has it.
type problem struct {
	items   []calibrate.Item
	paths   []rundata.PathAt // by item
	samples []uint64         // by item, of windows of its own level
	cells   []calibrate.Cell
}

// An itemKey is a path while its site had a level.
type itemKey struct {
	path  rundata.PathAt
	level int
}

func newProblem(replicates []rundata.Replicate, counted func(rundata.PathAt) uint64) *problem {
	w := &problem{cells: make([]calibrate.Cell, 0, len(replicates)*runfile.Replicates)}
	items := make(map[itemKey]int)
	sampled := make(map[rundata.PathAt]bool)
	seen := make(map[levelGroup]uint64) // replicates, as bits
	for i := range replicates {
		r := &replicates[i]
		if r.Of > 0 {
			sampled[r.PathAt] = true
		}
		for k, sum := range r.Sum {
			if sum > 0 {
				seen[levelGroup{r.Level, r.Density}] |= 1 << k
			}
		}
	}
	for i := range replicates {
		r := &replicates[i]
		switch {
		case r.Of > r.Level || r.Level > levels:
			continue // no window sees what it does not arm
		case r.Of == 0 && sampled[r.PathAt]:
			continue // it was counted for a part of the time, of which windows see more or less than of the rest
		}
		key := itemKey{r.PathAt, r.Of}
		item, ok := items[key]
		if !ok {
			item = len(w.items)
			items[key] = item
			exact := 0.0
			if r.Of == 0 {
				exact = float64(counted(r.PathAt))
			}
			w.items = append(w.items, calibrate.Item{Level: r.Of, Exact: exact})
			w.paths, w.samples = append(w.paths, r.PathAt), append(w.samples, 0)
		}
		if r.Of == r.Level {
			w.samples[item] += r.Samples
		}
		group := r.Density
		if bits.OnesCount64(seen[levelGroup{r.Level, group}]) < fewReplicates {
			group = others
		}
		w.addCells(r, item, group)
	}
	return w
}

// addControls adds what is known of activations.
func (w *problem) addControls(list []rundata.Control) {
	for i := range list {
		c := &list[i]
		item := len(w.items)
		w.items = append(w.items, calibrate.Item{Exact: float64(c.Exact)})
		w.paths, w.samples = append(w.paths, rundata.PathAt{}), append(w.samples, 0)
		for k := range c.Seen {
			if r := &c.Seen[k]; r.Level >= 1 && r.Level <= levels {
				w.addCells(r, item, r.Density)
			}
		}
	}
}

// Counted returns how often a path was counted, if its site is.
func Counted(at rundata.PathAt) uint64 {
	if at.Hash >= 0 {
		return at.Package.Hashes[at.Hash][at.Number]
	}
	return at.Package.Counters[2*at.Number]
}

// A levelGroup is a group of windows of a level: those that saw about as many path ends in a nanosecond.
type levelGroup struct{ level, density int }

// fewReplicates is of how many replicates windows of a group have to be, for it to have a factor of its own. So the group
// has as many windows, at least. Path ends of a window are alike. What is in proportion in windows would be out of it
// with a factor that a window or two have.
const fewReplicates = 6

// others is the group of windows whose own has too few.
const others = -1

// addCells adds what windows of a group saw of an item.
func (w *problem) addCells(r *rundata.Replicate, item, group int) {
	all := 0.0
	for _, sum := range r.Sum {
		all += float64(sum)
	}
	for k, sum := range r.Sum {
		if sum == 0 {
			continue
		}
		w.cells = append(w.cells, calibrate.Cell{
			Level: r.Level, Group: group, Replicate: k, Item: item,
			Sum:  float64(sum) / runfile.SampleUnit,
			Seen: float64(r.Samples) * float64(sum) / all,
		})
	}
}
