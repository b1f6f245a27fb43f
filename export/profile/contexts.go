package profile

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/goprofinstr/goprofinstr/export/profile/internal/sums"
	"github.com/goprofinstr/goprofinstr/rt/rundata"
	"github.com/goprofinstr/goprofinstr/sampler/pcct"
	"github.com/goprofinstr/goprofinstr/ssacfg/pathnum"
)

// A Context is a node of the partial calling context tree. It is a stack of calls, of which it has the innermost frame, and
// functions inlined into that. See package pcct.
type Context struct {
	Parent *Context     // nil if it is outermost
	Frames []pcct.Frame // innermost first; none in the one for labels
	Labels []pcct.Label // of the goroutines, in an outermost Context

	// What was spent in the innermost of Frames.
	Time    int64 // CPU time, ns
	Samples int64 // that Time is made of

	// New is the CPU time of samples, in c or what it called, that found c's activation to have begun since the sample before,
	// ns. Where it is all of that time, calls are short and many, or none was seen twice. Where it is next to nothing, they run
	// for long. 0 without marks of activations (-frames N,marks).
	New int64
}

// PathContext is what was seen of a path in a calling context.
type PathContext struct {
	Context *Context // whose innermost frame is the path's function, at no line
	Count   int64    // share of the path's Count
	Samples int64    // that the share is estimated from
	Time    int64    // CPU time spent on the path there, ns
}

// Stack returns the frames of c and all that is outside of it, innermost first.
func (c *Context) Stack() []pcct.Frame {
	var stack []pcct.Frame
	for ; c != nil; c = c.Parent {
		stack = append(stack, c.Frames...)
	}
	return stack
}

// GoroutineLabels returns the labels of the goroutines that were in c.
func (c *Context) GoroutineLabels() []pcct.Label {
	for c.Parent != nil {
		c = c.Parent
	}
	return c.Labels
}

// contextTree puts the context trees of runs together.
type contextTree struct {
	list  []*Context
	known map[contextKey]*Context
	paths map[pathKey][]*pathShare

	byPackage map[string][]pathKey // keys of paths; see addTimed

	total sums.Total // of all numbers in it
}

// contextKey tells contexts apart: by what is outside of them, and their own frames or labels.
type contextKey struct {
	parent *Context
	text   string
}

// pathKey is a path of a package in some table of counts.
type pathKey struct {
	pkg    string
	hash   int    // -1 for the package's counters
	number uint64 // of the path in the hash table, or of the pair of counters
}

// pathShare is what was seen of a path in a context.
type pathShare struct {
	context                 *Context // nil if it has been forgotten: counts of it are in no PathContext
	estimate, samples, time uint64
}

func newContextTree() *contextTree {
	return &contextTree{known: make(map[contextKey]*Context), paths: make(map[pathKey][]*pathShare)}
}

// add adds what a run has, all of it or, if there is an error, nothing.
func (t *contextTree) add(run *rundata.Run) error {
	if run.Contexts == nil {
		return nil
	}
	after := t.total
	for _, n := range run.Contexts.Nodes {
		if err := after.Add(n.Time, n.New, n.Samples); err != nil {
			return err
		}
	}
	for _, p := range run.Contexts.Paths {
		if err := after.Add(p.Estimate, p.Samples, uint64(p.Time)); err != nil {
			return err
		}
	}
	t.total = after
	nodes := make([]*Context, len(run.Contexts.Nodes))
	for i, n := range run.Contexts.Nodes {
		var parent *Context
		if n.Parent >= 0 {
			parent = nodes[n.Parent]
		}
		c := t.context(parent, n)
		nodes[i] = c
		c.Time, c.New, c.Samples = c.Time+int64(n.Time), c.New+int64(n.New), c.Samples+int64(n.Samples)
	}
	for _, p := range run.Contexts.Paths {
		var context *Context // nil if it has been forgotten
		if p.Node >= 0 {
			context = nodes[p.Node]
		}
		share := t.share(pathKey{p.Package.Path, p.Hash, p.Number}, context)
		share.estimate += p.Estimate
		share.samples += p.Samples
		share.time += uint64(p.Time)
	}
	return nil
}

func (t *contextTree) context(parent *Context, n pcct.Node) *Context {
	var text strings.Builder
	for _, f := range n.Frames {
		fmt.Fprintf(&text, "%s\x00%s\x00%d\x00%d\x00", f.Name, f.File, f.Line, f.StartLine)
	}
	for _, l := range n.Labels {
		fmt.Fprintf(&text, "\x00%s\x00%s", l.Key, l.Value)
	}
	key := contextKey{parent, text.String()}
	c := t.known[key]
	if c == nil {
		c = &Context{Parent: parent, Frames: n.Frames, Labels: n.Labels}
		t.known[key] = c
		t.list = append(t.list, c)
	}
	return c
}

func (t *contextTree) share(key pathKey, c *Context) *pathShare {
	for _, s := range t.paths[key] {
		if s.context == c {
			return s
		}
	}
	s := &pathShare{context: c}
	t.paths[key] = append(t.paths[key], s)
	return s
}

