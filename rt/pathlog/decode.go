package pathlog

// A Decoder counts the paths that logs tell of. An activation is known by where its frame is. Its path is counted if the log has
// the path's beginning: that of the activation, or the end of the path before.
//
// It allocates nothing and stores no pointers, and may be used in signal handlers: these may be in the middle of a write barrier.
// TestSlow holds it against one that looks every state up.
type Decoder struct {
	Sites    []Site
	Ops      []Op
	Steps    []Step
	Targets  []Target
	Looks    []Look
	Cases    []Case
	Ways     []Way
	Counters []U
	Doubts   []U // how often each left a path unknown whose beginning was seen

	Frames []Frame // a hash table, whose size is a power of two
	States []State // of the targets of activations
	Lost   U       // operations without room in these, and what is no record

	// Tally or Ended, if one is not nil, is told of each path that was seen from its beginning, in place of Counters.
	Tally *Tally
	Ended func(target uint32, path U)
	// Flags, if it is not nil, says of each function whether it is cold. Decode ends at a record of one that is not as Cold says.
	Flags []byte
	Cold  bool
	// Draining tells that paths that begin are not counted any more.
	Draining bool
	// Begun is how many activations have begun, by target, while paths that begin are counted. Nil has nobody count them.
	Begun []uint32
	// Open is how many paths have begun that are to be counted, and have not ended.
	Open int

	burst uint32 // the number of it
	used  int    // of Frames
	last  int    // of the last record in Frames, or none
	arena arena
}

// A State is the sum of a target in an activation.
type State struct {
	sum  U     // if it is known
	told U     // by looks since the path began: see Look
	node int32 // of the plan and 1, where a machine block has several; 0 if it is not known

	place uint32 // of the step for the node, if it is known

	seen bool // the path's beginning
	lost bool // the path is in doubt

	marked  bool // there was evidence of the call
	watched bool // since the activation began, or the call was passed for the last time
}

// Forget begins a burst.
//
//go:norace
func (d *Decoder) Forget() {
	d.burst, d.used, d.last, d.arena = d.burst+1, 0, none, arena{}
	d.Open, d.Draining = 0, false
}

// Cut ends all paths that are under way: they are not known.
//
//go:norace
func (d *Decoder) Cut() {
	for i := 0; i < len(d.Frames) && d.Open > 0; i++ {
		if f := &d.Frames[i]; f.burst == d.burst && f.at != gone {
			for k := range f.n {
				d.unknown(f, f.target+k, &d.States[f.at+k])
			}
		}
	}
}

// saw notes whether the path that is under way is to be counted.
//
//go:norace
func (d *Decoder) saw(f *Frame, target uint32, s *State, seen bool) {
	switch {
	case s.seen == seen || d.Targets[target].Paths == 0: // nobody counts it
	case seen:
		d.Open++
		f.open++
	default:
		d.Open--
		f.open--
	}
	s.seen = seen
}

// unknown ends a path that is not known, if it was seen from its beginning.
//
//go:norace
func (d *Decoder) unknown(f *Frame, target uint32, s *State) {
	if s.seen {
		d.miss(target)
	}
	d.saw(f, target, s, false)
}

// Decode counts what a log tells, and returns how many of its records it was to count: all of them, but for Flags.
//
//go:norace
func (d *Decoder) Decode(log []Record) int {
	sites, frames, flags := d.Sites, d.Frames, d.Flags
	for i := 0; i < len(log); i++ {
		r := &log[i]
		if int(r.Site) >= len(sites) {
			d.Lost++
			continue
		}
		x := &sites[r.Site]
		if flags != nil {
			if k := x.Value >> FunctionShift; (k != 0 && flags[k-1] != 0) != d.Cold {
				return i
			}
		}
		var value U
		if x.Value&HasValue != 0 {
			if i++; i == len(log) {
				d.Lost++
				return i
			}
			value = U(log[i].SP)<<32 | U(log[i].Site)
		}
		if x.Targets == 0 {
			d.derived(x)
			continue
		}
		at, k := r.SP+x.Depth, d.last
		if k == none || frames[k].address != at || frames[k].target != x.Target {
			if k = d.frame(at, x); k == none {
				d.Lost += U(x.N)
				continue
			}
			d.last = k
		}
		f := &frames[k]
		if x.Steps == 0 {
			d.site(f, x, value)
			continue
		}
		// The only operation is that of most sites. So there is no loop here, and no search.
		s := &d.States[f.at+uint32(x.Of)]
		t := &d.Steps[x.Step+min(s.place, x.Steps-1)]
		node := t.To + 1
		if t.To == SameNode {
			node = s.node
		}
		switch {
		case t.From != AnyNode && t.From != s.node-1 || t.Kind > End:
			d.site(f, x, value)
			continue
		case t.Kind == Add:
			s.sum += t.Add
		default:
			d.end(f, s, f.target+uint32(x.Of), t.Add, t.Next)
		}
		s.node, s.place = node, t.Place
	}
	return len(log)
}

