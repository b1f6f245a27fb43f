package pathmap

import (
	"strings"

	"github.com/goprofinstr/goprofinstr/rewrite/machine"
)

// FuncOf returns the function that the code of a machine function is of, calls that were inlined left out; nil if that is none. It
// goes by labels, since closures have several names: they are copied with functions that are inlined.
func (s *Source) FuncOf(m *machine.Function) *Func {
	name := ""
	if !isLiteral(m.Name) {
		return nil // a wrapper, as of a deferred call, which has the position of the statement
	}
	for _, i := range m.Insts {
		k := s.piece(i.File)
		if k < 0 || len(i.Chain) > 0 || i.Kind != machine.Strict && i.Kind != machine.Branch {
			continue // a literal's prologue is of the statement around it
		}
		switch of := s.pieces[k].Function; {
		case name == "":
			name = of
		case name != of:
			return nil
		}
	}
	for _, f := range s.Funcs {
		if f.Name == name && isLiteral(name) {
			return f
		}
	}
	return nil
}

// isLiteral reports whether a function is a literal, by its name (closureName in cmd/compile/internal/ir).
func isLiteral(name string) bool {
	name = name[strings.LastIndexByte(name, '.')+1:]
	return strings.HasPrefix(name, "func") || strings.Trim(name, "0123456789") == ""
}

// CallBlock returns the block of the target that a call which was inlined into it is in, -1 if that is not known.
func (t *Target) CallBlock(call *machine.Scope) int {
	if r := t.source.ref(call.CallFile); r.f == t.F {
		return r.block
	}
	return -1
}

// Executions returns how often each block was executed.
func (w *Walker) Executions() ([]int64, error) {
	d, err := w.T.F.Decoder()
	if err != nil {
		return nil, err
	}
	counts := make([]int64, w.T.F.blocks)
	for _, paths := range []map[uint64]int64{w.Counts, w.Doubtful} {
		for id, n := range paths {
			p, err := d.Path(id)
			if err != nil {
				return nil, err
			}
			if !p.Loop {
				counts[p.Start] += n
			}
			for _, e := range p.Edges {
				counts[w.T.F.edges[e].to] += n
			}
		}
	}
	return counts, nil
}
