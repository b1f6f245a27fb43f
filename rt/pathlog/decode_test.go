package pathlog

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// testDecoder returns a decoder. Target 0 has a loop of two ways. Target 1 is inlined into it, and has counters behind those of
// target 0.
func testDecoder() *Decoder {
	d := &Decoder{
		Sites: []Site{
			{First: 0, N: 2, Targets: 2},           // entered
			{Depth: 8, First: 2, N: 1, Targets: 2}, // one way through the loop
			{Depth: 8, First: 3, N: 1, Targets: 2}, // end of a round
			{Depth: 8, First: 4, N: 2, Targets: 2}, // return, and a path of the other
		},
		Ops: []Op{
			{Target: 0, Kind: Begin, Next: 1}, {Target: 1, Kind: Begin},
			{Target: 0, Kind: Add, Add: 2},
			{Target: 0, Kind: End, Add: 1, Next: 4},
			{Target: 0, Kind: End}, {Target: 1, Kind: End, Add: 1},
		},
		Targets:  []Target{{0, 8}, {8, 2}},
		Counters: make([]U, 10),
		Frames:   make([]Frame, 64),
		States:   make([]State, 256),
	}
	d.Forget()
	return d
}

const (
	enters = iota
	turns
	ends
	returns
)

// TestDecode has two activations whose records alternate.
func TestDecode(t *testing.T) {
	d := testDecoder()
	const a, b = 0x1000, 0x2000
	d.Decode([]Record{
		{enters, a}, {turns, a - 8}, {enters, b}, {ends, a - 8}, {ends, b - 8}, {turns, a - 8}, {returns, a - 8}, {returns, b - 8},
	})
	want := []U{4: 2 - 1, 2: 1, 6: 1, 9: 2}
	want[4] = 2 // 1 + 2 + 1 of a, and what b returns with
	for i, n := range d.Counters {
		if n != want[i] {
			t.Errorf("path %d is counted %d times, want %d; all %v", i, n, want[i], d.Counters)
		}
	}
}

// TestUnknown has a burst that begins in the middle of an activation. The path that is under way is not counted.
func TestUnknown(t *testing.T) {
	d := testDecoder()
	d.Decode([]Record{{turns, 0x0ff8}, {ends, 0x0ff8}, {turns, 0x0ff8}, {ends, 0x0ff8}})
	for i, n := range d.Counters {
		if n != map[int]U{7: 1}[i] {
			t.Errorf("path %d is counted %d times", i, n)
		}
	}
	d.Forget()
	d.Decode([]Record{{turns, 0x0ff8}, {ends, 0x0ff8}})
	if d.Counters[7] != 1 {
		t.Error("a burst knows what the one before has seen")
	}
}

// TestJoined has a burst that begins in a loop whose first round ends no path: the round's end has two nodes, and both lead to
// the second. All rounds are counted but the one that is under way and the one behind it.
func TestJoined(t *testing.T) {
	d := testDecoder()
	d.Ops = append(d.Ops, Op{Kind: End, Add: 3, Next: 0}, Op{Kind: Stepped, Next: 2})
	d.Steps = []Step{NewStep(0, 1, 1, 0, nil), NewStep(1, 1, 1, 6, d.Ops[6:7])}
	d.Sites[ends].First = 7
	for _, alone := range []bool{false, true} {
		clear(d.Counters)
		if alone {
			d.Sites[ends].Alone(d.Ops[7], 0)
		}
		d.Forget()
		d.Decode([]Record{{ends, 0x0ff8}, {ends, 0x0ff8}, {ends, 0x0ff8}, {ends, 0x0ff8}})
		if d.Counters[3] != 2 || d.Lost != 0 {
			t.Errorf("alone %t: the path of a round is counted %d times, want 2; %d lost", alone, d.Counters[3], d.Lost)
		}
	}
	d.Steps[0].To = 0
	clear(d.Counters)
	d.Forget()
	d.Decode([]Record{{ends, 0x0ff8}, {ends, 0x0ff8}, {ends, 0x0ff8}})
	if d.Counters[3] != 0 {
		t.Errorf("a path is counted %d times that nobody knows", d.Counters[3])
	}
}

