package derive

import (
	"go/token"
	"regexp"
	"strings"

	"github.com/goprofinstr/goprofinstr/internal/pgofile"
	"github.com/goprofinstr/goprofinstr/rewrite/pathmap"
)

// folded counts the calls of an instance's source that are nowhere in the machine code.
func (d *deriver) folded(in *instance, made made) {
	type group struct {
		place  pathmap.Place
		callee string
	}
	static := make(map[group][]pathmap.Call)
	dynamic := make(map[pathmap.Place][]pathmap.Call)
	for _, c := range d.calls[in.f] {
		if c.Callee == "" && c.Parameter >= 0 {
			if f := d.argument(in, c.Parameter); f != nil {
				c.Callee = d.source[f].NameOf(f)
			}
		}
		if c.Callee == "" {
			dynamic[c.Place] = append(dynamic[c.Place], c)
		} else {
			static[group{c.Place, c.Callee}] = append(static[group{c.Place, c.Callee}], c)
		}
	}
	others := func(place pathmap.Place) (n int) { // calls whose callees the source does not tell
		for _, name := range made[place] {
			if len(static[group{place, name}]) == 0 {
				n++
			}
		}
		return n
	}
	for g, calls := range static {
		f := d.funcs[g.callee]
		if f == nil || !d.Inlinable(g.callee) {
			continue
		}
		n := count(made[g.place], g.callee)
		if pathmap.IsLiteral(g.callee) {
			n += others(g.place) // they have other names where they are copied
		}
		d.foldedCalls(in, f, calls, n)
	}
	for place, calls := range dynamic {
		if positions := byPosition(calls); len(positions) > others(place) {
			for _, sites := range positions {
				d.openFor(in, in.f, sites[0].Method, d.sum(in, sites))
			}
		}
	}
}

// argument returns the literal that a parameter of an instance is, nil if that is not known.
func (d *deriver) argument(in *instance, k int) (f *pathmap.Func) {
	p := in.parent
	if p == nil || p.f == nil {
		return nil
	}
	place, name := d.source[p.f].Place(in.scope.CallFile, in.scope.CallLine), d.nameOf(in.scope)
	for _, c := range d.calls[p.f] {
		if c.Place != place || c.Callee != name {
			continue
		}
		g := d.argumentOf(p, c, k)
		if g == nil || f != nil && f != g {
			return nil
		}
		f = g
	}
	return f
}

// argumentOf returns the literal that is an argument of a call in an instance, nil if that is not known.
func (d *deriver) argumentOf(in *instance, c pathmap.Call, k int) *pathmap.Func {
	g, parameter := d.source[in.f].Argument(c.Pos, k)
	if parameter >= 0 {
		return d.argument(in, parameter)
	}
	return g
}

func count(list []string, name string) (n int) {
	for _, x := range list {
		if x == name {
			n++
		}
	}
	return n
}

// sum returns how often a call on several edges is executed.
func (d *deriver) sum(in *instance, sites []pathmap.Call) (sum Sum) {
	for _, c := range sites {
		sum = sum.plus(d.at(in, c), 1)
	}
	return sum
}

// foldedCalls counts the calls of a function at one place, but as many as are in the machine code.
func (d *deriver) foldedCalls(in *instance, f *pathmap.Func, calls []pathmap.Call, made int) {
	positions := byPosition(calls)
	n := len(positions) - made
	if n <= 0 {
		return
	}
	if calls[0].Piece < 0 {
		d.withoutCode(in, f, calls[0], unknown("%s calls it where there is no label", in.f.Name))
		return
	}
	var sum Sum
	if made == 0 {
		for _, sites := range positions {
			sum = sum.plus(d.sum(in, sites), 1)
		}
	} else {
		sum = sum.plus(d.runsOfEach(in, calls), int64(n))
	}
	d.withoutCode(in, f, calls[0], sum)
}

// mostFollowed is how many calls are followed that have no code, from one of them on. There may be as many as ways in the graph
// of calls. Of what is called besides it is not known how often.
const mostFollowed = 1000

// withoutCode counts executions of a function of whose call in an instance there is no code, and what it calls. There is no
// code of that, either.
func (d *deriver) withoutCode(in *instance, f *pathmap.Func, by pathmap.Call, n Sum) {
	if n.none() || d.within[f] {
		return
	}
	if len(d.within) == 0 {
		d.followed, d.opened = 0, make(map[*pathmap.Func]bool)
	}
	if d.followed++; d.followed > mostFollowed {
		if d.opened[f] {
			return
		}
		d.opened[f] = true
		n = unknown("it is called in more ways without code than are followed, as by %s", f.Name)
	}
	d.within[f] = true
	defer delete(d.within, f)
	inner := n
	if onePath(f) {
		d.share(f, 0, n, "")
	} else {
		d.share(f, -1, n, "it has several paths, and was folded away: "+n.Why)
		inner = n.because("%s has several paths, and was folded away", f.Name)
	}
	seen := make(map[token.Pos]bool)
	for _, call := range d.calls[f] {
		if seen[call.Pos] {
			continue
		}
		seen[call.Pos] = true
		g := d.funcs[call.Callee]
		if call.Parameter >= 0 && in.f != nil {
			g = d.argumentOf(in, by, call.Parameter)
		}
		switch {
		case g == nil && call.Callee == "":
			d.openFor(in, f, call.Method, inner)
		case g == nil || !d.Inlinable(d.source[g].NameOf(g)):
		case !call.Counted:
			d.withoutCode(&instance{}, g, call, unknown("%s: it is not known which edge a call is on", f.Name))
		default:
			d.withoutCode(&instance{}, g, call, inner)
		}
	}
}

