package timing

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// Options are the thresholds of figure 2. Frequencies are normalized: shares in the executions of all blocks.
type Options struct {
	EntryShare  float64 // loops are timed if the entry block has no more
	Target      float64 // for all points together; if no loop has as much, there is one point, in the most frequent loop
	MinDistance uint64  // cost between two passes of points, on whatever way

	// Mean has MinDistance be the mean cost between two passes, by frequencies that were measured, where the shortest way is
	// less. Laps are long enough whatever is chosen, so what a pass costs is only its decrement, and that is a share of the
	// mean.
	Mean bool

	// EveryPass has points only where each pass through their loop comes by, so that passes are iterations. It is for
	// versions with sources of their own.
	EveryPass bool
}

// Thresholds for frequencies that are measured, and for estimates.
var (
	// A call of 1000 blocks takes a microsecond or two; calls that are shorter than that give more timings than are needed.
	// Points that have one in 10,000 blocks bring 100,000 passes in a second of the function's time.
	Measured = Options{EntryShare: 1e-2, Target: 1e-4, MinDistance: MinDistance, Mean: true}

	// Estimates have eight iterations for every loop, whatever it does, and so tell nothing but that there is one. Points where
	// calls are frequent switch themselves off (audit.Lap).
	Estimated = Options{EntryShare: 0.1, Target: 1e-4, MinDistance: MinDistance}
)

// MinDistance is a hundred times the decrement and branch of a pass.
const MinDistance = 64

// Choice is what was decided for a function.
type Choice struct {
	EntryShare float64 // of the entry block in the executions of all blocks
	Needed     bool    // calls alone would give too few timings
	Points     []Point // in the order in which they were chosen
	Loops      []Loop  // in depth-first order
}

// Point is a timing point.
type Point struct {
	Block  int
	Header int     // of the loop for which it was chosen
	Freq   float64 // normalized
}

// Loop is a loop with what became of it.
type Loop struct {
	Header  int
	Blocks  int
	Freq    float64 // of the header, normalized
	Refused Reason  // why there is no point for it; "" if there is one, or if nothing asked for one
	Nearest uint64  // Tight: the shortest way between two passes that was found, the longest of all its blocks'
}

// Reason says why there is no point in a loop.
type Reason string

// The reasons.
const (
	Rare    Reason = "rare"     // it is not frequent enough to be worth it
	NoPlace Reason = "no place" // no code can go into it that is executed more often than the function is called
	Tight   Reason = "tight"    // each of its blocks can be executed again, or a point, before MinDistance
	Other   Reason = "other"    // another version does not have such a loop, or there can be no point in it
)

// String explains a refusal to the user.
func (l *Loop) String() string {
	switch l.Refused {
	case Tight:
		return fmt.Sprintf("tight: one way round costs %d, no more than %d", l.Nearest, MinDistance)
	case Rare:
		return "rare: a small part of the function's time"
	case NoPlace:
		return "no statement in it is executed more often than the function is called"
	case Other:
		return "a variant has no such loop, or no time can be taken in it"
	}
	return ""
}

// Choose is selectLoops of figure 2.
func Choose(g *Graph, o Options) *Choice {
	return choose(g, o, func(int, Point) bool { return true })
}

// choose is Choose with points of which accept says that other versions can have them, too. It gets the index of the loop.
func choose(g *Graph, o Options, accept func(loop int, p Point) bool) *Choice {
	s := newSelection(g, o)
	c := &Choice{EntryShare: s.freq[g.Entry]}
	found := s.distances.found
	for _, l := range found {
		c.Loops = append(c.Loops, Loop{Header: l.header, Blocks: len(l.blocks), Freq: s.freq[l.header]})
	}
	c.Needed = len(found) > 0 && c.EntryShare <= o.EntryShare
	if !c.Needed {
		return c
	}
	order := make([]int, len(found))
	for i := range order {
		order[i] = i
	}
	for target := o.Target; target > 0; {
		frequent := slices.DeleteFunc(slices.Clone(order), func(i int) bool { return c.Loops[i].Freq <= target })
		freq := s.addPoint(c, frequent, target, accept)
		if freq == 0 {
			break
		}
		target -= freq
	}
	if len(c.Points) == 0 {
		slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(c.Loops[j].Freq, c.Loops[i].Freq) })
		s.addPoint(c, order, o.Target, accept)
		return c
	}
	for i, l := range found {
		hasPoint := slices.ContainsFunc(l.blocks, func(b int) bool { return s.points[b] })
		if c.Loops[i].Freq <= o.Target && c.Loops[i].Refused == "" && !hasPoint {
			c.Loops[i].Refused = Rare
		}
	}
	return c
}

