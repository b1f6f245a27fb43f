package link

import (
	"fmt"
	"runtime"
	"sync/atomic"

	"github.com/goprofinstr/goprofinstr/rewrite/copies"
	"github.com/goprofinstr/goprofinstr/rewrite/derive"
	"github.com/goprofinstr/goprofinstr/rewrite/label"
	"github.com/goprofinstr/goprofinstr/rewrite/machine"
	"github.com/goprofinstr/goprofinstr/rewrite/pathmap"
	rt "github.com/goprofinstr/goprofinstr/rt/copies"
	"github.com/goprofinstr/goprofinstr/rt/pathlog"
)

// A mapper maps the machine code of a program.
type mapper struct {
	*sources
	image   *machine.Image
	codes   []*code
	targets map[*pathmap.Func][]*pathmap.Target
	not     map[*pathmap.Func]reason // why functions are not counted
	all     []*code                  // those without functions of the source, too
	derived *derived
}

// A code is a machine function that has functions of the source in it.
type code struct {
	*machine.Function
	targets []target
	err     error // it cannot be decoded
}

// A target is a function of the source in a machine function, with its plan.
type target struct {
	F *pathmap.Func
	*pathmap.Target
	plan *pathmap.Plan
	err  error // there is no map
}

// A reason says why a function is not counted, to the program and to people.
type reason struct {
	number uint32 // of package rt/copies
	text   string
}

// openImage opens a program with the functions of packages whose symbols begin so.
func openImage(binary string, symbols []string) (*machine.Image, error) {
	ours := func(file string) bool { _, _, ok := label.Split(file); return ok }
	return machine.Open(binary, isWanted(symbols), ours)
}

// mapAll maps all machine functions that have functions of the sources in them.
func (s *sources) mapAll(im *machine.Image) (*mapper, error) {
	m := &mapper{sources: s, image: im, targets: make(map[*pathmap.Func][]*pathmap.Target), not: make(map[*pathmap.Func]reason)}
	found := make([]*code, len(im.Funcs))
	machine.InParallel(len(found), func() func(int) { return func(i int) { found[i] = m.read(im.Funcs[i]) } })
	m.all = found
	for _, c := range found {
		m.add(c)
	}
	if err := tried(m.derive); err != nil {
		return nil, err
	}
	machine.InParallel(len(found), func() func(int) { return func(i int) { m.plan(found[i]) } })
	for _, c := range found {
		m.check(c)
	}
	return m, nil
}

// read decodes a machine function and maps the functions of the source in it.
func (m *mapper) read(f *machine.Function) *code {
	c := &code{Function: f}
	if c.err = tried(func() error { return m.image.Build(f) }); c.err != nil {
		return c
	}
	scopes(f, func(s, at *machine.Scope) {
		fn := m.funcOf(f, s)
		if fn.Func == nil {
			return
		}
		t := target{F: fn.Func}
		t.err = tried(func() error {
			t.Target = fn.source.NewTarget(fn.Func, f, at)
			return nil
		})
		c.targets = append(c.targets, t)
	})
	return c
}

// add adds what was read.
func (m *mapper) add(c *code) {
	if c.err != nil {
		m.leave(c.Function, reason{rt.Uncopied, c.err.Error()})
		return
	}
	for _, t := range c.targets {
		if t.err == nil {
			m.targets[t.F] = append(m.targets[t.F], t.Target)
		}
	}
}

// check notes which targets could not be mapped, and which code has something to count.
func (m *mapper) check(c *code) {
	for _, t := range c.targets {
		if t.err != nil {
			m.not[t.F] = reason{rt.Internal, t.err.Error()}
		}
	}
	if c.err == nil && (len(c.targets) > 0 || len(m.derived.Entries[c.Function]) > 0) {
		m.codes = append(m.codes, c)
	}
}

// tried runs a function. Its panic is an error: one function must not cost the build.
func tried(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("goprofinstr has a mistake: %v", p)
		}
	}()
	return f()
}

// scopes calls a function for a machine function and all calls that were inlined into it.
func scopes(f *machine.Function, visit func(s, at *machine.Scope)) {
	visit(f.Root, nil)
	var inner func(s *machine.Scope)
	inner = func(s *machine.Scope) {
		for _, c := range s.Children {
			visit(c, c)
			inner(c)
		}
	}
	inner(f.Root)
}

// leave notes of all functions of the source that are in a machine function that they are not counted. There may be literals
// among them that only instructions tell, so names have to do.
func (m *mapper) leave(f *machine.Function, why reason) {
	scopes(f, func(s, _ *machine.Scope) {
		if fn := m.named[derive.Function(s.Name)]; fn.Func != nil {
			m.not[fn.Func] = why
		}
	})
}

// funcOf returns the function of the source that a machine function is, or a call that was inlined into it.
func (m *mapper) funcOf(f *machine.Function, s *machine.Scope) sourced {
	if fn := m.named[derive.Function(s.Name)]; fn.Func != nil || !pathmap.IsLiteral(s.Name) {
		return fn
	}
	for _, src := range m.list {
		if fn := src.FuncOf(f, s); fn != nil {
			return sourced{fn, src}
		}
	}
	return sourced{}
}

// whyNot returns why a function is not counted, as far as the map says; the number is 0 if it may be.
func (m *mapper) whyNot(f *pathmap.Func) reason {
	if why, ok := m.not[f]; ok {
		return why
	}
	if why := m.derived.opens(f); why != "" {
		return reason{rt.Unmapped, why}
	}
	if len(m.targets[f]) == 0 && !m.derived.has(f) {
		return reason{rt.NoCode, NoCode}
	}
	if _, err := f.Decoder(); err != nil {
		return reason{rt.Unmapped, err.Error()}
	}
	if len(m.targets[f]) == 0 {
		return reason{}
	}
	if why := pathmap.Prove(f, m.targets[f]).Failed(); why != "" {
		return reason{rt.Unmapped, why}
	}
	return reason{}
}

