package calibrate

import (
	"cmp"
	"maps"
	"math"
	"slices"
)

const (
	// mostGroups is how many groups of a level have a factor of their own. Those that saw least share one.
	mostGroups = 64
	// leastSeen is how many path ends of a control windows have to see. A control that they see ten times is seen 10%
	// too often or too seldom by chance alone, and the factor would be too small by that: the error is in what the
	// regression takes for known.
	leastSeen = 100

	// An item that is seen fewSeen times or more has to be spread over leastSpread replicates, or it is of a phase
	// that few windows were in by chance, such as that in which the program starts, and tells nothing of others. What
	// is seen less often must not be executed so often that it should have been seen more.
	fewSeen     = 20
	leastSpread = 4
)

// A level has what the windows of a level saw.
type level struct {
	groups     int
	replicates int
	targets    []sight // of items of this level
	known      []int   // items of lower levels
	lower      map[int][]sight
	controls   []control // of these, from the first fit on
}

// A sight is what the windows of a group saw of something.
type sight struct {
	item  int
	group int
	sum   float64
	by    []float64 // sum by replicate
	seen  float64
}

// A control is one item of a lower level, or several, and what groups saw of them.
type control struct {
	items  []int
	sights []sight // by group
	seen   float64
}

// sort puts cells in levels.
func (p *problem) sort(cells []Cell) {
	by := make(map[int][]Cell)
	top := 0
	for _, c := range cells {
		by[c.Level] = append(by[c.Level], c)
		top = max(top, c.Level)
	}
	p.levels = make([]*level, top+1)
	for l := range p.levels {
		p.levels[l] = p.level(l, by[l])
	}
}

// level makes a level of its cells.
func (p *problem) level(number int, cells []Cell) *level {
	l := &level{replicates: p.replicates}
	group := l.chooseGroups(cells)
	lower := make(map[int][]sight)
	var items []int
	for _, s := range sights(cells, group, p.replicates) {
		if p.items[s.item].Level == number {
			l.targets = append(l.targets, s)
		} else {
			lower[s.item] = append(lower[s.item], s)
		}
	}
	for i, it := range p.items {
		if it.Level < number {
			items = append(items, i)
		}
	}
	l.lower, l.known = lower, items
	return l
}

// chooseGroups numbers the groups that have a factor of their own, those that saw most first, and returns the numbers
// of all.
func (l *level) chooseGroups(cells []Cell) map[int]int {
	seen := make(map[int]float64)
	for _, c := range cells {
		seen[c.Group] += c.Sum
	}
	order := slices.SortedFunc(maps.Keys(seen), func(a, b int) int {
		return cmp.Or(cmp.Compare(seen[b], seen[a]), cmp.Compare(a, b))
	})
	l.groups = min(len(order), mostGroups)
	number := make(map[int]int)
	for i, g := range order {
		number[g] = min(i, mostGroups-1)
	}
	return number
}

// sights adds up the cells of each item and group, and returns the sums in order.
func sights(cells []Cell, group map[int]int, replicates int) []sight {
	var list []sight
	known := make(map[[2]int]int)
	for _, c := range cells {
		key := [2]int{c.Item, group[c.Group]}
		i, ok := known[key]
		if !ok {
			i = len(list)
			known[key] = i
			list = append(list, sight{item: c.Item, group: key[1], by: make([]float64, replicates)})
		}
		list[i].add(c.Sum, c.Seen)
		list[i].by[c.Replicate] += c.Sum
	}
	slices.SortFunc(list, func(a, b sight) int {
		return cmp.Or(cmp.Compare(a.item, b.item), cmp.Compare(a.group, b.group))
	})
	return list
}

func (s *sight) add(sum, seen float64) { s.sum, s.seen = s.sum+sum, s.seen+seen }

// pool makes controls of items of lower levels, in order: one of as many as it takes for leastSeen. What is left over
// goes to the last one.
func (l *level) pool(items []int, sights map[int][]sight, total []float64) {
	var pool control
	for _, i := range steady(items, sights, total) {
		pool.merge([]int{i}, sights[i])
		if pool.seen >= leastSeen {
			l.controls = append(l.controls, pool)
			pool = control{}
		}
	}
	if n := len(l.controls); n > 0 {
		l.controls[n-1].merge(pool.items, pool.sights)
	} else if pool.seen > 0 {
		l.controls = append(l.controls, pool)
	}
}

// steady returns the items that windows saw as often as they should.
func steady(items []int, sights map[int][]sight, total []float64) []int {
	var ratios []float64
	seen, spread := make(map[int]float64), make(map[int]float64)
	for _, i := range items {
		var by []float64
		for _, s := range sights[i] {
			seen[i] += s.seen
			if by == nil {
				by = make([]float64, len(s.by))
			}
			add(by, s.by)
		}
		spread[i] = effective(by)
		if seen[i] >= fewSeen && spread[i] >= leastSpread {
			ratios = append(ratios, total[i]/seen[i])
		}
	}
	ratio := math.Inf(1)
	if len(ratios) > 0 {
		slices.Sort(ratios)
		ratio = ratios[len(ratios)/2]
	}
	return slices.DeleteFunc(slices.Clone(items), func(i int) bool {
		return seen[i] >= fewSeen && spread[i] < leastSpread || seen[i] < fewSeen && total[i] > 2*fewSeen*ratio
	})
}

// effective returns over how many replicates something is spread: 1 if it is all in one, and their number if it is
// even.
func effective(by []float64) float64 {
	sum, squares := 0.0, 0.0
	for _, x := range by {
		sum, squares = sum+x, squares+x*x
	}
	if sum == 0 {
		return 0
	}
	return sum * sum / squares
}

// merge adds items and what groups saw of them.
func (c *control) merge(items []int, sights []sight) {
	c.items = append(c.items, items...)
	for _, s := range sights {
		i, ok := slices.BinarySearchFunc(c.sights, s.group, func(t sight, g int) int { return cmp.Compare(t.group, g) })
		if !ok {
			c.sights = slices.Insert(c.sights, i, sight{group: s.group, by: make([]float64, len(s.by))})
		}
		c.sights[i].add(s.sum, s.seen)
		add(c.sights[i].by, s.by)
		c.seen += s.seen
	}
}

// without returns the sum of all replicates but one, for as much CPU time.
func (s *sight) without(replicate int) float64 {
	if replicate == all {
		return s.sum
	}
	n := float64(len(s.by))
	return max(0, s.sum-s.by[replicate]) * n / (n - 1)
}

// apply adds the estimates of the level's items.
func (l *level) apply(f *fit, k *known, without int) {
	for i := range l.targets {
		s := &l.targets[i]
		factor := math.Exp(f.log[s.group])
		k.total[s.item] += factor * s.without(without)
		for r, x := range s.by {
			k.by[s.item][r] += factor * x
		}
	}
}

// grain returns how many executions a path end seen stands for in the mean.
func (l *level) grain(f *fit) float64 {
	sum, seen := 0.0, 0.0
	for _, s := range l.targets {
		sum, seen = sum+math.Exp(f.log[s.group])*s.sum, seen+s.seen
	}
	if seen == 0 {
		return 0
	}
	return sum / seen
}
