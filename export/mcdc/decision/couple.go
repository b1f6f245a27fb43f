package decision

// A Literal is a value of a condition.
type Literal struct {
	Condition int
	Is        Value
}

// A Coupling tells that two conditions cannot be changed without regard to each other (CAST-10; NASA/TM-2001-210876,
// section 2.2.2). Strong is of conditions of which each has its value by that of the other.
type Coupling struct {
	A, B   int
	Strong bool

	// Excludes are pairs of values that the two cannot have in one evaluation; nil if none is known.
	Excludes [][2]Literal
}

// couplings are those of one decision that nothing which was seen contradicts.
type couplings struct {
	coupled map[[2]int]bool // strongly
	exclude map[Literal][]Literal
}

// newCouplings drops couplings that vectors contradict: their expressions mean something else than they seem to.
func newCouplings(list []Coupling, seen []Vector) *couplings {
	c := &couplings{make(map[[2]int]bool), make(map[Literal][]Literal)}
	for _, one := range list {
		if one.contradicted(seen) {
			continue
		}
		c.coupled[[2]int{one.A, one.B}], c.coupled[[2]int{one.B, one.A}] = one.Strong, one.Strong
		for _, pair := range one.Excludes {
			c.exclude[pair[0]] = append(c.exclude[pair[0]], pair[1])
			c.exclude[pair[1]] = append(c.exclude[pair[1]], pair[0])
		}
	}
	return c
}

func (c *Coupling) contradicted(seen []Vector) bool {
	for _, v := range seen {
		for _, pair := range c.Excludes {
			if v[pair[0].Condition] == pair[0].Is && v[pair[1].Condition] == pair[1].Is {
				return true
			}
		}
	}
	return false
}

// allows reports whether a condition can be so, given the others in v.
func (c *couplings) allows(v Vector, condition int, is Value) bool {
	for _, other := range c.exclude[Literal{condition, is}] {
		if v[other.Condition] == other.Is {
			return false
		}
	}
	return true
}
