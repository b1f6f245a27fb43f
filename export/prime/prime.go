package prime

import (
	"cmp"
	"slices"

	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// A State is what is known of a prime path.
type State string

const (
	Covered    State = "covered"
	Missing    State = "missing"    // it was not executed
	Untold     State = "not told"   // it may have been: paths and pairs do not tell
	Infeasible State = "infeasible" // it was not, and cannot be
)

// States are all states, in the order in which reports have them.
var States = []State{Covered, Missing, Untold, Infeasible}

// A Path is a prime path.
type Path struct {
	Edges     []int // edge ids in order, at least one
	State     State
	Low, High int64 // how often it was executed; the two differ if that is known within bounds only
	Estimate  int64 // between the two where pairs of paths were sampled, else 0
}

// Exact reports whether it is known how often the path was executed.
func (p *Path) Exact() bool { return p.Low == p.High }

// A Function has the prime paths of a function.
type Function struct {
	*profile.Function
	Total map[State]int
	List  map[State][]Path // of each state some, the most frequent first

	// TooMany tells that there are more prime paths than are enumerated. Then Total has those that were found in executed
	// paths, and it is not known how many are missing.
	TooMany bool

	// Why is why pairs were not counted, although a path can follow another; "" if they were.
	Why string
}

// Options say which prime paths are meant.
type Options struct {
	Most int                    // of each state, in Function.List
	Has  func(edges []int) bool // those it is about; nil for all
}

// Of returns the prime paths of a function. That of a declined one has none.
func Of(f *profile.Function, o Options) *Function {
	fn := &Function{Function: f, Total: make(map[State]int), List: make(map[State][]Path)}
	if f.Declined() {
		return fn
	}
	fn.Why = whyNot(f)
	r := &reader{fn: fn, graph: newGraph(f.Table), Options: o}
	var found bool
	r.executed, found = r.graph.executed(f)
	r.chain = newChain(r.graph, f)
	if !r.graph.enumerate(Most, mostSteps, r.visit) || !found {
		fn.TooMany = true
		fn.Total, fn.List = make(map[State]int), make(map[State][]Path)
		for _, p := range r.fromKeys() {
			r.add(p)
		}
	}
	for _, list := range fn.List {
		slices.SortStableFunc(list, byCount)
	}
	return fn
}

// whyNot returns why there are no pairs of a function, in which a path can follow another.
func whyNot(f *profile.Function) string {
	switch {
	case !HasLoop(f):
		return ""
	case f.Table.Pairs == nil:
		return "wrap -iterations 2 counts pairs of paths"
	}
	return f.Table.Pairs.Declined
}

// HasLoop reports whether a path of a function can follow another.
func HasLoop(f *profile.Function) bool {
	return slices.ContainsFunc(f.Table.Edges, func(e table.Edge) bool { return e.Back })
}

// Demanded returns how many prime paths are known to be covered or missing.
func (f *Function) Demanded() int { return f.Total[Covered] + f.Total[Missing] }

// A reader finds out what is known of the prime paths of a function.
type reader struct {
	fn       *Function
	graph    *graph
	chain    *chain
	executed executed
	Options
}

// visit adds a prime path.
func (r *reader) visit(edges []int) {
	p := Path{Edges: edges}
	f := r.fn.Function
	joins := r.graph.joins(edges)
	switch {
	case joins == 0:
		p.Low = r.executed[key(edges)].least
		p.High = p.Low
	case joins == 1 && f.Table.Pairs.On():
		p.set(r.executed[key(edges)], f.LostPairs)
	default:
		p.Low, p.High = r.chain.bounds(edges)
		p.High += f.LostPairs
	}
	switch {
	case p.Low > 0:
		p.State = Covered
	case r.infeasible(edges):
		p.State, p.High = Infeasible, 0
	case p.High > 0 || f.Certainty() < profile.Whether:
		p.State = Untold
	default:
		p.State = Missing
	}
	r.add(p)
}

// set sets what is known of a path over a back edge: lost executions may be of the path, too.
func (p *Path) set(n count, lost int64) {
	p.Low, p.High = n.least, n.least+lost
	if lost > 0 {
		p.Estimate = min(n.estimate, p.High)
	}
}

// add counts a path, and keeps it if it is one of the most frequent of its state.
func (r *reader) add(p Path) {
	if r.Has != nil && !r.Has(p.Edges) {
		return
	}
	r.fn.Total[p.State]++
	list := r.fn.List[p.State]
	if len(list) >= r.Most {
		least := -1
		for i := range list {
			if least < 0 || byCount(list[i], list[least]) > 0 {
				least = i
			}
		}
		if least < 0 || byCount(p, list[least]) >= 0 {
			return
		}
		list = slices.Delete(list, least, least+1)
	}
	p.Edges = slices.Clone(p.Edges)
	r.fn.List[p.State] = append(list, p)
}

// byCount has the most frequent first, and of those the shorter.
func byCount(a, b Path) int {
	return cmp.Or(cmp.Compare(b.Low, a.Low), cmp.Compare(b.High, a.High), cmp.Compare(len(a.Edges), len(b.Edges)))
}

// infeasible reports whether conditions contradict each other on a part of a path between back edges.
func (r *reader) infeasible(edges []int) bool {
	return slices.ContainsFunc(r.chain.parts(edges), r.fn.Infeasible)
}

// fromKeys returns the prime paths that were found in paths and pairs.
func (r *reader) fromKeys() (list []Path) {
	for k, n := range r.executed {
		p := Path{Edges: edgesOf(k), State: Covered, Low: n.least, High: n.least}
		if r.graph.joins(p.Edges) > 0 {
			p.set(n, r.fn.LostPairs)
		}
		list = append(list, p)
	}
	slices.SortFunc(list, func(a, b Path) int { return slices.Compare(a.Edges, b.Edges) })
	return list
}

// A Total is how many prime paths functions have.
type Total struct {
	States    map[State]int // of functions without TooMany
	Functions int           // that have any
	TooMany   int           // functions with more than are enumerated
	CoveredOf int           // covered prime paths of these
	Uncounted int           // functions whose pairs were not counted
}

// Add adds what is known of a function.
func (t *Total) Add(f *Function) {
	if f.Declined() {
		return
	}
	if t.States == nil {
		t.States = make(map[State]int)
	}
	t.Functions++
	if f.Why != "" {
		t.Uncounted++
	}
	if f.TooMany {
		t.TooMany++
		t.CoveredOf += f.Total[Covered]
		return
	}
	for s, n := range f.Total {
		t.States[s] += n
	}
}

// Demanded returns how many prime paths are known to be covered or missing.
func (t *Total) Demanded() int { return t.States[Covered] + t.States[Missing] }
