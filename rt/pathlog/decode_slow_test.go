package pathlog

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// A slowDecoder is what Decoder is held against: it looks up the state of each target by the frame.
type slowDecoder struct {
	*Decoder // its tables

	states map[U]*slowState // by the frame and the target
	Lost   U                // what is no record

	// Ended, if it is not nil, is told of each path that was seen from its beginning, in place of Counters.
	Ended func(target uint32, path U)
	// Draining tells that paths that begin are not counted any more.
	Draining bool
	// Open is how many paths have begun that are to be counted, and have not ended.
	Open int
}

// A slowState is the sum of a target in an activation.
type slowState struct {
	key  U     // the frame and the target
	sum  U     // if it is known
	told U     // by looks since the path began: a byte for each block
	node int32 // of the plan, where a machine block has several
	seen bool  // the path's beginning
	lost bool  // the path is in doubt

	marked  bool // there was evidence of the call
	watched bool // since the activation began, or the call was passed for the last time
}

// Forget begins a burst.
func (d *slowDecoder) Forget() { d.states, d.Open, d.Draining = map[U]*slowState{}, 0, false }

// Cut ends all paths that are under way: they are not known.
func (d *slowDecoder) Cut() {
	for _, s := range d.states {
		d.unknown(uint32(s.key), s)
	}
}

// saw notes whether the path that is under way is to be counted.
func (d *slowDecoder) saw(s *slowState, seen bool) {
	switch {
	case d.Targets[uint32(s.key)].Paths == 0: // nobody counts it
	case seen && !s.seen:
		d.Open++
	case s.seen && !seen:
		d.Open--
	}
	s.seen = seen
}

// unknown ends a path that is not known, if it was seen from its beginning.
func (d *slowDecoder) unknown(target uint32, s *slowState) {
	if s.seen {
		d.miss(target)
	}
	d.saw(s, false)
}

// decode counts what a log tells.
func (d *slowDecoder) decode(log []Record) {
	for i := 0; i < len(log); i++ {
		r := &log[i]
		if int(r.Site) >= len(d.Sites) {
			d.Lost++
			continue
		}
		s := &d.Sites[r.Site]
		var value U
		if s.Value&HasValue != 0 {
			if i++; i == len(log) {
				d.Lost++
				return
			}
			value = U(log[i].SP)<<32 | U(log[i].Site)
		}
		for k := range uint32(s.Targets) { // an activation goes with its stack as a whole
			d.state(U(r.SP+s.Depth)<<32 | U(s.Target+k))
		}
		for k := s.First; k < s.First+s.N; k++ {
			o := d.Ops[k]
			if o.Kind != Done {
				d.do(r.SP+s.Depth, &o, value)
				continue
			}
			for o.Target = s.Target; o.Target < s.Target+uint32(s.Targets); o.Target++ {
				d.do(r.SP+s.Depth, &o, value)
			}
		}
	}
}

func (d *slowDecoder) do(frame uint32, o *Op, value U) {
	if o.Kind == Also || o.Kind == Unless {
		d.besides(frame, o)
		return
	}
	s := d.state(U(frame)<<32 | U(o.Target))
	switch o.Kind {
	case Stepped:
		d.step(s, o)
	case Done:
		d.free(s)
	case Looked:
		d.look(s, &d.Looks[o.Add], value)
	default:
		d.change(s, o)
	}
}

func (d *slowDecoder) free(s *slowState) {
	d.saw(s, false)
	delete(d.states, s.key)
}

// step does what happens in the node that the state is in.
func (d *slowDecoder) step(s *slowState, o *Op) {
	for k := o.Add; k < o.Add+o.Next; k++ {
		t := &d.Steps[k]
		if t.From != AnyNode && t.From != s.node {
			continue
		}
		for i := t.First; i < t.First+t.N; i++ {
			d.change(s, &d.Ops[i])
		}
		s.node = t.To
		return
	}
	d.unknown(o.Target, s)
	nodes := make(map[int32]bool)
	for _, t := range d.Steps[o.Add : o.Add+o.Next] {
		nodes[t.To] = true
	}
	s.node = AnyNode
	for to := range nodes {
		if len(nodes) == 1 {
			s.node = to
		}
	}
}

func (d *slowDecoder) change(s *slowState, o *Op) {
	switch o.Kind {
	case Begin:
		d.saw(s, !d.Draining)
		s.sum, s.told, s.lost, s.node = o.Next, 0, false, int32(o.Add)
		s.marked, s.watched = false, true
	case Add:
		s.sum += o.Add
	case End:
		d.end(s, o)
		d.saw(s, !d.Draining)
		s.sum, s.told, s.lost = o.Next, 0, false
	case Doubt:
		d.doubt(s, o)
		s.lost = true
	case Choose:
		d.choose(s, o)
	case Also, Unless:
		d.besides(uint32(s.key>>32), o)
	case Marked:
		s.marked = true
	case Told:
		s.told = s.told&^o.Add | o.Next
	}
}