// TestDoubt has a path in doubt, and one after it. Doubts are counted where the burst has seen the path's beginning.
func TestDoubt(t *testing.T) {
	d := testDecoder()
	d.Sites = append(d.Sites, Site{Depth: 8, First: 6, N: 1, Targets: 2})
	d.Ops = append(d.Ops, Op{Target: 0, Kind: Doubt, Next: 1})
	d.Doubts = make([]U, 2)
	const doubts = 4
	const a, b = 0x1000, 0x2000
	d.Decode([]Record{
		{doubts, b - 8}, {ends, b - 8},
		{enters, a}, {doubts, a - 8}, {turns, a - 8}, {ends, a - 8}, {turns, a - 8}, {ends, a - 8},
	})
	for i, n := range d.Counters {
		if n != map[int]U{7: 1}[i] {
			t.Errorf("path %d is counted %d times", i, n)
		}
	}
	if d.Doubts[0] != 0 || d.Doubts[1] != 1 || d.Lost > 0 {
		t.Errorf("doubts are counted %v, %d lost", d.Doubts, d.Lost)
	}
}

// lookDecoder returns a decoder. Its target has two looks and a choice between three ways, the last of which nothing tells from
// the second.
func lookDecoder() *Decoder {
	d := &Decoder{
		Sites: []Site{
			{N: 1, Targets: 1}, // entered
			{Depth: 8, First: 1, N: 1, Value: 1, Targets: 1}, // a condition
			{Depth: 8, First: 2, N: 1, Value: 1, Targets: 1}, // a number
			{Depth: 8, First: 3, N: 2, Targets: 1},           // the choice, and the end
		},
		Ops: []Op{
			{Kind: Begin}, {Kind: Looked, Add: 0}, {Kind: Looked, Add: 1},
			{Kind: Choose, Add: Chosen(1, 3), Next: 1}, {Kind: End},
			{Kind: Add, Add: 1}, {Kind: Add, Add: 2}, {Kind: Add, Add: 3},
		},
		Looks: []Look{{First: 0, N: 1, Mask: 3, Otherwise: 2}, {First: 1, N: 1, Mask: 3 << 62, Otherwise: 1 << 62}},
		Cases: []Case{{Mask: 0xff, Edge: 1}, {Add: 1 << 63, Mask: ^U(0), High: 1<<63 - 1, Edge: 2 << 62}},
		Ways: []Way{{},
			{Mask: 3, Not: 2, First: 5, N: 1},
			{Mask: 3 | 3<<62, Not: 1 | 2<<62, First: 6, N: 1},
			{Mask: 3 | 3<<62, Not: 1 | 1<<62, First: 7, N: 1},
		},
		Targets:  []Target{{0, 8}},
		Counters: make([]U, 8),
		Doubts:   make([]U, 2),
		Frames:   make([]Frame, 64),
		States:   make([]State, 256),
	}
	d.Forget()
	return d
}

