package machine

import "testing"

// TestChecks has checks whose failures are calls, be it behind a jump, and a jump that decides something else.
func TestChecks(t *testing.T) {
	dead := &Block{Insts: []*Inst{{flow: calls}}, Dead: true}
	jump := &Block{Insts: []*Inst{{flow: jumps}}, Succs: []*Block{dead}}
	does := &Block{Insts: []*Inst{{}, {flow: jumps}}, Succs: []*Block{dead}}
	next := &Block{Insts: []*Inst{{}}}
	for name, c := range map[string]struct {
		succs  []*Block
		checks bool
	}{
		"a call":        {[]*Block{next, dead}, true},
		"a jump":        {[]*Block{jump, next}, true},
		"more":          {[]*Block{does, next}, false},
		"nothing fails": {[]*Block{next, next}, false},
		"both fail":     {[]*Block{jump, dead}, false},
	} {
		b := &Block{Insts: []*Inst{{flow: branches}}, Cond: true, Succs: c.succs}
		if b.Checks() != c.checks {
			t.Errorf("%s: it checks: %v", name, b.Checks())
		}
		for k, s := range c.succs {
			if b.Passes(k) != (s == next || s == does) {
				t.Errorf("%s: edge %d passes: %v", name, k, b.Passes(k))
			}
		}
	}
}