// besides counts what is executed besides the paths of the target that the operation is of. It is known whatever the path is: the
// beginning of this one is here.
func (d *slowDecoder) besides(frame uint32, o *Op) {
	if o.Kind == Also {
		if !d.Draining {
			d.count(o.Target, o.Next)
		}
		return
	}
	s := d.state(U(frame)<<32 | U(o.Target))
	if o.Kind == Choose {
		d.chooseUnseen(frame, s, o)
		return
	}
	passed := s.watched && !s.marked
	s.marked, s.watched = false, true
	if first, n := uint32(o.Add), uint32(o.Add>>32); passed {
		for k := first; k < first+n; k++ {
			d.besides(frame, &d.Ops[k])
		}
	}
}

// chooseUnseen does what the only way does that agrees with what was told.
func (d *slowDecoder) chooseUnseen(frame uint32, s *slowState, o *Op) {
	ways := d.Ways[uint32(o.Add):][:o.Add>>32]
	var agree []Way
	told := s.told
	for _, w := range ways {
		if s.told &^= w.Mask; slowAgrees(told, &w) {
			agree = append(agree, w)
		}
	}
	switch {
	case len(agree) == 1:
		for _, c := range d.Ops[agree[0].First:][:agree[0].N] {
			d.besides(frame, &c)
		}
	case d.Draining:
	default:
		if o.Next < U(len(d.Doubts)) {
			d.Doubts[o.Next]++
		}
		d.miss(o.Target)
		agree = append(agree, ways[0])
		for _, c := range d.Ops[agree[0].First:][:agree[0].N] {
			if c.Kind == Also && d.Targets[c.Target].At != d.Targets[o.Target].At {
				d.miss(c.Target)
			}
		}
	}
}

// count counts a path. A target without paths is followed for what is executed besides.
func (d *slowDecoder) count(target uint32, path U) {
	switch t := &d.Targets[target]; {
	case t.Paths == 0:
	case path >= t.Paths:
		d.Lost++
	case d.Ended != nil:
		d.Ended(target, path)
	default:
		d.Counters[t.At+path]++
	}
}

// end counts a path, if it was seen from its beginning.
func (d *slowDecoder) end(s *slowState, o *Op) {
	if s.seen && s.lost {
		d.miss(o.Target)
	} else if s.seen {
		d.count(o.Target, s.sum+o.Add)
	}
}

// miss counts a path that is not known.
func (d *slowDecoder) miss(target uint32) {
	if t := &d.Targets[target]; t.Paths > 0 && d.Ended != nil {
		d.Ended(target, t.Paths)
	}
}

// doubt counts a doubt, if somebody counts them.
func (d *slowDecoder) doubt(s *slowState, o *Op) {
	if s.seen && o.Next < U(len(d.Doubts)) {
		d.Doubts[o.Next]++
	}
}

// look notes what a value tells.
func (d *slowDecoder) look(s *slowState, l *Look, value U) {
	edge := l.Otherwise
	for k := l.First; k < l.First+l.N; k++ {
		c := &d.Cases[k]
		if v := (value + c.Add) & c.Mask; c.Low <= v && v <= c.High {
			edge = c.Edge
			break
		}
	}
	s.told = s.told&^l.Mask | edge
}

// choose does what the one way does that agrees with looks. If there is not one, the path is in doubt. What was told of the
// blocks is of no use to the next choice.
func (d *slowDecoder) choose(s *slowState, o *Op) {
	first, n := uint32(o.Add), uint32(o.Add>>32)
	chosen, agree, about := first, 0, U(0)
	for k := first; k < first+n; k++ {
		w := &d.Ways[k]
		about |= w.Mask
		if slowAgrees(s.told, w) {
			if agree++; agree == 1 {
				chosen = k
			}
		}
	}
	s.told &^= about
	if agree != 1 {
		d.doubt(s, o)
	}
	w := &d.Ways[chosen]
	for k := range uint32(w.N) {
		o := &d.Ops[w.First+k]
		s.lost = s.lost || agree != 1 && k >= uint32(w.Sure)
		switch {
		case agree == 1 || o.Kind != Also && o.Kind != Unless:
			d.change(s, o)
		case o.Kind == Also && !d.Draining:
			d.miss(o.Target)
		}
	}
}