// TestLooks has activations in which looks tell one way, none, or two.
func TestLooks(t *testing.T) {
	const a = 0x1000
	condition, number := Record{1, a - 8}, Record{2, a - 8}
	no, yes := Record{0xabcd_ef00, 7}, Record{0xabcd_ef01, 7} // the lowest byte counts
	negative := Record{0, 1 << 31}                            // numbers that would be sites
	positive := Record{1, 0}
	for _, c := range []struct {
		looks []Record
		path  int // -1 for a doubt
	}{
		{[]Record{condition, no}, 1},
		{[]Record{condition, yes}, -1},
		{nil, -1},
		{[]Record{condition, yes, number, positive}, 2},
		{[]Record{condition, yes, number, negative}, 3},
		{[]Record{number, negative, condition, yes}, 3},
		{[]Record{number, negative}, -1},
		{[]Record{condition, no, condition, yes, number, positive, number, negative}, 3}, // the last ones count
	} {
		d := lookDecoder()
		d.Decode(append(append([]Record{{0, a}}, c.looks...), Record{3, a - 8}))
		for i, n := range d.Counters {
			if n != map[int]U{c.path: 1}[i] {
				t.Errorf("%v: path %d is counted %d times", c.looks, i, n)
			}
		}
		if doubt := d.Doubts[1] == 1; doubt != (c.path < 0) || d.Lost > 0 {
			t.Errorf("%v: doubts are counted %v, %d lost", c.looks, d.Doubts, d.Lost)
		}
		d.Decode([]Record{{3, a - 8}}) // what was told of the path before is of no use
		if d.Doubts[1] == 0 {
			t.Errorf("%v: a look is good for two paths", c.looks)
		}
	}
	d := lookDecoder()
	if d.Decode([]Record{condition}); d.Lost != 1 {
		t.Error("a value that is missing is not noticed")
	}
}

// TestRounds has loops that go round several times at once.
func TestRounds(t *testing.T) {
	for _, tally := range []bool{false, true} {
		for rounds, more := range map[uint32]U{0: 0, 1: 0, 2: 1, 1000: 999} {
			for _, draining := range []bool{false, true} {
				d := lookDecoder()
				d.Ops[2] = Op{Kind: Rounds, Next: 6}
				if tally {
					d.Tally = new(Tally)
				}
				d.Draining = draining
				d.Decode([]Record{{0, 0x1000}, {2, 0x1000 - 8}, {rounds, 0}})
				got := d.Counters[6]
				if tally && d.Tally.Len() > 0 {
					got = U(d.Tally.At(0).Times)
				}
				if draining {
					more = 0
				}
				if got != more || d.Lost > 0 {
					t.Errorf("%d rounds: the path around the loop is counted %d times, not %d; lost %d", rounds, got, more, d.Lost)
				}
			}
		}
	}
}

// TestRoundsSpread has such a loop in a function whose counters are spread.
func TestRoundsSpread(t *testing.T) {
	d := lookDecoder()
	d.Ops[2] = Op{Kind: Rounds, Next: 6}
	f := &d.Targets[0]
	f.At = Spread
	_, size := f.Room()
	d.Counters = make([]U, size)
	d.Decode([]Record{{0, 0x1000}, {2, 0x1000 - 8}, {5, 0}})
	if n := d.Counters[f.Counter(d.Counters, 6)]; n != 4 || d.Lost > 0 {
		t.Errorf("5 rounds: the path around the loop is counted %d times, not 4; lost %d", n, d.Lost)
	}
}

// TestDone has many activations, of which few are there at a time.
func TestDone(t *testing.T) {
	d := testDecoder()
	d.Sites = append(d.Sites, Site{Depth: 8, First: 6, N: 1, Targets: 2})
	d.Ops = append(d.Ops, Op{Target: 0, Kind: Done})
	random := rand.New(rand.NewPCG(1, 2))
	live := make(map[uint32]bool)
	want := U(0)
	for range 10000 {
		frame := random.Uint32N(20) << 8
		switch {
		case !live[frame]:
			d.Decode([]Record{{enters, frame}})
			live[frame] = true
		case random.IntN(3) == 0:
			d.Decode([]Record{{4, frame - 8}})
			delete(live, frame)
		default:
			d.Decode([]Record{{ends, frame - 8}})
			want++
		}
	}
	got := U(0)
	for _, n := range d.Counters {
		got += n
	}
	if got != want || d.Lost > 0 || d.used > 48 {
		t.Errorf("%d of %d path ends are counted, %d lost, %d states used", got, want, d.Lost, d.used)
	}
	for frame := range live {
		d.Decode([]Record{{4, frame - 8}})
	}
	if d.used > 0 || d.arena.top > 0 {
		t.Errorf("%d activations are left, with %d states", d.used, d.arena.top)
	}
}

