package derive

import (
	"fmt"
	"go/token"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/goprofinstr/goprofinstr/rewrite/machine"
	"github.com/goprofinstr/goprofinstr/rewrite/pathmap"
	"github.com/goprofinstr/goprofinstr/ssacfg"
	"github.com/goprofinstr/goprofinstr/ssacfg/mark"
)

// TestNames knows wrappers by their names.
func TestNames(t *testing.T) {
	for name, want := range map[string]string{
		"p.f":                      "p.f",
		"p.f[go.shape.int]":        "p.f",
		"p.f[int]":                 "", // calls the code of a shape with a dictionary
		"p.(*T[go.shape.int]).get": "p.(*T).get",
		"p.(*T[int]).get":          "",
	} {
		if got := Function(name); got != want {
			t.Errorf("%s: %q, not %q", name, got, want)
		}
	}
	for name, is := range map[string]bool{
		"p.f.deferwrap1": true, "p.f.gowrap12": true, "p.f.deferwrap1.func2": false, "p.f": false,
	} {
		if wrapsStatement.MatchString(name) != is {
			t.Errorf("%s is said to be of a go or defer statement: %v", name, !is)
		}
	}
}

// TestSums adds what is known to what is not.
func TestSums(t *testing.T) {
	once, entered := one(Event{Kind: Once}), one(Event{Kind: Entered})
	if sum := once.plus(entered, 3).plus(once, -1); !maps.Equal(sum.Terms, map[Event]int64{{Kind: Entered}: 3}) {
		t.Errorf("%+v", sum)
	}
	if sum := once.plus(unknown("because"), 1).plus(once, 1); sum.Why != "because" || sum.none() {
		t.Errorf("%+v", sum)
	}
	if sum := once.plus(once, -1); !sum.none() {
		t.Errorf("%+v", sum)
	}
	m := new(machine.Function)
	run := &Run{Entries: map[*machine.Function]int64{m: 0}}
	entered = one(Event{Kind: Entered, M: m})
	found := new(Found)
	if n, some := found.number(run, entered.because("x")); some || !n.none() {
		t.Errorf("what is never executed is open: %+v", n)
	}
	run.Entries[m] = 2
	if n, _ := found.number(run, entered.because("x")); n.why != "x" {
		t.Errorf("what is not known is told: %+v", n)
	}
	if n, _ := found.number(run, entered.plus(once, 3)); n.why != "" || n.n != 5 {
		t.Errorf("%+v", n)
	}
}

// TestInlinable knows what the compiler can inline from what it has inlined, and that main is a word for a path.
func TestInlinable(t *testing.T) {
	code := func(name string, inlined ...string) *Code {
		root := &machine.Scope{Name: name}
		for _, n := range inlined {
			root.Children = append(root.Children, &machine.Scope{Name: n})
		}
		call := &machine.Inst{Callee: "x/a%2eb.f"}
		if strings.HasSuffix(name, "leaf") {
			call.Callee = "runtime.morestack_noctxt"
		}
		return &Code{M: &machine.Function{Name: name, Root: root, Insts: []*machine.Inst{call}}}
	}
	d := &deriver{Program: &Program{
		Codes: []*Code{
			code("main.main", "main.small[go.shape.int]", "x/a%2eb.f"), code("main.small[go.shape.int]"), code("x/a%2eb.large"),
			code("x/a%2eb.leaf"),
		},
		Symbols: map[string]string{"main": "example.com/cmd", "x/a%2eb": "x/a.b"},
	}}
	d.readNames()
	can := d.inlinable()
	for name, want := range map[string]bool{
		"example.com/cmd.small": true, "x/a.b.f": true, "x/a.b.large": false,
		"example.com/cmd.main": false, "x/a.b.gone": true, "x/a.b.leaf": true,
	} {
		if can(name) != want {
			t.Errorf("%s: %v", name, !want)
		}
	}
	if got := d.plain("x/a%2eb.(*T[main.U]).m"); got != "x/a.b.(*T).m" {
		t.Error(got)
	}
}

// TestManyWays has functions without code that all call each other: there are far more ways from one to the next than can be
// followed. Of each it is said that it may be executed more often than is known.
func TestManyWays(t *testing.T) {
	const n = 20
	source := new(pathmap.Source)
	d := &deriver{Program: &Program{Inlinable: func(string) bool { return true }},
		Found: &Found{Shares: make(map[*pathmap.Func][]Share)}, funcs: make(map[string]*pathmap.Func),
		source: make(map[*pathmap.Func]*pathmap.Source), calls: make(map[*pathmap.Func][]pathmap.Call),
		within: make(map[*pathmap.Func]bool)}
	var all []*pathmap.Func
	for k := range n {
		graph := &ssacfg.Graph{Edges: make([]*ssacfg.Edge, 2)}
		f := &pathmap.Func{Func: &ssacfg.Func{Func: &mark.Func{Name: fmt.Sprint("f", k)}, Graph: graph}}
		all, d.funcs[source.NameOf(f)], d.source[f] = append(all, f), f, source
	}
	for _, f := range all {
		for k, g := range all {
			d.calls[f] = append(d.calls[f], pathmap.Call{Callee: source.NameOf(g), Pos: token.Pos(k + 1), Counted: true})
		}
	}
	for range 2 {
		clear(d.Shares)
		d.withoutCode(&instance{}, all[0], pathmap.Call{}, one(Event{Kind: Once}))
		for _, f := range all[1:] {
			list := d.Shares[f]
			if len(list) > 2*mostFollowed {
				t.Errorf("%s: there are %d shares", f.Name, len(list))
			}
			if !slices.ContainsFunc(list, func(s Share) bool { return strings.Contains(s.N.Why, "more ways") }) {
				t.Errorf("%s: all is known of it", f.Name)
			}
		}
	}
}