// slowAgrees reports whether nothing was told that is not so on a way.
func slowAgrees(told U, w *Way) bool {
	for bit := U(1); bit != 0; bit <<= 1 {
		if told&bit != 0 && w.Not&bit != 0 {
			return false
		}
	}
	return true
}

// state returns the state of a key.
func (d *slowDecoder) state(key U) *slowState {
	s := d.states[key]
	if s == nil {
		s = &slowState{key: key, node: AnyNode}
		d.states[key] = s
	}
	return s
}

func (d *slowDecoder) Move(to, from, size uint32) {
	var moved []*slowState
	for key, s := range d.states {
		if uint32(key>>32)-from < size {
			moved = append(moved, s)
			delete(d.states, key)
		}
	}
	for _, s := range moved {
		frame := uint32(s.key>>32) - from + to
		for _, was := range d.states { // what has been in its place
			if uint32(was.key>>32) == frame && d.function(was) == d.function(s) && !slices.Contains(moved, was) {
				d.free(was)
			}
		}
		s.key = U(frame)<<32 | s.key&(1<<32-1)
	}
	for _, s := range moved {
		d.states[s.key] = s
	}
}

// function returns the first target of the function that a state is of.
func (d *slowDecoder) function(s *slowState) uint32 {
	for _, x := range d.Sites {
		if uint32(s.key)-x.Target < uint32(x.Targets) {
			return x.Target
		}
	}
	panic("BUG: a state of no function")
}

// TestSlow has random logs of random functions: activations that come and go, stacks that move, windows that drain and are cut.
func TestSlow(t *testing.T) {
	kinds := make(map[uint32]int)
	for seed := range U(300) {
		random := rand.New(rand.NewPCG(seed, 1))
		d := randomDecoder(random)
		tables := *d
		tables.Doubts = make([]U, len(d.Doubts))
		slow := &slowDecoder{Decoder: &tables}
		counts := make(map[[2]U]int)
		d.Ended = func(target uint32, path U) { counts[[2]U{U(target), path}]++ }
		slow.Ended = func(target uint32, path U) { counts[[2]U{U(target), path}]-- }
		moved := make([]Frame, len(d.Frames))
		d.Forget()
		slow.Forget()
		for step := range 300 {
			switch random.IntN(40) {
			case 0:
				d.Forget()
				slow.Forget()
			case 1:
				d.Draining, slow.Draining = true, true
			case 2:
				to, from := random.Uint32N(4)<<8, random.Uint32N(4)<<8
				d.Move(to, from, 0x80, moved)
				slow.Move(to, from, 0x80)
			case 3:
				d.Cut()
				slow.Cut()
				d.Forget() // what nobody counts was not cut
				slow.Forget()
			default:
				log := randomLog(random, d)
				if n := d.Decode(log); n != len(log) {
					t.Fatalf("%d records of %d were decoded", n, len(log))
				}
				slow.decode(log)
			}
			for of, n := range counts {
				if n != 0 {
					t.Fatalf("seed %d, step %d: target %d, path %d: %+d", seed, step, of[0], of[1], n)
				}
			}
			if d.Open != slow.Open || d.Lost != slow.Lost || !slices.Equal(d.Doubts, slow.Doubts) {
				t.Fatalf("seed %d, step %d: %d are under way, want %d; %d lost, want %d; doubts %v, want %v", seed, step,
					d.Open, slow.Open, d.Lost, slow.Lost, d.Doubts, slow.Doubts)
			}
			if d.used > 0 && int(d.arena.top) > len(d.States)/2 {
				kinds[100]++
			}
		}
		for _, o := range d.Ops {
			kinds[o.Kind]++
		}
		if len(counts) < 3 {
			t.Errorf("seed %d: %d paths only", seed, len(counts))
		}
	}
	for k := range uint32(Told + 1) {
		if kinds[k] == 0 && k != Rounds {
			t.Errorf("no operation of kind %d", k)
		}
	}
	if kinds[100] == 0 {
		t.Error("states were never rare")
	}
}