// TestMove moves stacks between records. Nothing may get lost, whatever has been in the places where frames come to.
func TestMove(t *testing.T) {
	d := testDecoder()
	moved := make([]Frame, 64)
	random := rand.New(rand.NewPCG(1, 2))
	stack := uint32(0x10000)
	d.Decode([]Record{{enters, stack + 0x100}})
	want := U(0)
	for range 1000 {
		d.Decode([]Record{{ends, stack + 0xf8}})
		to := uint32(1+random.IntN(8)) << 16
		if to != stack {
			d.Move(to, stack, 0x1000, moved)
			stack = to
		}
		want++
	}
	if got := d.Counters[2] + d.Counters[5]; got != want || d.Lost > 0 {
		t.Errorf("%d of %d path ends are counted, %d lost", got, want, d.Lost)
	}
}

// TestFull has more activations than there is room for.
func TestFull(t *testing.T) {
	d := testDecoder()
	for k := range uint32(1000) {
		d.Decode([]Record{{enters, k << 8}, {ends, k<<8 - 8}})
	}
	var n U
	for _, c := range d.Counters {
		n += c
	}
	if n == 0 || n > 64 || d.Lost == 0 {
		t.Errorf("%d path ends are counted, %d lost", n, d.Lost)
	}
	d.Decode([]Record{{99, 0}}) // no site
}

// TestDrain has a window end in the middle of two activations. The paths that have begun in it are followed to their ends, those
// that begin later are not counted.
func TestDrain(t *testing.T) {
	d := testDecoder()
	var got [][2]U
	d.Ended = func(target uint32, path U) { got = append(got, [2]U{U(target), path}) }
	const a, b = 0x1000, 0x2000
	d.Decode([]Record{{turns, a - 8}, {ends, a - 8}, {turns, a - 8}, {enters, b}})
	if d.Open != 3 { // of a, and of both targets in b
		t.Errorf("%d paths are under way, want 3", d.Open)
	}
	d.Draining = true
	d.Decode([]Record{{ends, a - 8}, {ends, a - 8}, {returns, b - 8}, {enters, b}, {ends, b - 8}, {returns, b - 8}})
	want := [][2]U{{0, 7}, {0, 1}, {1, 1}} // 4+2+1; 1, and 0+1
	if !slices.Equal(got, want) || d.Open != 0 {
		t.Errorf("counted %v, want %v; %d are under way", got, want, d.Open)
	}
	d.Forget()
	if d.Draining {
		t.Error("the next window drains, too")
	}
}

// TestCut has a window that is cut short: paths whose beginning it has seen are of their function, and nothing more is known.
// So is a path in doubt.
func TestCut(t *testing.T) {
	d := testDecoder()
	d.Sites = append(d.Sites, Site{Depth: 8, First: 6, N: 1, Targets: 2})
	d.Ops = append(d.Ops, Op{Target: 0, Kind: Doubt, Next: 9})
	unknown := make(map[uint32]int)
	d.Ended = func(target uint32, path U) {
		if path == d.Targets[target].Paths {
			unknown[target]++
		}
	}
	const doubts = 4
	const a, b, c = 0x1000, 0x2000, 0x3000
	d.Decode([]Record{{enters, a}, {turns, b - 8}, {enters, c}, {doubts, c - 8}, {ends, c - 8}})
	if unknown[0] != 1 || unknown[1] != 0 {
		t.Errorf("%v in doubt", unknown)
	}
	d.Cut()
	if unknown[0] != 3 || unknown[1] != 2 || d.Open != 0 {
		t.Errorf("%v are not known, %d under way", unknown, d.Open)
	}
	d.Cut()
	if unknown[0] != 3 {
		t.Error("paths are cut twice")
	}
}