// site does the operations of a site in an activation.
//
//go:norace
func (d *Decoder) site(f *Frame, x *Site, value U) {
	states := d.States[f.at : f.at+f.n]
	ops := d.Ops[x.First : x.First+x.N]
	for k := range ops {
		o := &ops[k]
		i := o.Target - f.target
		if i >= uint32(len(states)) {
			d.also(o)
			continue
		}
		s := &states[i]
		switch o.Kind {
		case Stepped:
			d.step(f, s, o)
		case Add:
			s.sum += o.Add
		case End:
			d.end(f, s, o.Target, o.Add, o.Next)
		case Begin:
			d.begin(f, s, o)
		case Done:
			d.leave(f)
			return
		case Looked:
			d.look(s, &d.Looks[o.Add], value)
		case Rounds:
			d.rounds(o, value)
		default:
			d.change(f, s, o)
		}
	}
}

// derived does the operations of a site in a function without targets.
//
//go:norace
func (d *Decoder) derived(x *Site) {
	for k := x.First; k < x.First+x.N; k++ {
		d.also(&d.Ops[k])
	}
}

// step does what happens in the node that the state is in.
//
//go:norace
func (d *Decoder) step(f *Frame, s *State, o *Op) {
	steps := d.Steps[o.Add : o.Add+o.Next]
	for k := range steps {
		t := &steps[k]
		if t.From != AnyNode && t.From != s.node-1 {
			continue
		}
		for i := t.First; i < t.First+t.N; i++ {
			switch c := &d.Ops[i]; c.Kind {
			case Add:
				s.sum += c.Add
			case End:
				d.end(f, s, c.Target, c.Add, c.Next)
			default:
				d.change(f, s, c)
			}
		}
		s.node, s.place = t.To+1, t.Place
		return
	}
	d.unknown(f, o.Target, s)
	s.node, s.place = joined(steps)
}

// joined returns the node that all of a site's steps lead to, as a State has it: then it is known, whatever it was before. A loop
// that is entered in its middle would never be counted otherwise. It returns 0 if they lead to several.
//
//go:norace
func joined(steps []Step) (node int32, place uint32) {
	for k := range steps {
		if steps[k].To != steps[0].To {
			return 0, 0
		}
		node, place = steps[k].To+1, steps[k].Place
	}
	return node, place
}

// begin begins an activation.
//
//go:norace
func (d *Decoder) begin(f *Frame, s *State, o *Op) {
	if s.seen == d.Draining {
		d.saw(f, o.Target, s, !d.Draining)
	}
	if !d.Draining && int(o.Target) < len(d.Begun) {
		d.Begun[o.Target]++
	}
	s.sum, s.told, s.node = o.Next, 0, int32(o.Add)+1
	s.lost, s.marked, s.watched = false, false, true
}

// end counts a path, if it was seen from its beginning, and begins the next one.
//
//go:norace
func (d *Decoder) end(f *Frame, s *State, target uint32, add, next U) {
	switch {
	case !s.seen:
	case s.lost:
		d.miss(target)
	case d.Tally != nil:
		d.Tally.Add(target, s.sum+add)
	default:
		d.count(target, s.sum+add)
	}
	if s.seen == d.Draining {
		d.saw(f, target, s, !d.Draining)
	}
	s.sum, s.told, s.lost = next, 0, false
}

//go:norace
func (d *Decoder) change(f *Frame, s *State, o *Op) {
	switch o.Kind {
	case Add:
		s.sum += o.Add
	case End:
		d.end(f, s, o.Target, o.Add, o.Next)
	case Begin:
		d.begin(f, s, o)
	case Doubt:
		d.doubt(s, o)
		s.lost = true
	case Choose:
		d.choose(f, s, o)
	case Also:
		d.also(o)
	case Unless:
		d.unless(f, o)
	case Marked:
		s.marked = true
	case Told:
		s.told = s.told&^o.Add | o.Next
	}
}

// also counts what is executed besides the paths of the target that the operation is of. It is known whatever the path is: the
// beginning of this one is here.
//
//go:norace
func (d *Decoder) also(o *Op) {
	switch {
	case o.Kind != Also:
		d.Lost++
	case !d.Draining:
		d.count(o.Target, o.Next)
	}
}

