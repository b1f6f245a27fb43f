package derive

import (
	"slices"
	"strings"

	"github.com/goprofinstr/goprofinstr/rewrite/machine"
	"github.com/goprofinstr/goprofinstr/rewrite/pathmap"
)

// readNames finds the names of all machine functions and inlined calls, as the source has them.
func (d *deriver) readNames() {
	d.names = make(map[*machine.Scope]string)
	var visit func(s *machine.Scope)
	visit = func(s *machine.Scope) {
		d.names[s] = d.withPath(s.Name)
		for _, c := range s.Children {
			visit(c)
		}
	}
	for _, c := range d.Codes {
		visit(c.M.Root)
	}
}

// withPath returns the name of a symbol with the import path of its package.
func (d *deriver) withPath(symbol string) string {
	slash := strings.LastIndexByte(strings.SplitN(symbol, "[", 2)[0], '/') + 1
	dot := strings.IndexByte(symbol[slash:], '.')
	if dot < 0 {
		return symbol
	}
	if path, ok := d.Symbols[symbol[:slash+dot]]; ok {
		return path + symbol[slash+dot:]
	}
	return symbol
}

// plain returns the name that Call has for a function with a symbol.
func (d *deriver) plain(symbol string) string { return pathmap.PlainName(d.withPath(symbol)) }

// inlinable returns what says whether the compiler can inline a function, where nothing else tells: if it was inlined anywhere,
// has no code of its own, or calls nothing. One that does call something, was folded away wherever it is called, and has code
// for its address, counts too little.
func (d *deriver) inlinable() func(name string) bool {
	inlined, own := make(map[string]bool), make(map[string]bool)
	for _, c := range d.Codes {
		own[d.nameOf(c.M.Root)] = c.Left || calls(c.M)
	}
	for s := range d.names {
		for _, c := range s.Children {
			inlined[d.nameOf(c)] = true
		}
	}
	return func(name string) bool { return inlined[name] || !own[name] }
}

// calls reports whether a machine function calls another one, but to have its stack grow.
func calls(m *machine.Function) bool {
	return slices.ContainsFunc(m.Insts, func(i *machine.Inst) bool {
		return (i.IsCall() || i.Callee != "") && !strings.HasPrefix(i.Callee, "runtime.morestack")
	})
}