// openFor has the functions be open that a call in f may be of, whose callee the source does not tell. It may be a function
// that is used as a value, or a literal of what is inlined into each other here; or a method, by its name.
func (d *deriver) openFor(in *instance, f *pathmap.Func, method string, n Sum) {
	if n.none() {
		return
	}
	near := map[string]bool{pgofile.Outermost(f.Name): true}
	for ; in != nil; in = in.parent {
		if in.f != nil {
			near[pgofile.Outermost(in.f.Name)] = true
		}
	}
	why := "a call in " + f.Name + " that was folded away may be of it"
	for name, g := range d.funcs {
		may := method == lastName(name)
		if method == "" {
			may = pathmap.IsLiteral(name) && near[pgofile.Outermost(g.Name)] || d.isValue(lastName(name))
		}
		if may && d.Inlinable(name) {
			d.share(g, -1, n, why)
		}
	}
}

// isValue reports whether some function of a name is used as a value.
func (d *deriver) isValue(name string) bool {
	for _, m := range d.mentions {
		if m.Values[name] {
			return true
		}
	}
	return false
}

// foldedIn counts the call of a wrapper that has none.
func (d *deriver) foldedIn(in *instance) {
	if in.runs.none() {
		return
	}
	if f := d.wrapped(d.names[in.scope]); f != nil {
		d.withoutCode(&instance{}, f, pathmap.Call{}, in.runs)
	}
	if !wrapsStatement.MatchString(in.scope.Name) {
		return
	}
	for name, f := range d.funcs {
		for _, m := range d.mentions {
			if d.Inlinable(name) && m.Deferred[lastName(name)] {
				d.share(f, -1, in.runs, "a wrapper of a go or defer statement may call it")
			}
		}
	}
}

// wrapped returns the function that one calls which the compiler has made, by its name; nil if that does not say.
func (d *deriver) wrapped(name string) *pathmap.Func {
	switch {
	case hasDictionary(name):
		return d.funcs[pathmap.PlainName(name)]
	case strings.HasSuffix(name, methodValue):
		return d.funcs[pathmap.PlainName(strings.TrimSuffix(name, methodValue))]
	}
	return d.method(pathmap.PlainName(name))
}

var methodOf = regexp.MustCompile(`^(.*)\.(?:\(\*(\w+)\)|(\w+))\.(\w+)$`)

// method returns the method that a wrapper calls which has no source: that of a value, or of what a type embeds.
func (d *deriver) method(name string) *pathmap.Func {
	m := methodOf.FindStringSubmatch(name)
	if m == nil || d.mentions[m[1]] == nil {
		return nil
	}
	types := []string{m[2] + m[3]}
	for range 9 { // as deep as types may embed each other
		for _, t := range types {
			for _, name := range []string{m[1] + ".(*" + t + ")." + m[4], m[1] + "." + t + "." + m[4]} {
				if f := d.funcs[name]; f != nil {
					return f
				}
			}
		}
		var next []string
		for _, t := range types {
			next = append(next, d.mentions[m[1]].Embedded[t]...)
		}
		types = next
	}
	return nil
}

func lastName(name string) string { return name[strings.LastIndexByte(name, '.')+1:] }

// initial counts the calls in initial values of package variables that have no code. Those that have are calls in a function
// init.
func (d *deriver) initial() {
	for path, m := range d.mentions {
		var inits []*Code
		for _, c := range d.Codes {
			if d.names[c.M.Root] == path+".init" {
				inits = append(inits, c)
			}
		}
		for name, n := range m.Initial {
			f := d.funcs[path+"."+name]
			if f == nil || !d.Inlinable(path+"."+name) {
				continue
			}
			for _, c := range inits {
				in := &instance{code: c, scope: c.M.Root}
				for _, list := range d.made(in) {
					n -= count(list, path+"."+name)
				}
			}
			if n > 0 {
				d.withoutCode(&instance{}, f, pathmap.Call{}, Sum{Terms: map[Event]int64{{Kind: Once}: int64(n)}})
			}
		}
		for name, f := range d.funcs {
			if d.Inlinable(name) && m.Once[lastName(name)] {
				d.once(f)
			}
		}
	}
}

// once has a function of one path be open that an initial value may call.
func (d *deriver) once(f *pathmap.Func) {
	if onePath(f) {
		d.share(f, 0, one(Event{Kind: Once}).because("an initial value may call it"), "")
	}
}
