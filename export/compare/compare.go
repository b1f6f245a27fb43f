package compare

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/goprofinstr/goprofinstr/export/internal/code"
	"github.com/goprofinstr/goprofinstr/export/profile"
)

// Of what counts as a change: see the package's documentation.
const (
	MinChange = 0.01 // one point
	MinZ      = 3.29 // one in a thousand by chance
)

// Comparison is what is different in two profiles.
type Comparison struct {
	*Matching
	Appeared []*Difference // those that matter most first
	Vanished []*Difference
	Changed  []*Difference
	Chance   int       // differences between samples that may be chance
	Packages []Overlap // in the order of the second profile
	Total    Overlap
	Outcomes *Outcomes

	old, new *code.Texts
}

// A Difference is a path that is not executed as it was.
type Difference struct {
	Old, New           *profile.Function // one of them is nil if only the other profile has it
	OldPath, NewPath   *profile.Path     // nil if it was not executed
	OldShare, NewShare float64           // of the executions of paths of the function
	weight             float64           // the share of the function in the flow of the profile
}

// Function returns the function in the profile that has the path.
func (d *Difference) Function() (*profile.Function, *profile.Path) {
	if d.NewPath != nil {
		return d.New, d.NewPath
	}
	return d.Old, d.OldPath
}

// Steps returns what happens on the path of a difference, in the words of the source that it ran.
func (c *Comparison) Steps(d *Difference) []string {
	f, p := d.Function()
	if d.NewPath != nil {
		return c.new.Of(f).Path(p)
	}
	return c.old.Of(f).Path(p)
}

// Sources says of the functions whose paths are told by Steps which have sources that are not what ran, each once. Paths of
// these are told by lines, as far as the source is another.
func (c *Comparison) Sources(top int) (says []string) {
	said := make(map[string]bool)
	for _, list := range [][]*Difference{c.Appeared, c.Vanished, c.Changed} {
		for _, d := range list[:min(len(list), top)] {
			texts, which := c.new, "second"
			if d.NewPath == nil {
				texts, which = c.old, "first"
			}
			f, _ := d.Function()
			if text := fmt.Sprintf("of the %s profile: %s", which, texts.Of(f).Changed()); texts.Other(f) && !said[text] {
				said[text] = true
				says = append(says, text)
			}
		}
	}
	return says
}

// Shares returns the shares of the path in the first profile and in the second one, with the digits that are known. It
// returns "-" where the path was not executed.
func (d *Difference) Shares() (before, now string) {
	return shareText(d.Old, d.OldPath, d.OldShare), shareText(d.New, d.NewPath, d.NewShare)
}

// Overlap is how much of the second profile the first one had: Ball & Larus compare the inputs of programs so.
type Overlap struct {
	Package string
	Paths   int   // of the second profile
	Had     int   // of these, those of the first one
	Flow    int64 // of the second profile
	HadFlow int64
}

func (o *Overlap) add(other Overlap) {
	o.Paths += other.Paths
	o.Had += other.Had
	o.Flow += other.Flow
	o.HadFlow += other.HadFlow
}

// New compares two profiles. The error says that one of them has samples, and the other does not.
func New(before, after *profile.Profile) (*Comparison, error) {
	if before.Rule() != after.Rule() {
		return nil, fmt.Errorf("one has exact counts and the other samples: compare profiles of one -mode")
	}
	c := &Comparison{Matching: Match(before, after), old: code.New(before), new: code.New(after)}
	c.Outcomes = newOutcomes(c.Matching)
	burst := max(burstOf(before), burstOf(after))
	flows := [2]int64{before.Coverage().Flow, after.Coverage().Flow}
	overlaps := make(map[string]*Overlap)
	for _, pkg := range after.Packages {
		overlaps[pkg.Path] = &Overlap{Package: pkg.Path}
	}
	for _, p := range c.all() {
		for _, d := range p.differences(flows) {
			c.sort(d, p, burst)
			if d.NewPath != nil {
				overlaps[d.New.Package].add(overlap(d))
			}
		}
	}
	for _, pkg := range after.Packages {
		c.Packages = append(c.Packages, *overlaps[pkg.Path])
		c.Total.add(*overlaps[pkg.Path])
	}
	for _, list := range [][]*Difference{c.Appeared, c.Vanished, c.Changed} {
		slices.SortStableFunc(list, func(a, b *Difference) int { return cmp.Compare(b.impact(), a.impact()) })
	}
	return c, nil
}