// rounds counts the rounds of a loop that the machine goes at once, all but the first of which are a path.
//
//go:norace
func (d *Decoder) rounds(o *Op, value U) {
	if value < 2 || d.Draining {
		return
	}
	switch n, t := value-1, &d.Targets[o.Target]; {
	case d.Tally != nil:
		d.Tally.AddAll(o.Target, o.Next, uint32(min(n, mostRounds)))
	case t.Paths == 0:
	case o.Next >= t.Paths:
		d.Lost++
	case d.Ended != nil:
		for range min(n, mostRounds) {
			d.Ended(o.Target, o.Next)
		}
	default:
		d.Counters[t.Counter(d.Counters, o.Next)] += n
	}
}

// mostRounds is how many rounds count at once in a window, so that times of a Tally have room for those of all its records.
const mostRounds = 1 << 18

// unless does operations if the call was passed without evidence.
//
//go:norace
func (d *Decoder) unless(f *Frame, o *Op) {
	i := o.Target - f.target
	if i >= f.n {
		d.Lost++
		return
	}
	s := &d.States[f.at+i]
	passed := s.watched && !s.marked
	s.marked, s.watched = false, true
	if first, n := uint32(o.Add), uint32(o.Add>>32); passed {
		for k := first; k < first+n; k++ {
			d.besides(f, s, &d.Ops[k])
		}
	}
}

// besides does an operation of a call that was passed without evidence.
//
//go:norace
func (d *Decoder) besides(f *Frame, s *State, o *Op) {
	switch o.Kind {
	case Unless:
		d.unless(f, o)
	case Choose:
		d.chooseUnseen(f, s, o)
	default:
		d.also(o)
	}
}

// chooseUnseen does what the one way does, of those without evidence, that agrees with looks since the call was passed for the
// last time. If there is not one, the path is not known, nor are those of what the call calls.
//
//go:norace
func (d *Decoder) chooseUnseen(f *Frame, s *State, o *Op) {
	w, one := d.agreeing(s, o)
	if one {
		for k := range uint32(w.N) {
			d.besides(f, s, &d.Ops[w.First+k])
		}
		return
	}
	if d.Draining {
		return
	}
	if o.Next < U(len(d.Doubts)) {
		d.Doubts[o.Next]++
	}
	d.miss(o.Target)
	for k := range uint32(w.N) {
		if c := &d.Ops[w.First+k]; c.Kind == Also && d.Targets[c.Target].At != d.Targets[o.Target].At {
			d.miss(c.Target)
		}
	}
}

// count counts a path. A target without paths is followed for what is executed besides.
//
//go:norace
func (d *Decoder) count(target uint32, path U) {
	if d.Tally != nil {
		d.Tally.Add(target, path)
		return
	}
	switch t := &d.Targets[target]; {
	case t.Paths == 0:
	case path >= t.Paths:
		d.Lost++
	case d.Ended != nil:
		d.Ended(target, path)
	default:
		d.Counters[t.Counter(d.Counters, path)]++
	}
}

// miss counts a path that is not known.
//
//go:norace
func (d *Decoder) miss(target uint32) {
	switch t := &d.Targets[target]; {
	case t.Paths == 0:
	case d.Tally != nil:
		d.Tally.Add(target, t.Paths)
	case d.Ended != nil:
		d.Ended(target, t.Paths)
	}
}

// doubt counts a doubt, if somebody counts them.
//
//go:norace
func (d *Decoder) doubt(s *State, o *Op) {
	if s.seen && o.Next < U(len(d.Doubts)) {
		d.Doubts[o.Next]++
	}
}

// look notes what a value tells.
//
//go:norace
func (d *Decoder) look(s *State, l *Look, value U) {
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

// agreeing returns the first way of a choice that agrees with looks, or the first of all, and whether it is the one that does. What
// was told of the blocks is of no use to the next choice.
//
//go:norace
func (d *Decoder) agreeing(s *State, o *Op) (w *Way, one bool) {
	first, n := uint32(o.Add), uint32(o.Add>>32)
	chosen, agree, about := first, 0, U(0)
	for k := first; k < first+n; k++ {
		w := &d.Ways[k]
		about |= w.Mask
		if s.told&w.Not == 0 {
			if agree++; agree == 1 {
				chosen = k
			}
		}
	}
	s.told &^= about
	return &d.Ways[chosen], agree == 1
}

// choose does what the one way does that agrees with looks. If there is not one, the path is in doubt.
//
//go:norace
func (d *Decoder) choose(f *Frame, s *State, o *Op) {
	w, one := d.agreeing(s, o)
	if !one {
		d.doubt(s, o)
	}
	for k := range uint32(w.N) {
		o := &d.Ops[w.First+k]
		s.lost = s.lost || !one && k >= uint32(w.Sure)
		switch {
		case one || o.Kind != Also && o.Kind != Unless:
			d.change(f, s, o)
		case o.Kind == Also && !d.Draining:
			d.miss(o.Target)
		}
	}
}