// addTimed adds the paths that time was spent on and that have no count. A path that makes no sense is left out.
func (t *contextTree) addTimed(f *Function) {
	if f.Declined() {
		return
	}
	known := make(map[uint64]bool)
	for i := range f.Paths {
		known[f.Paths[i].ID] = true
	}
	var d *pathnum.Decoder
	if t.byPackage == nil {
		t.byPackage = make(map[string][]pathKey)
		for key := range t.paths {
			t.byPackage[key.pkg] = append(t.byPackage[key.pkg], key)
		}
	}
	for _, key := range t.byPackage[f.Package] {
		id := key.number - f.Table.First
		of := key.hash == -1 && !f.inHash() && key.number >= f.Table.First && id < f.Table.Values.NumPaths
		if f.inHash() {
			of, id = key.hash == f.Table.Hash, key.number
		}
		timed := func(s *pathShare) bool { return s.time > 0 }
		if !of || known[id] || !slices.ContainsFunc(t.paths[key], timed) {
			continue
		}
		if d == nil {
			d = f.Decoder()
		}
		if p, err := newPath(d, id, f.BranchEdges()); err == nil {
			f.Paths = append(f.Paths, p)
		}
	}
	slices.SortFunc(f.Paths, func(a, b Path) int { return cmp.Compare(a.ID, b.ID) })
}

// attach gives the paths of f their contexts.
func (t *contextTree) attach(f *Function) {
	for i := range f.Paths {
		p := &f.Paths[i]
		shares := t.paths[f.pathKey(p)]
		for _, s := range shares {
			p.Time += int64(s.time)
		}
		counts := divide(p.Count, shares)
		for j, s := range shares {
			if s.context == nil {
				continue
			}
			p.Contexts = append(p.Contexts, PathContext{s.context, counts[j], int64(s.samples), int64(s.time)})
		}
		slices.SortStableFunc(p.Contexts, func(a, b PathContext) int { return cmp.Compare(b.Count, a.Count) })
	}
}

// A Call is how often a function was entered in a calling context.
type Call struct {
	Context *Context // whose innermost frame is the function, at no line
	Count   int64
}

// callsSeen returns in what contexts f was entered, as far as stacks tell. An activation has one path that starts at the
// entry. If that leads into a loop, it has one that leaves a loop for the exit, too, unless it is abandoned. Paths into
// loops are few beside those of the loop and share a probe with them, so few are seen with their stack. Those to the exit
// have probes of their own. So both tell the contexts of what is entered and runs into a loop.
func (f *Function) callsSeen() []Call {
	calls := new(contextSums)
	var into, out contextSums
	for i := range f.Paths {
		p := &f.Paths[i]
		switch looping := f.EndsInLoop(p); {
		case !p.Loop && !looping:
			calls.addPath(p)
		case !p.Loop:
			into.addPath(p)
		case !looping:
			out.addPath(p)
		}
	}
	calls.addPooled(&into, &out)
	var list []Call
	for _, c := range calls.order {
		if n := calls.counts[c]; n > 0 {
			list = append(list, Call{c, n})
		}
	}
	return list
}

// contextSums adds up paths by context.
type contextSums struct {
	order  []*Context // in which they were found
	counts map[*Context]int64
	known  int64 // the sum of counts
	all    int64 // executions, those in no known context among them
	looks  int64 // stacks that the contexts are known from
}

func (s *contextSums) add(c *Context, n int64) {
	if s.counts == nil {
		s.counts = make(map[*Context]int64)
	}
	if _, ok := s.counts[c]; !ok {
		s.order = append(s.order, c)
	}
	s.counts[c] += n
	s.known += n
}

func (s *contextSums) addPath(p *Path) {
	s.all += p.Count
	for _, c := range p.Contexts {
		if c.Count > 0 {
			s.add(c.Context, c.Count)
			s.looks += c.Samples
		}
	}
}

// addPooled adds the executions of paths that lead into loops. Their contexts are what they were seen in themselves, and what the
// paths that leave loops were seen in. Each is as good as it has stacks. Where the two kinds are not about as many, most
// activations have not returned, and the second says nothing about them.
func (s *contextSums) addPooled(into, out *contextSums) {
	if out.known == 0 || out.all < into.all/2 || out.all/2 > into.all {
		for _, c := range into.order {
			s.add(c, into.counts[c])
		}
		return
	}
	var order []*Context
	shares := make(map[*Context]float64)
	for _, of := range []*contextSums{into, out} {
		for _, c := range of.order {
			if shares[c] == 0 {
				order = append(order, c)
			}
			shares[c] += float64(of.counts[c]) / float64(of.known) * float64(max(of.looks, 1))
		}
	}
	weights := make([]uint64, len(order))
	for i, c := range order {
		weights[i] = uint64(shares[c] / float64(into.looks+out.looks+2) * (1 << 40))
	}
	for i, n := range apportion(into.all, weights) {
		s.add(order[i], n)
	}
}

// divide divides a count in proportion to the estimates of shares, so that the parts add up to it. If all estimates are
// 0, so are the parts.
func divide(count int64, shares []*pathShare) []int64 {
	estimates := make([]uint64, len(shares))
	for i, s := range shares {
		estimates[i] = s.estimate
	}
	return apportion(count, estimates)
}

// apportion is divide for any weights.
func apportion(count int64, weights []uint64) []int64 {
	parts := make([]int64, len(weights))
	var total uint64
	for _, w := range weights {
		total += w
	}
	if total == 0 {
		return parts
	}
	d := sums.Division{Number: uint64(count), Weights: total}
	for i, w := range weights {
		parts[i] = int64(d.Next(w))
	}
	return parts
}
