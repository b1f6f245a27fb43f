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
	// leastSpread is over how many replicates an estimate has to be spread to say something of other levels.
	leastSpread = 4
)

// A level has what the windows of a level saw.
type level struct {
	groups     int
	replicates int
	targets    []sight // of items of this level
	known      []int   // items of lower levels
	lower      map[int][]sight
	controls   []int // those of the latter that tell the factor, from the first fit on
}

// A sight is what the windows of a group saw of something.
type sight struct {
	item  int
	group int
	sum   float64
	by    []float64 // sum by replicate
	seen  float64
}

// sort puts cells in levels.
func (p *problem) sort(cells []Cell) {
	top := 0
	for i := range cells {
		top = max(top, cells[i].Level)
	}
	p.levels = make([]*level, top+1)
	for l := range p.levels {
		p.levels[l] = p.level(l, cells)
	}
}

// level makes a level of its cells, which are among all.
func (p *problem) level(number int, cells []Cell) *level {
	l := &level{replicates: p.replicates}
	group := l.chooseGroups(number, cells)
	lower := make(map[int][]sight)
	var items []int
	for _, s := range sights(number, cells, group, p.replicates) {
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
func (l *level) chooseGroups(number int, cells []Cell) map[int]int {
	seen := make(map[int]float64)
	for i := range cells {
		if c := &cells[i]; c.Level == number {
			seen[c.Group] += c.Sum
		}
	}
	order := slices.SortedFunc(maps.Keys(seen), func(a, b int) int {
		return cmp.Or(cmp.Compare(seen[b], seen[a]), cmp.Compare(a, b))
	})
	l.groups = min(len(order), mostGroups)
	numbers := make(map[int]int)
	for i, g := range order {
		numbers[g] = min(i, mostGroups-1)
	}
	return numbers
}

// sights adds up the cells of each item and group, and returns the sums in order.
func sights(number int, cells []Cell, group map[int]int, replicates int) []sight {
	var list []sight
	known := make(map[[2]int]int)
	item, of, i := -1, 0, 0 // of the last cell: mostly the next is one of the same
	for j := range cells {
		c := &cells[j]
		if c.Level != number {
			continue
		}
		if c.Item != item || c.Group != of {
			item, of = c.Item, c.Group
			key := [2]int{c.Item, group[c.Group]}
			var ok bool
			if i, ok = known[key]; !ok {
				i = len(list)
				known[key] = i
				list = append(list, sight{item: c.Item, group: key[1], by: make([]float64, replicates)})
			}
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

// without returns the sum of all replicates but one, for as much CPU time.
func (s *sight) without(replicate int) float64 {
	if replicate == all {
		return s.sum
	}
	n := float64(len(s.by))
	return max(0, s.sum-s.by[replicate]) * n / (n - 1)
}

// apply adds the estimates of the level's items: their totals and, where a higher level asks for these, those of replicates.
// Shift is added to the logarithm of the factor of each group.
func (l *level) apply(f fit, shift func(group int) float64, k *known, without int, replicates bool) {
	factors := make([]float64, l.groups)
	for g := range factors {
		factors[g] = math.Exp(f.log + shift(g))
	}
	for i := range l.targets {
		s := &l.targets[i]
		factor := factors[s.group]
		k.total[s.item] += factor * s.without(without)
		if !replicates {
			continue
		}
		by := k.by[s.item]
		for r, x := range s.by {
			by[r] += factor * x
		}
	}
}

// grain returns how many executions a path end seen stands for in the mean.
func (l *level) grain(f fit) float64 {
	sum, seen := 0.0, 0.0
	for _, s := range l.targets {
		sum, seen = sum+math.Exp(f.log)*s.sum, seen+s.seen
	}
	if seen == 0 {
		return 0
	}
	return sum / seen
}