// normalized returns the shares of blocks in the executions of all: 5, normalizedFrequency.
func normalized(g *Graph) []float64 {
	sum := 0.0
	for _, b := range g.Blocks {
		sum += b.Freq
	}
	freq := make([]float64, len(g.Blocks))
	for i, b := range g.Blocks {
		if sum > 0 {
			freq[i] = b.Freq / sum
		}
	}
	return freq
}

// A selection is the state of figure 2.
type selection struct {
	graph     *Graph
	options   Options
	distances *distances
	freq      []float64 // normalized
	points    map[int]bool
}

func newSelection(g *Graph, o Options) *selection {
	return &selection{graph: g, options: o, distances: newDistances(g), freq: normalized(g), points: make(map[int]bool)}
}

// addPoint is findLoop: it adds a point to the first of some loops that can have one. It returns the frequency of the point's
// block, 0 if there is none. addPoint notes why the other loops have none.
func (s *selection) addPoint(c *Choice, loops []int, target float64, accept func(loop int, p Point) bool) (freq float64) {
	found := s.distances.found
	for _, i := range loops {
		point := func(block int) Point { return Point{Block: block, Header: found[i].header, Freq: s.freq[block]} }
		block, why, nearest := s.selectBlock(found[i], target, func(block int) bool { return accept(i, point(block)) })
		if why == "" {
			s.add(c, point(block))
			return s.freq[block]
		}
		if !slices.ContainsFunc(found[i].blocks, func(b int) bool { return s.points[b] }) {
			c.Loops[i].Refused, c.Loops[i].Nearest = why, nearest
		}
	}
	return 0
}

// add adds a point, by which no loop around it is refused any more.
func (s *selection) add(c *Choice, p Point) {
	s.points[p.Block] = true
	c.Points = append(c.Points, p)
	for i, l := range s.distances.found {
		if l.contains(p.Block) {
			c.Loops[i].Refused = ""
		}
	}
}

// selectBlock returns the block of a loop that a point goes into, which accept has accepted, or why there is none.
func (s *selection) selectBlock(l loop, target float64, accept func(block int) bool) (block int, why Reason, nearest uint64) {
	blocks := slices.DeleteFunc(slices.Clone(l.blocks), func(b int) bool {
		return !s.graph.Blocks[b].Point || s.points[b] || s.freq[b] <= s.freq[s.graph.Entry] ||
			s.options.EveryPass && s.distances.avoidable(l, b)
	})
	if len(blocks) == 0 {
		return -1, NoPlace, None
	}
	slices.SortStableFunc(blocks, func(a, b int) int {
		return cmp.Compare(math.Abs(s.freq[a]-target), math.Abs(s.freq[b]-target))
	})
	why = Tight
	for _, b := range blocks {
		d := s.nearest(b)
		switch {
		case d != None: // that is, no more than MinDistance
			nearest = max(nearest, d)
		case accept(b):
			return b, "", None
		default:
			why = Other
		}
	}
	return -1, why, nearest
}

// nearest is distances.nearest, with Mean.
func (s *selection) nearest(block int) uint64 {
	d := s.distances.nearest(block, s.points, s.options.MinDistance)
	if d != None && s.options.Mean && s.mean(block) > float64(s.options.MinDistance) {
		return None
	}
	return d
}

// mean is the mean cost between two passes of a block or of points in the innermost loop that the block is in. The cost is that
// of the blocks and edges of the loop, not of what control does outside of it.
func (s *selection) mean(block int) float64 {
	var inner loop
	for _, l := range s.distances.found {
		if l.contains(block) {
			inner = l // loops in it come behind
		}
	}
	cost, passes := 0.0, 0.0
	for _, b := range inner.blocks {
		at := s.graph.Blocks[b]
		cost += at.Freq * float64(at.Before+at.After)
		if b == block || s.points[b] {
			passes += at.Freq
		}
	}
	for _, e := range s.graph.Edges {
		if inner.contains(e.From) && inner.contains(e.To) {
			cost += e.Freq * float64(e.Cost)
		}
	}
	return cost / passes
}
