package derive

import (
	"fmt"
	"go/token"
	"regexp"
	"strings"

	"github.com/goprofinstr/goprofinstr/rewrite/machine"
	"github.com/goprofinstr/goprofinstr/rewrite/pathmap"
	"github.com/goprofinstr/goprofinstr/ssacfg/pathnum"
)

// A Code is a machine function, and what was counted in it.
type Code struct {
	M       *machine.Function
	Walkers []*pathmap.Walker // of M itself, and of calls that were inlined into it
	Entries int64             // how often M was entered
	Lost    bool              // control was where no edge leads, so that counts may be too low
	Left    bool              // nothing was counted
}

// A Program is the code of packages with labels.
type Program struct {
	Sources   map[string]*pathmap.Source // by import path
	Codes     []*Code
	Inlinable func(name string) bool // whether the compiler can inline a function, which is named as PlainName has it
}

// A Count is how often a function was executed without evidence.
type Count struct {
	Paths map[uint64]int64  // by path, those that are known
	Open  map[uint64]string // paths that may have been executed more often, and why
	Any   string            // why each path may have been, or ""
	Calls int               // inlined calls without evidence, known or not
}

// A number is of executions. It may not be known, and why says why.
type number struct {
	n   int64
	why string
}

func unknown(format string, args ...any) number { return number{why: fmt.Sprintf(format, args...)} }

// none reports whether there was no execution.
func (n number) none() bool { return n.why == "" && n.n == 0 }

func (n number) plus(o number) number {
	if n.why == "" {
		n.why = o.why
	}
	n.n += o.n
	return n
}

// A deriver derives counts.
type deriver struct {
	*Program
	funcs    map[string]*pathmap.Func // by name
	source   map[*pathmap.Func]*pathmap.Source
	calls    map[*pathmap.Func][]pathmap.Call
	mentions map[string]*pathmap.Mentions // by import path
	counts   map[*pathmap.Func]*Count
	within   map[*pathmap.Func]bool // calls without code that are being counted
	walkers  map[*machine.Scope]*pathmap.Walker
}

// Derive returns what follows for each function.
func (p *Program) Derive() (map[*pathmap.Func]*Count, error) {
	d := &deriver{Program: p, funcs: make(map[string]*pathmap.Func), source: make(map[*pathmap.Func]*pathmap.Source),
		calls: make(map[*pathmap.Func][]pathmap.Call), mentions: make(map[string]*pathmap.Mentions),
		counts: make(map[*pathmap.Func]*Count), within: make(map[*pathmap.Func]bool), walkers: make(map[*machine.Scope]*pathmap.Walker)}
	for path, s := range p.Sources {
		d.mentions[path] = s.Mentions()
		for _, f := range s.Funcs {
			d.funcs[pathmap.PlainName(path+"."+f.Name)] = f
			d.source[f], d.calls[f] = s, s.Calls(f)
			d.counts[f] = &Count{Paths: make(map[uint64]int64), Open: make(map[uint64]string)}
		}
	}
	for _, c := range p.Codes {
		for _, w := range c.Walkers {
			if w.T.At == nil {
				d.walkers[c.M.Root] = w
			} else {
				d.walkers[w.T.At] = w
			}
		}
	}
	for _, c := range p.Codes {
		if err := d.code(c); err != nil {
			return nil, err
		}
	}
	d.initial()
	return d.counts, nil
}

// An instance is a machine function, or a call that was inlined into one.
type instance struct {
	code   *Code
	scope  *machine.Scope
	parent *instance
	f      *pathmap.Func   // nil if the source is not known
	w      *pathmap.Walker // if it is
	runs   number
	unseen []number // by way without evidence: its executions
}

// code counts what is in a machine function.
func (d *deriver) code(c *Code) error {
	if c.Left {
		d.leave(c.M.Root, c.M.Name)
		return nil
	}
	in := &instance{code: c, scope: c.M.Root, w: d.walkers[c.M.Root], runs: number{n: c.Entries}}
	if c.Lost {
		in.runs.why = c.M.Name + ": control was where no edge leads"
	}
	if in.w != nil {
		in.f = in.w.T.F
	}
	return d.visit(in)
}

