package derive

import (
	"go/token"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/goprofinstr/goprofinstr/rewrite/machine"
	"github.com/goprofinstr/goprofinstr/rewrite/pathmap"
	"github.com/goprofinstr/goprofinstr/ssacfg/pathnum"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// A Code is a machine function.
type Code struct {
	M       *machine.Function
	Targets []*pathmap.Target // M itself, and calls that were inlined into it
	Left    bool              // nothing is counted in it
}

// A Program is the code of packages with labels.
type Program struct {
	Sources   map[string]*pathmap.Source // by import path
	Codes     []*Code
	Arch      string                 // GOARCH
	Inlinable func(name string) bool // whether the compiler can inline a function, which is named as PlainName has it

	// Symbols are the import paths of packages, by what their symbols begin with, if that is another word (main).
	Symbols map[string]string
}

// A deriver finds what is to be counted.
type deriver struct {
	*Program
	*Found
	funcs    map[string]*pathmap.Func // by name
	source   map[*pathmap.Func]*pathmap.Source
	calls    map[*pathmap.Func][]pathmap.Call
	mentions map[string]*pathmap.Mentions // by import path
	within   map[*pathmap.Func]bool       // calls without code that are being counted
	followed int                          // how many were, from the outermost on
	opened   map[*pathmap.Func]bool       // functions of those that were too many
	targets  map[*machine.Scope]*pathmap.Target
	names    map[*machine.Scope]string // with import paths in place of what symbols begin with
}

// Find returns what there is to count.
func (p *Program) Find() (*Found, error) {
	d := &deriver{Program: p, funcs: make(map[string]*pathmap.Func), source: make(map[*pathmap.Func]*pathmap.Source),
		calls: make(map[*pathmap.Func][]pathmap.Call), mentions: make(map[string]*pathmap.Mentions),
		within: make(map[*pathmap.Func]bool), targets: make(map[*machine.Scope]*pathmap.Target)}
	d.Found = &Found{
		Shares: make(map[*pathmap.Func][]Share), Counted: make(map[*pathmap.Target]bool), runs: make(map[*pathmap.Target]Sum),
	}
	d.readNames()
	for _, path := range slices.Sorted(maps.Keys(p.Sources)) {
		s := p.Sources[path]
		d.mentions[path] = s.Mentions()
		for _, f := range s.Funcs {
			d.funcs[pathmap.PlainName(path+"."+f.Name)] = f
			d.source[f], d.calls[f] = s, s.Calls(f)
			d.Shares[f], d.order = nil, append(d.order, f)
		}
	}
	for _, c := range p.Codes {
		for _, t := range c.Targets {
			if t.At == nil {
				d.targets[c.M.Root] = t
			} else {
				d.targets[t.At] = t
			}
		}
	}
	if d.Inlinable == nil {
		d.Inlinable = d.inlinable()
	}
	inlinable := d.Inlinable
	d.Inlinable = func(name string) bool { return inlinable(name) && !isIntrinsic(d.Arch, name) }
	for _, c := range p.Codes {
		if err := d.code(c); err != nil {
			return nil, err
		}
	}
	d.initial()
	return d.Found, nil
}

// share notes that a path of a function is executed without evidence, or any path if that is -1.
func (d *deriver) share(f *pathmap.Func, path int64, n Sum, why string) {
	d.Shares[f] = append(d.Shares[f], Share{path, n, why})
}

// An instance is a machine function, or a call that was inlined into one.
type instance struct {
	code   *Code
	scope  *machine.Scope
	parent *instance
	f      *pathmap.Func   // nil if the source is not known
	t      *pathmap.Target // if it is
	runs   Sum
	unseen []Sum // by way without evidence: its executions

	children []*instance
	reached  []reached // if found
	found    bool
	stops    map[int][]stop // of return statements, by block of the source; nil if not found
}

// code counts what is in a machine function.
func (d *deriver) code(c *Code) error {
	if c.Left {
		d.leave(c.M.Root, c.M.Name)
		return nil
	}
	in := &instance{code: c, scope: c.M.Root, t: d.targets[c.M.Root], runs: one(Event{Kind: Entered, M: c.M})}
	if in.t != nil {
		in.f = in.t.F
		in.runs = one(Event{Block, c.M, in.t, 0})
	}
	return d.visit(in)
}

// leave has the functions be open that are in a machine function of which nothing is known, and those that they call.
func (d *deriver) leave(s *machine.Scope, name string) {
	if f := d.funcs[Function(d.names[s])]; f != nil {
		d.share(f, -1, Sum{Why: "it is in " + name + ", which is not followed"}, "")
		for _, c := range d.calls[f] {
			if g := d.funcs[c.Callee]; g != nil && d.Inlinable(c.Callee) {
				d.withoutCode(&instance{}, g, c, unknown("%s calls it, and is not followed", name))
			}
		}
	}
	for _, c := range s.Children {
		d.leave(c, name)
	}
}

// visit counts what is called in an instance.
func (d *deriver) visit(in *instance) error {
	d.spread(in)
	made := d.made(in)
	if in.f != nil {
		d.folded(in, made)
	} else if len(made) == 0 {
		d.foldedIn(in)
	}
	for _, c := range in.children {
		c.runs = d.runsOf(in, c.scope)
		if c.f != nil {
			if err := d.inlined(c); err != nil {
				return err
			}
		}
		if err := d.visit(c); err != nil {
			return err
		}
	}
	return nil
}

// spread finds the calls that were inlined into an instance.
func (d *deriver) spread(in *instance) {
	if in.children != nil {
		return
	}
	for _, s := range in.scope.Children {
		c := &instance{code: in.code, scope: s, parent: in, t: d.targets[s]}
		if c.t != nil {
			c.f = c.t.F
		}
		in.children = append(in.children, c)
	}
}

// onePath reports whether a function has one path.
func onePath(f *pathmap.Func) bool { return len(f.Graph.Edges) == 1 }

// panics reports whether the path of a function ends with a panic.
func panics(f *pathmap.Func) bool { return f.Graph.Edges[0].Kind == table.CallPanic }

// inlined counts an inlined call that may leave no evidence. That of a function of one path counts as often as it is
// executed, whatever evidence there is: instructions of the call may be among those around it, and seem to be several calls.
func (d *deriver) inlined(c *instance) error {
	ways := c.t.Unseen
	seen := one(Event{Kind: Seen, M: c.code.M, T: c.t})
	switch {
	case onePath(c.f) && (panics(c.f) || !c.runs.told()) && len(ways) == 0 && !c.t.Reenters():
		c.runs = seen
		return nil
	case onePath(c.f):
		d.Counted[c.t] = true
		d.share(c.f, 0, d.ends(c).plus(seen, -1), "")
		return nil
	case len(ways) == 0:
		return nil
	}
	d.runs[c.t], d.ways = c.runs, append(d.ways, c.t)
	for k, way := range ways {
		n := one(Event{Kind: Way, M: c.code.M, T: c.t, K: k})
		c.unseen = append(c.unseen, n)
		id, err := d.path(c.f, way)
		if err != nil {
			return err
		}
		why := ""
		if id < 0 {
			why = "a way without evidence is of several paths"
		}
		d.share(c.f, id, n, why)
	}
	return nil
}

// path returns the number of a way from entry to exit, -1 if that is several paths.
func (d *deriver) path(f *pathmap.Func, way []int) (int64, error) {
	for _, e := range way {
		if f.Numbering.Cut[e] {
			return -1, nil
		}
	}
	dec, err := f.Decoder()
	if err != nil {
		return 0, err
	}
	id, err := dec.Number(pathnum.Path{Edges: way})
	return int64(id), err
}

// runsOf returns how often a call that was inlined into an instance is executed.
func (d *deriver) runsOf(in *instance, s *machine.Scope) Sum {
	switch {
	case in.f != nil:
		return d.runsAt(in, s)
	case isWrapper(in) || s.CallFile == autogenerated || in.scope == in.code.M.Root && d.initializes(d.names[in.scope]):
		return in.runs
	case in.runs.none():
		return Sum{}
	}
	return in.runs.because("it is inlined into code without labels, of %s in %s", in.scope.Name, in.code.M.Name)
}

// initializes reports whether a machine function evaluates initial values of package variables.
func (d *deriver) initializes(name string) bool {
	path, ok := strings.CutSuffix(name, ".init")
	return ok && d.Sources[path] != nil
}

// What the compiler calls what it makes.
const (
	autogenerated = "<autogenerated>" // file
	methodValue   = "-fm"
)

var wrapsStatement = regexp.MustCompile(`\.(deferwrap|gowrap)\d+$`)

// isWrapper reports whether an instance calls another function once, and does nothing else.
func isWrapper(in *instance) bool {
	name := in.scope.Name
	return in.f == nil && (hasDictionary(name) || strings.HasSuffix(name, methodValue) || wrapsStatement.MatchString(name))
}

// hasDictionary reports whether a function calls that of a shape with a dictionary.
func hasDictionary(name string) bool {
	return strings.Contains(name, "[") && !strings.Contains(name, "go.shape.")
}

// Function returns the name that the source has for a machine function or an inlined call. It is "" for what calls the code
// of a shape with a dictionary.
func Function(name string) string {
	if hasDictionary(name) {
		return ""
	}
	return pathmap.PlainName(name)
}

// runsAt returns how often an inlined call is executed in an instance with a source.
func (d *deriver) runsAt(in *instance, s *machine.Scope) Sum {
	place, name := d.source[in.f].Place(s.CallFile, s.CallLine), d.nameOf(s)
	var same, other []pathmap.Call
	for _, c := range d.calls[in.f] {
		switch {
		case c.Place != place || c.Piece < 0:
		case c.Callee == name:
			same = append(same, c)
		default:
			other = append(other, c)
		}
	}
	if len(same) == 0 {
		same = other // a function value, or a wrapper
	}
	if len(same) > 0 {
		return d.runsOfEach(in, same)
	}
	if b := in.t.CallBlock(s); b >= 0 {
		return in.block(b)
	}
	return unknown("%s: the source has no call at %s:%d", in.f.Name, s.CallFile, s.CallLine)
}

// nameOf returns the name that the source has for what was inlined. Literals have others where they are copied.
func (d *deriver) nameOf(s *machine.Scope) string {
	if t := d.targets[s]; t != nil {
		return d.source[t.F].NameOf(t.F)
	}
	return pathmap.PlainName(d.names[s])
}

// runsOfEach returns how often each of several calls is executed, if that is the same for all. A call on several edges is
// one.
func (d *deriver) runsOfEach(in *instance, calls []pathmap.Call) Sum {
	var all []Sum
	for _, sites := range byPosition(calls) {
		all = append(all, d.sum(in, sites))
	}
	for _, n := range all {
		if n.Why != "" || !maps.Equal(n.Terms, all[0].Terms) {
			return unknown("%s: calls at one place are not executed equally often%s", in.f.Name, n.Why)
		}
	}
	return all[0]
}

// byPosition returns the calls of each position.
func byPosition(calls []pathmap.Call) map[token.Pos][]pathmap.Call {
	at := make(map[token.Pos][]pathmap.Call)
	for _, c := range calls {
		at[c.Pos] = append(at[c.Pos], c)
	}
	return at
}

// at returns how often a call in an instance is executed.
func (d *deriver) at(in *instance, c pathmap.Call) Sum {
	switch {
	case !c.Counted:
		return unknown("%s: it is not known which edge a call is on", in.f.Name)
	case c.Block >= 0:
		return d.passes(in, c.Index)
	case onePath(in.f):
		return in.runs
	}
	return one(Event{Edge, in.code.M, in.t, c.Edge}).plus(in.times(func(e int) bool { return e == c.Edge }), 1)
}

// block returns how often a block of an instance is executed: how often control leaves it.
func (in *instance) block(b int) Sum {
	if onePath(in.f) {
		return in.runs
	}
	var sum Sum
	if in.t.Reached(b) {
		sum = one(Event{Block, in.code.M, in.t, b})
	}
	return sum.plus(in.times(func(e int) bool { return in.f.Graph.Edges[e].From.Index() == b }), 1)
}

// times returns how often edges are taken in executions without evidence.
func (in *instance) times(on func(edge int) bool) (sum Sum) {
	for k, n := range in.unseen {
		for _, e := range in.t.Unseen[k] {
			if on(e) {
				sum = sum.plus(n, 1)
			}
		}
	}
	return sum
}

// A made is what the machine code has of calls at a place: their names, "" for calls of function values.
type made map[pathmap.Place][]string

// made returns the calls in an instance, inlined ones too.
func (d *deriver) made(in *instance) made {
	list := make(made)
	source := in.t
	note := func(file string, line int, name string) {
		place := pathmap.Place{Piece: -1}
		if source != nil {
			place = source.Place(file, line)
		}
		list[place] = append(list[place], name)
	}
	for _, s := range in.scope.Children {
		note(s.CallFile, s.CallLine, d.nameOf(s))
	}
	for _, i := range in.code.M.Insts {
		last := in.code.M.Root
		if n := len(i.Chain); n > 0 {
			last = i.Chain[n-1]
		}
		if last != in.scope || !i.IsCall() && !in.leaves(i) {
			continue
		}
		if !strings.HasPrefix(i.Callee, "runtime.") && !strings.HasPrefix(i.Callee, "gcWriteBarrier") {
			note(i.File, i.Line, d.plain(i.Callee))
		}
	}
	return list
}

// leaves reports whether an instruction jumps out of the function, as the calls at the end of wrappers do.
func (in *instance) leaves(i *machine.Inst) bool {
	to, direct := i.Target()
	m := in.code.M
	return i.IsJump() && !i.IsConditional() && direct && !(m.Lo <= to && to < m.Hi)
}