// copyAll makes the copies, whose code begins at an address. At tells where the paths of a function are counted.
func (m *mapper) copyAll(base uint64, at func(f *pathmap.Func) pathlog.Target) (*copies.Copied, []pathlog.Target, error) {
	for f := range m.placed() {
		why := reason{}
		if err := tried(func() error { why = m.whyNot(f); return nil }); err != nil {
			why = reason{rt.Internal, err.Error()}
		}
		if why.number != 0 {
			m.not[f] = why
		}
	}
	transit, err := m.transit()
	if err != nil {
		return nil, nil, err
	}
	words, err := copies.WordsOf(m.image.File)
	if err != nil {
		return nil, nil, err
	}
	left := make(map[*machine.Function]bool) // cannot be copied
	for {
		k := copies.NewCold(m.image, base, len(m.codes))
		k.Words = words
		targets, ok := m.addTo(k, transit, left, at)
		if ok {
			c, err := k.Finish()
			return c, targets, err
		}
	}
}

// addTo adds copies of all functions but those that are left. It is not ok if one more had to be left without which others count
// too little. Then that is noted, and all has to begin anew.
func (m *mapper) addTo(
	k *copies.Copier, transit []*machine.Function, left map[*machine.Function]bool, at func(f *pathmap.Func) pathlog.Target,
) (_ []pathlog.Target, ok bool) {
	ok = true
	add := func(f *machine.Function, list []copies.Counted) {
		if left[f] {
			return
		}
		done := false
		err := tried(func() error {
			err := k.Add(f, list)
			done = true
			return err
		})
		if err != nil {
			left[f] = true
			m.uncopied(f, err)
			ok = ok && done && len(list) == 0 && !m.derived.in(f)
		}
	}
	size := uint64(0)
	for _, f := range transit {
		size += f.Hi - f.Lo
	}
	for _, c := range m.codes {
		size += c.Hi - c.Lo
	}
	k.Reserve(size)
	lists, targets := m.number(k, at)
	for n, c := range m.codes {
		add(c.Function, lists[n])
	}
	m.decoded(transit, func(f *machine.Function) { add(f, nil) })
	return targets, ok
}

// uncopied notes that the functions of the source in a machine function are not counted, since it cannot be copied. Their other
// places would tell too little.
func (m *mapper) uncopied(f *machine.Function, err error) {
	for _, c := range m.codes {
		if c.Function != f {
			continue
		}
		for _, t := range c.targets {
			if m.not[t.F].number == 0 {
				m.not[t.F] = reason{rt.Uncopied, f.Name + ": " + err.Error()}
			}
		}
		for _, fn := range m.derived.of(c) {
			if m.not[fn].number == 0 {
				m.not[fn] = reason{rt.Uncopied, f.Name + ": " + err.Error()}
			}
		}
	}
}

// transit returns the functions that count nothing and have copies for who passes through.
func (m *mapper) transit() ([]*machine.Function, error) {
	here := make(map[*machine.Function]bool)
	for _, c := range m.codes {
		here[c.Function] = true
	}
	return copies.Transit(m.image, func(f *machine.Function) bool { return here[f] })
}

// Functions are decoded for a short time in groups of groupSize bytes of code, at most mostAhead groups at a time. Instructions
// take some hundred times as much memory as their code, and memory that is used again is faster.
const (
	groupSize = 1 << 13
	mostAhead = 4
)

// decoded calls a function for those of a list that can be decoded, in order. They are decoded for so long only: most functions
// of a program are passed through. Wrappers of methods have been decoded already.
func (m *mapper) decoded(list []*machine.Function, use func(f *machine.Function)) {
	groups := grouped(list)
	room := make(chan bool, mostAhead)
	ready := make([]chan []bool, len(groups)) // what is sent is which functions are decoded for a short time
	for i := range ready {
		ready[i] = make(chan []bool, 1)
	}
	var next atomic.Int64
	for range min(runtime.GOMAXPROCS(0), len(groups)) {
		go func() {
			for {
				room <- true
				i := int(next.Add(1) - 1)
				if i >= len(groups) {
					<-room // for the others, which end, too
					return
				}
				brief := make([]bool, len(groups[i]))
				for k, f := range groups[i] {
					brief[k] = m.decodeBriefly(f)
				}
				ready[i] <- brief
			}
		}()
	}
	for i, group := range groups {
		brief := <-ready[i]
		for k, f := range group {
			if f.Blocks != nil {
				use(f)
			}
			if brief[k] {
				m.image.Leave(f)
			}
		}
		<-room
	}
}

// grouped returns functions in groups, in order.
func grouped(list []*machine.Function) (groups [][]*machine.Function) {
	for len(list) > 0 {
		n, size := 0, uint64(0)
		for n < len(list) && (n == 0 || size+list[n].Hi-list[n].Lo <= groupSize) {
			size += list[n].Hi - list[n].Lo
			n++
		}
		groups, list = append(groups, list[:n]), list[n:]
	}
	return groups
}

// decodeBriefly decodes a function for a short time, if it has not been decoded. It has no blocks if it cannot be.
func (m *mapper) decodeBriefly(f *machine.Function) bool {
	if f.Blocks != nil {
		return false
	}
	if tried(func() error { return m.image.DecodeBriefly(f) }) != nil {
		m.image.Leave(f)
	}
	return true
}