// all returns the pairs, and functions without a counterpart as pairs with nothing.
func (m *Matching) all() []*Pair {
	all := slices.Clone(m.Pairs)
	for _, f := range m.OnlyOld {
		all = append(all, &Pair{Old: f})
	}
	for _, f := range m.OnlyNew {
		all = append(all, &Pair{New: f})
	}
	return all
}

// burstOf returns how many samples of a profile may be alike.
func burstOf(p *profile.Profile) float64 {
	most := 1.0
	for _, r := range p.Runs {
		if r.Sampling != nil {
			most = max(most, float64(r.Sampling.Policy.Samples))
		}
	}
	return most
}

// differences returns all paths of both functions.
func (p *Pair) differences(flows [2]int64) []*Difference {
	var list []*Difference
	found := make(map[string]*Difference) // by edges in the second profile
	before, after := executions(p.Old), executions(p.New)
	weight := max(share(flow(p.Old), flows[0]), share(flow(p.New), flows[1]))
	if p.New != nil {
		for i := range p.New.Paths {
			path := &p.New.Paths[i]
			d := &Difference{Old: p.Old, New: p.New, NewPath: path, NewShare: share(path.Count, after), weight: weight}
			found[fmt.Sprint(path.Edges)] = d
			list = append(list, d)
		}
	}
	if p.Old == nil {
		return list
	}
	for i := range p.Old.Paths {
		path := &p.Old.Paths[i]
		if p.New != nil {
			if edges, ok := p.Edges(path.Edges); ok {
				if d := found[fmt.Sprint(edges)]; d != nil {
					d.OldPath, d.OldShare = path, share(path.Count, before)
					continue
				}
			}
		}
		list = append(list, &Difference{Old: p.Old, New: p.New, OldPath: path, OldShare: share(path.Count, before), weight: weight})
	}
	return list
}

func executions(f *profile.Function) (n int64) {
	if f != nil {
		for _, p := range f.Paths {
			n += p.Count
		}
	}
	return n
}

func flow(f *profile.Function) (n int64) {
	if f != nil {
		for i := range f.Paths {
			n += f.Paths[i].Flow()
		}
	}
	return n
}

func share(n, of int64) float64 {
	if of == 0 {
		return 0
	}
	return float64(n) / float64(of)
}

// sort puts d where it belongs, if anywhere.
func (c *Comparison) sort(d *Difference, p *Pair, burst float64) {
	list := &c.Changed
	switch {
	case d.OldPath == nil:
		list = &c.Appeared
	case d.NewPath == nil:
		list = &c.Vanished
	case math.Abs(d.NewShare-d.OldShare) < MinChange:
		return
	}
	if p.Old != nil && p.New != nil && d.estimated(p) && math.Abs(z(d, samples(p.Old)/burst, samples(p.New)/burst)) < MinZ {
		c.Chance++
		return
	}
	*list = append(*list, d)
}

// estimated reports whether it may be chance that the counts of d differ.
func (d *Difference) estimated(p *Pair) bool {
	return min(p.Old.CertaintyOf(d.OldPath), p.New.CertaintyOf(d.NewPath)) < profile.HowOften
}

func samples(f *profile.Function) (n float64) {
	for _, p := range f.Paths {
		n += float64(p.Samples)
	}
	return n
}

// z returns by how many standard deviations the shares of d differ, of n1 and n2 observations.
func z(d *Difference, n1, n2 float64) float64 {
	if n1 == 0 || n2 == 0 {
		return 0
	}
	p := (d.OldShare*n1 + d.NewShare*n2) / (n1 + n2)
	if p <= 0 || p >= 1 {
		return 0
	}
	return (d.NewShare - d.OldShare) / math.Sqrt(p*(1-p)*(1/n1+1/n2))
}

// impact is what differences are ordered by: how much the share is another, and of how much.
func (d *Difference) impact() float64 { return math.Abs(d.NewShare-d.OldShare) * d.weight }

func overlap(d *Difference) Overlap {
	o := Overlap{Paths: 1, Flow: d.NewPath.Flow()}
	if d.OldPath != nil {
		o.Had, o.HadFlow = 1, o.Flow
	}
	return o
}