// randomDecoder returns one with three functions of up to 5 targets. Those behind are of nobody.
func randomDecoder(random *rand.Rand) *Decoder {
	d := &Decoder{Doubts: make([]U, 3), Frames: make([]Frame, 256), States: make([]State, 1000)}
	for range 3 {
		first, n := uint32(len(d.Targets)), 1+random.Uint32N(5)
		for range n {
			d.Targets = append(d.Targets, Target{Paths: random.Uint64N(4) * 3})
		}
		site := func(value uint32, ops []Op) {
			x := Site{First: uint32(len(d.Ops)), N: uint32(len(ops)), Value: value, Target: first, Targets: uint16(n)}
			if len(ops) == 1 {
				if step, ok := x.Alone(ops[0], uint32(len(d.Steps))); ok {
					d.Steps = append(d.Steps, step)
				}
			}
			d.Sites = append(d.Sites, x)
			d.Ops = append(d.Ops, ops...)
		}
		var begin []Op
		for k := range n {
			begin = append(begin, Op{Target: first + k, Kind: Begin, Next: random.Uint64N(3), Add: random.Uint64N(3)})
		}
		site(0, begin)
		for range 8 {
			var ops []Op
			for range 1 + random.IntN(3) {
				ops = append(ops, d.randomOp(random, first, first+random.Uint32N(n), n, 2))
			}
			site(0, ops)
		}
		block := 2 * random.Uint32N(2)
		l := Look{First: uint32(len(d.Cases)), N: 1, Mask: 3 << block, Otherwise: 1 << block}
		d.Cases = append(d.Cases, Case{Mask: 1, Edge: 2 << block})
		d.Looks = append(d.Looks, l)
		site(HasValue, []Op{{Target: first, Kind: Looked, Add: U(len(d.Looks) - 1)}})
		site(0, []Op{{Target: first, Kind: End}, {Target: first, Kind: Done}})
	}
	d.Targets = append(d.Targets, Target{Paths: 2})
	return d
}

// randomOp returns one of a target of a function with n of these. It may have others, up to some depth.
func (d *Decoder) randomOp(random *rand.Rand, first, target, n uint32, depth int) Op {
	some := func() (at, k int) {
		var list []Op
		for range random.IntN(3) {
			list = append(list, d.randomOp(random, first, target, n, depth-1))
		}
		at = len(d.Ops)
		d.Ops = append(d.Ops, list...)
		return at, len(list)
	}
	o := Op{Target: target, Kind: Add, Add: random.Uint64N(3)}
	switch k := random.IntN(13); {
	case k < 3:
		o.Kind, o.Next = End, random.Uint64N(2)
	case k == 3:
		o.Kind, o.Next = Doubt, random.Uint64N(4)
	case k == 4:
		o.Kind, o.Target, o.Next = Also, uint32(len(d.Targets))+random.Uint32N(2)-1, 1
		o.Target = min(o.Target, uint32(len(d.Targets)-1))
	case k == 5:
		o.Kind = Marked
	case k == 12:
		o.Kind, o.Add, o.Next = Told, 3, 1<<random.Uint64N(2)
	case k < 9 && depth > 1:
		var steps []Step
		for node := range int32(3) {
			at, k := some()
			if random.IntN(4) > 0 {
				steps = append(steps, NewStep(node, random.Int32N(4)-1, random.Uint32N(4), uint32(at), d.Ops[at:at+k]))
			}
		}
		o = Op{Target: target, Kind: Stepped, Add: U(len(d.Steps)), Next: U(len(steps))}
		d.Steps = append(d.Steps, steps...)
	case k == 9 && depth > 1:
		first := len(d.Ways)
		var ways []Way
		for want := range U(2) {
			at, k := some()
			ways = append(ways, Way{Mask: 3, Not: 2 >> want, First: uint32(at), N: uint16(k), Sure: uint16(k / 2)})
		}
		d.Ways = append(d.Ways, ways...)
		o = Op{Target: target, Kind: Choose, Add: Chosen(first, len(ways)), Next: 2}
	case k == 10:
		d.Ops = append(d.Ops, Op{Target: target, Kind: Also, Next: 1}, Op{Target: first + random.Uint32N(n), Kind: Unless})
		if random.IntN(2) == 0 {
			ways := len(d.Ways)
			for k := range U(2) {
				d.Ops = append(d.Ops, Op{Target: first + random.Uint32N(n), Kind: Also, Next: k})
				d.Ways = append(d.Ways, Way{Mask: 3, Not: 2 >> k, First: uint32(len(d.Ops) - 1), N: 1})
			}
			d.Ops = append(d.Ops, Op{Target: target, Kind: Choose, Add: Chosen(ways, 2), Next: 2}, Op{Target: target, Kind: Also, Next: 1})
		}
		o = Op{Target: target, Kind: Unless, Add: Chosen(len(d.Ops)-2, 2)}
	}
	return o
}

// randomLog has some records of a few frames.
func randomLog(random *rand.Rand, d *Decoder) (log []Record) {
	for range random.IntN(20) {
		site := random.Uint32N(uint32(len(d.Sites)) + 1)
		log = append(log, Record{Site: site, SP: random.Uint32N(24) << 4 << random.Uint32N(2)})
		if int(site) < len(d.Sites) && d.Sites[site].Value&HasValue != 0 {
			log = append(log, Record{Site: random.Uint32(), SP: random.Uint32()})
		}
	}
	return log
}
