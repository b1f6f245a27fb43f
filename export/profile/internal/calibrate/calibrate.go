package calibrate

import (
	"fmt"
	"slices"
)

// An Item is what is estimated: the executions of a path while its site had a level. A path whose site had several
// levels, one after the other, is several items. Items should be in the order of the source: neighbours that are
// seldom seen serve as one control.
type Item struct {
	Level int
	Exact float64 // executions, if Level is 0
}

// A Cell is what windows saw of an item: those of one level, group and replicate.
type Cell struct {
	Level     int // of the windows, at least that of the item
	Group     int // of the windows, any number
	Replicate int // from 0
	Item      int // index

	Sum  float64 // over the windows: path ends × CPU time that the window stands for / CPU time in the window
	Seen float64 // path ends
}

// A Prior says what is known of factors from elsewhere, in logarithms: standard deviations.
type Prior struct {
	Center float64 // of the factor of a level from 1, which is what the clock says
	Width  float64 // of those of the level's groups from each other
	Model  float64 // of the factor that controls tell, if they are seen very often
}

// Usual is what eight programs had, at loads of 2 to 7 on two processors: see docs/design/native-estimates.md.
var Usual = Prior{Center: 0.35, Width: 0.2, Model: 0.05}

// Copies is what is known of windows in counting copies, where records take most of the time: see docs/lab/copies.md.
var Copies = Prior{Center: 0.9, Width: 0.5, Model: 0.05}

// Estimates are the executions of all items.
type Estimates struct {
	Total []float64 // by item

	// Grain is how many executions one path end in windows of a level stands for in the mean, by level; 1 for level
	// 0. A path that was never seen by windows has been executed less than 3 × Grain times, with 95% confidence.
	Grain []float64

	replicates [][]float64   // Total without each replicate
	shifts     [][][]float64 // Total with factors that are off, the mean of whose squared effects adds to the variance
}

// A problem is what Estimate is given, in another form.
type problem struct {
	items      []Item
	levels     []*level // by level, the first one empty
	replicates int
	prior      Prior
	scratch    known // of the last totals
}

// Estimate estimates the executions of items. There are at least two replicates.
func Estimate(items []Item, cells []Cell, replicates int, prior Prior) (*Estimates, error) {
	p := &problem{items: items, replicates: replicates, prior: prior}
	if err := p.check(cells); err != nil {
		return nil, err
	}
	p.sort(cells)
	e := new(Estimates)
	fits := make([]fit, len(p.levels))
	e.Total = p.total(all, fits, 0, nil)
	e.Grain = p.grains(fits)
	for r := range replicates {
		e.replicates = append(e.replicates, p.total(r, nil, 0, nil))
	}
	for l := 1; l < len(p.levels); l++ {
		e.shifts = append(e.shifts, p.shifted(l, fits[l])...)
	}
	return e, nil
}

// check reports cells that make no sense.
func (p *problem) check(cells []Cell) error {
	if p.replicates < 2 {
		return fmt.Errorf("%d replicates", p.replicates)
	}
	for i, it := range p.items {
		if it.Level < 0 || it.Exact < 0 || it.Level > 0 && it.Exact != 0 {
			return fmt.Errorf("item %d: level %d, %v exactly", i, it.Level, it.Exact)
		}
	}
	for i, c := range cells {
		switch {
		case c.Item < 0 || c.Item >= len(p.items):
			return fmt.Errorf("cell %d: item %d of %d", i, c.Item, len(p.items))
		case c.Replicate < 0 || c.Replicate >= p.replicates:
			return fmt.Errorf("cell %d: replicate %d of %d", i, c.Replicate, p.replicates)
		case c.Level < 1 || c.Level < p.items[c.Item].Level:
			return fmt.Errorf("cell %d: windows of level %d do not see level %d", i, c.Level, p.items[c.Item].Level)
		case !(c.Sum >= 0 && c.Seen >= 0):
			return fmt.Errorf("cell %d: %v path ends, %v in all", i, c.Seen, c.Sum)
		}
	}
	return nil
}

// all stands for no replicate that is left out.
const all = -1

// total returns the estimates without a replicate, and what the factors are, by level, if fits is not nil. The
// logarithms of the factors of one level are shifted.
func (p *problem) total(without int, fits []fit, shifted int, shift func(group int) float64) []float64 {
	k := p.known()
	for l := 1; l < len(p.levels); l++ {
		level := p.levels[l]
		if level.controls == nil { // of all replicates, and the same without one of them
			level.controls = level.settled(k)
		}
		f := level.fit(k, without, p.prior)
		if fits != nil {
			fits[l] = f
		}
		by := noShift
		if l == shifted {
			by = shift
		}
		level.apply(f, by, k, without, l+1 < len(p.levels))
	}
	return slices.Clone(k.total)
}

func noShift(int) float64 { return 0 }

// known is what is known of items: those of lower levels than that which is fitted.
type known struct {
	total []float64
	by    [][]float64 // by item and replicate, all replicates; nil for exact ones
}

// known returns what is known of items before any level is fitted. It is valid until the next call: a profile has some dozen of
// totals.
func (p *problem) known() *known {
	k := &p.scratch
	if k.total == nil {
		k.total, k.by = make([]float64, len(p.items)), make([][]float64, len(p.items))
		all := make([]float64, len(p.items)*p.replicates)
		for i, it := range p.items {
			if it.Level > 0 {
				k.by[i] = all[i*p.replicates : (i+1)*p.replicates : (i+1)*p.replicates]
			}
		}
	}
	for i, it := range p.items {
		k.total[i] = it.Exact
		clear(k.by[i])
	}
	return k
}

// shifted returns totals with factors of a level that are off by as much as they may be: all together, and each group by
// itself. Groups by themselves go up and down in four ways (rows of a Hadamard matrix). So effects of groups add up in
// squares in the mean.
func (p *problem) shifted(l int, f fit) [][][]float64 {
	together := [][]float64{p.total(all, nil, l, func(int) float64 { return f.off })}
	var alone [][]float64
	for row := range 4 {
		alone = append(alone, p.total(all, nil, l, func(group int) float64 {
			if odd(row & (group + 1)) {
				return -p.prior.Width
			}
			return p.prior.Width
		}))
	}
	return [][][]float64{together, alone}
}

// odd reports whether the number of ones in two bits is odd.
func odd(n int) bool { return (n^n>>1)&1 != 0 }

// grains returns what Grain is.
func (p *problem) grains(fits []fit) []float64 {
	grains := []float64{1}
	for l := 1; l < len(p.levels); l++ {
		grains = append(grains, p.levels[l].grain(fits[l]))
	}
	return grains
}
