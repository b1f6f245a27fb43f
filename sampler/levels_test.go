package sampler

import (
	"math/rand/v2"
	"testing"
)

// A program has sites at which so many paths end in 10 ms.
type program []uint32

// see has a window of some level, and then a new plan.
func (p program) see(list []Site, hot []uint32, level uint8, room uint64) {
	length := WindowLength(level)
	for _, i := range hot {
		s := &list[i]
		s.Ends = 0
		if s.Level <= level {
			s.Ends = uint32(uint64(p[i]) * length / unit)
		}
		s.Saw(level, length)
	}
	Plan(list, hot, room)
}

// sampled returns the sites that are.
func sampled(list []Site) (hot []uint32) {
	for i := range list {
		if list[i].Level > 0 {
			hot = append(hot, uint32(i))
		}
	}
	return hot
}

// run returns the sites of a program after some windows. All of them begin with level 1.
func (p program) run(windows int, room uint64) []Site {
	list := make([]Site, len(p))
	for i := range list {
		list[i] = Site{Level: 1, Falls: 1}
	}
	for w := range windows {
		p.see(list, sampled(list), uint8(w%Highest+1), room)
	}
	return list
}

// TestLevels checks that the sites of a level and of those below have as few path ends together as they should. No
// site may be at a higher level than it has to be.
func TestLevels(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for range 20 {
		p := make(program, 1+random.IntN(300))
		for i := range p {
			p[i] = 100 + uint32(random.Uint64N(1<<random.UintN(21)))
		}
		list := p.run(300, 0)
		var sums [Highest + 1]uint64 // by level
		for i, s := range list {
			sums[s.Level] += uint64(p[i])
		}
		below := uint64(0)
		for level := 1; level < Highest; level++ {
			if below += sums[level]; below > upTo[level]*5/4 {
				t.Errorf("%d path ends at level %d and below, the most are %d", below, level, upTo[level])
			}
		}
		for i, a := range list {
			for j, b := range list {
				if a.Level > b.Level && 4*p[i] < p[j] {
					t.Errorf("level %d for %d path ends, %d for %d", a.Level, p[i], b.Level, p[j])
				}
			}
		}
	}
}

// TestCountedAgain has sites that windows do not see any more be counted again, as many as there is room for.
func TestCountedAgain(t *testing.T) {
	quiet := make(program, 50)
	for _, test := range []struct {
		room    uint64
		counted bool
	}{{0, false}, {1000, true}} {
		list := quiet.run(1000, test.room)
		if all := len(sampled(list)) == 0; all != test.counted {
			t.Errorf("with room for %d path ends %d of %d sites are sampled", test.room, len(sampled(list)), len(list))
		}
	}
}

// TestRelapse has a site that is quiet and then busy again be counted later each time.
func TestRelapse(t *testing.T) {
	before := 0
	for falls := uint8(1); falls < mostFalls; falls++ {
		list := []Site{{Level: 1, Falls: falls, Time: 1}}
		windows := 0
		for quiet := make(program, 1); list[0].Level > 0 && windows < 1<<16; windows++ {
			quiet.see(list, []uint32{0}, 1, 1000)
		}
		if windows < before {
			t.Errorf("after %d falls it is counted after %d windows, %d before", falls, windows, before)
		}
		before = windows
	}
	if unseen := uint64(before) * WindowLength(1); unseen < 4_000_000 {
		t.Errorf("after %d falls it is counted after %d ns in which windows did not see it", mostFalls-1, unseen)
	}
}

// TestStay has the levels of a program that does not change settle.
func TestStay(t *testing.T) {
	p := program{50, 700, 2000, 9000, 20_000, 40_000, 300_000, 500_000, 900_000, 4_000_000}
	before := p.run(600, 100)
	after := p.run(900, 100)
	for i := range p {
		if before[i].Level != after[i].Level {
			t.Errorf("%d path ends: level %d, later %d", p[i], before[i].Level, after[i].Level)
		}
	}
}
