package sampler

// Levels of sampled sites. The sites of level 1 have few path ends together. So to see them all costs a window little, and
// the window can be long. Its clock is therefore nearly right. What it sees tells how far off windows of level 2 are,
// which see everything.

// Highest is the highest level.
const Highest = 2

// upTo is how many path ends in 10 ms the sites of a level have, all together. Those of level 0 have a bound of the
// caller's.
var upTo = [Highest + 1]uint64{1: 100_000, 2: 1<<64 - 1}

const (
	unit = 10_000_000 // ns

	// memory is how many windows of its level a site remembers. What was before them counts for less and less.
	memory = 64
)

// WindowLength returns how long windows of a level are, in ns. They are as long as the budget lets them be, and as long
// as what they see fits into a log. What a window begins and ends with takes some 20 µs, more or less with the machine's
// load: beside 1 ms that is little. A window that ended when it has seen enough would see too much of what is frequent.
//
//go:norace
func WindowLength(level uint8) uint64 {
	if level < Highest {
		return 1_000_000
	}
	return 100_000
}

// Saw tells what a window of some level, length ns long, has seen of a site: its Ends.
//
//go:norace
func (s *Site) Saw(level uint8, length uint64) {
	if s.Level != level {
		return
	}
	s.Seen += s.Ends
	s.Time += uint32(length>>10) + 1
	if uint64(s.Time) > memory*WindowLength(level)>>10 {
		s.Seen, s.Time = s.Seen/2, s.Time/2
	}
}

// rate returns how many paths end at the site in 10 ms: about as many, or less if windows have seen few. So what no
// window has seen becomes rarer and rarer.
//
//go:norace
func (s *Site) rate() uint64 {
	return (uint64(s.Seen) + 1) * (unit >> 10) / max(uint64(s.Time), 1)
}

// sink has the site go to the next level.
//
//go:norace
func (s *Site) sink() {
	s.Falls = min(s.Falls+1, mostFalls)
	s.move(s.Level + 1)
}

// move has the site go to another level. Windows there are others, so what was seen before is soon forgotten.
//
//go:norace
func (s *Site) move(level uint8) {
	s.Level = level
	if most := uint32(WindowLength(level) >> 10); s.Time > most {
		s.Seen, s.Time = uint32(uint64(s.Seen)*uint64(most)/uint64(s.Time)), most
	}
}

// Plan has sampled sites go to the level that is theirs. Hot are these sites; room is for how many more path ends in 10
// ms there is at level 0. Sites that go up to a lower level may take half of the room there is. A site has to be the
// rarer the more often it has fallen: so sites do not go back and forth.
//
//go:norace
func Plan(list []Site, hot []uint32, room uint64) {
	var down, up [Highest]census // by the level that there is room for
	for _, site := range hot {
		s := &list[site]
		rate, toRise := s.rate(), s.toRise()
		for level := range uint8(Highest) {
			down[level].add(rate)
			if s.Level > level {
				up[level].add(toRise)
			}
		}
	}
	for level := range Highest {
		most := room
		if level > 0 {
			most = upTo[level]
		}
		down[level].divide(most)
		up[level].divide(most / 2)
	}
	for _, site := range hot {
		s := &list[site]
		for level := range s.Level {
			if up[level].below(site, s.toRise()) {
				s.move(level)
				break
			}
		}
		for s.Level > 0 && s.Level < Highest && !down[s.Level].below(site, s.rate()) {
			s.sink()
		}
	}
}

// toRise is the rate that counts for a site to go to a lower level.
//
//go:norace
func (s *Site) toRise() uint64 { return s.rate()<<(max(s.Falls, s.Level)-s.Level) + 1 }

// A census divides sites into rarer ones, of which there is room for all, and others. It knows them by bits: sites are
// alike if their numbers of path ends have as many. Of the last that are alike there may be room for some.
type census struct {
	alike [65]uint64 // path ends, by bits
	limit int        // bits of the last that there is room for
	room  uint64     // for these
	left  uint64     // of it
}

// add adds a site.
//
//go:norace
func (c *census) add(ends uint64) { c.alike[bitsOf(ends)] += ends }

// divide makes room for so many path ends, and returns how many there were.
//
//go:norace
func (c *census) divide(room uint64) (all uint64) {
	for _, n := range c.alike {
		all += n
	}
	for c.limit < len(c.alike)-1 && c.alike[c.limit] <= room {
		room -= c.alike[c.limit]
		c.limit++
	}
	c.room, c.left = room, room
	return all
}

// below reports whether there is room for a site, which was added.
//
//go:norace
func (c *census) below(site uint32, ends uint64) bool {
	bits := bitsOf(ends)
	if bits != c.limit {
		return bits < c.limit
	}
	if ends > c.left || spread(uint64(site), stayFactor, c.alike[bits]) >= c.room {
		return false
	}
	c.left -= ends
	return true
}

// bitsOf returns how many bits a number has.
//
//go:norace
func bitsOf(n uint64) (bits int) {
	for step := 32; step > 0; step /= 2 {
		if n>>step != 0 {
			n >>= step
			bits += step
		}
	}
	return bits + int(n)
}