// leave has the functions be open that are in a machine function of which nothing is known, and those that they call.
func (d *deriver) leave(s *machine.Scope, name string) {
	if f := d.funcs[Function(s.Name)]; f != nil {
		d.counts[f].Any = "it is in " + name + ", which is not followed"
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
	made := d.made(in)
	if in.f != nil {
		d.folded(in, made)
	} else if len(made) == 0 {
		d.foldedIn(in)
	}
	for _, s := range in.scope.Children {
		c := &instance{code: in.code, scope: s, parent: in, w: d.walkers[s], runs: d.runsOf(in, s)}
		if in.code.Lost && c.runs.why == "" {
			c.runs.why = in.code.M.Name + ": control was where no edge leads"
		}
		if c.w != nil {
			c.f = c.w.T.F
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

// onePath reports whether a function has one path.
func onePath(f *pathmap.Func) bool { return len(f.Graph.Edges) == 1 }

// inlined counts an inlined call that may leave no evidence. That of a function of one path counts as often as it is
// executed, whatever evidence there is: instructions of the call may be among those around it, and seem to be several calls.
func (d *deriver) inlined(c *instance) error {
	ways, count := c.w.T.Unseen, d.counts[c.f]
	switch {
	case onePath(c.f) && c.runs.why != "" && len(ways) == 0 && !c.w.T.Reenters():
		c.runs = number{n: c.w.Counts[0]}
		return nil
	case onePath(c.f):
		count.Calls++
		if c.runs.why != "" {
			count.Open[0] = c.runs.why
		} else {
			count.Paths[0] += c.runs.n - c.w.Counts[0]
		}
		return nil
	case len(ways) == 0:
		return nil
	}
	count.Calls++
	c.unseen = c.byWay()
	for k, way := range ways {
		id, err := d.path(c.f, way)
		switch n := c.unseen[k]; {
		case err != nil:
			return err
		case n.none():
		case id < 0:
			count.Any = "a way without evidence is of several paths"
		case n.why != "":
			count.Open[uint64(id)] = n.why
		default:
			count.Paths[uint64(id)] += n.n
		}
	}
	return nil
}

// byWay returns how often each way without evidence was taken. Where there are several, looks tell that, if there was one in
// each execution.
func (in *instance) byWay() []number {
	list := make([]number, len(in.w.T.Unseen))
	rest := in.runs
	if rest.n -= in.w.Entered; rest.why == "" && rest.n < 0 {
		rest = unknown("%s in %s: executed %d times, and seen %d times", in.f.Name, in.code.M.Name, in.runs.n, in.w.Entered)
	}
	if rest.why != "" || rest.n == 0 || len(list) == 1 {
		for k := range list {
			list[k] = rest
		}
		return list
	}
	for _, chosen := range in.w.Chosen {
		sum := int64(0)
		for k, n := range chosen {
			list[k] = number{n: n}
			sum += n
		}
		if sum == rest.n {
			return list
		}
	}
	for k := range list {
		list[k] = unknown("several ways have no evidence")
	}
	return list
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
func (d *deriver) runsOf(in *instance, s *machine.Scope) number {
	switch {
	case in.f != nil:
		return d.runsAt(in, s)
	case isWrapper(in) || s.CallFile == autogenerated || in.scope == in.code.M.Root && d.initializes(in.scope.Name):
		return in.runs
	case in.runs.none():
		return number{}
	}
	return unknown("it is inlined into code without labels, of %s in %s", in.scope.Name, in.code.M.Name)
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
func (d *deriver) runsAt(in *instance, s *machine.Scope) number {
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
	if b := in.w.T.CallBlock(s); b >= 0 {
		return in.block(b)
	}
	return unknown("%s: the source has no call at %s:%d", in.f.Name, s.CallFile, s.CallLine)
}

// nameOf returns the name that the source has for what was inlined. Literals have others where they are copied.
func (d *deriver) nameOf(s *machine.Scope) string {
	if w := d.walkers[s]; w != nil {
		return d.source[w.T.F].NameOf(w.T.F)
	}
	return pathmap.PlainName(s.Name)
}

// runsOfEach returns how often each of several calls is executed, if that is the same for all. A call on several edges is
// one.
func (d *deriver) runsOfEach(in *instance, calls []pathmap.Call) number {
	var all []number
	for _, sites := range byPosition(calls) {
		var sum number
		for _, c := range sites {
			sum = sum.plus(in.at(c))
		}
		all = append(all, sum)
	}
	for _, n := range all {
		if n.why != "" || n.n != all[0].n {
			return unknown("%s: calls at one place are not executed equally often%s", in.f.Name, n.why)
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
func (in *instance) at(c pathmap.Call) number {
	switch {
	case !c.Counted:
		return unknown("%s: it is not known which edge a call is on", in.f.Name)
	case onePath(in.f):
		return in.runs
	case c.Block >= 0:
		return in.block(c.Block)
	}
	n, known := in.w.Edge(c.Edge)
	if !known {
		return unknown("%s in %s: an edge is in doubt", in.f.Name, in.code.M.Name)
	}
	return number{n: n}.plus(in.times(func(way []int) int64 {
		for _, e := range way {
			if e == c.Edge {
				return 1
			}
		}
		return 0
	}))
}

// block returns how often a block of an instance is executed.
func (in *instance) block(b int) number {
	if onePath(in.f) {
		return in.runs
	}
	n, known := in.w.Arrivals(b)
	if !known {
		return unknown("%s in %s: a block is in doubt", in.f.Name, in.code.M.Name)
	}
	sum := number{n: n}
	if b == 0 {
		if in.w.T.At == nil {
			sum = sum.plus(in.runs)
		} else {
			sum.n += in.w.Entered
		}
	}
	return sum.plus(in.times(func(way []int) int64 { return in.f.Times(way, b) }))
}

// times returns how often something happens in executions without evidence.
func (in *instance) times(on func(way []int) int64) (sum number) {
	for k, n := range in.unseen {
		if times := on(in.w.T.Unseen[k]); times > 0 && !n.none() {
			sum = sum.plus(number{n.n * times, n.why})
		}
	}
	return sum
}

// A made is what the machine code has of calls at a place: their names, "" for calls of function values.
type made map[pathmap.Place][]string

// made returns the calls in an instance, inlined ones too.
func (d *deriver) made(in *instance) made {
	list := make(made)
	var source *pathmap.Target
	if in.w != nil {
		source = in.w.T
	}
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
			note(i.File, i.Line, pathmap.PlainName(i.Callee))
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
