package pathmap

import (
	"slices"
	"strings"

	"github.com/goprofinstr/goprofinstr/rewrite/machine"
)

// The compiler makes a bool of a && b && f(), which is set where a or b is false, and returned by f. The bool is tested where
// these ways meet, by a jump that has the position of f(). So the jump is of f's block only if control comes from there.

// findCalling finds the blocks that call whenever they are executed, with nothing that is inlined in place of the call.
func (t *Target) findCalling() {
	t.calls = make([]bool, t.F.blocks)
	inlined := make([]bool, t.F.blocks)
	var indirect []int
	for _, b := range t.M.Blocks {
		for k, i := range b.Insts {
			switch l := t.labels[b.Index][k]; {
			case l.block < 0:
			case l.inner:
				inlined[l.block] = true
			case i.Kind == machine.Strict && i.IsCall() && l.block != t.exit && i.Callee == "":
				indirect = append(indirect, l.block)
			case i.Kind == machine.Strict && i.IsCall() && l.block != t.exit:
				t.calls[l.block] = t.calls[l.block] || !isConditional(i.Callee)
			}
		}
	}
	for _, b := range indirect { // a profile may have it inlined for one callee
		t.calls[b] = t.calls[b] || !inlined[b]
	}
}

// isConditional reports whether a call may be one that the compiler makes if a comparison of words or an instruction of the
// processor does not do.
func isConditional(callee string) bool {
	return slices.ContainsFunc([]string{"runtime.", "internal/", "type:.", "math.", "math/bits.", "sync/atomic."},
		func(p string) bool { return strings.HasPrefix(callee, p) })
}

// isOfOthers reports whether a jump of a block that calls tests a bool which was made elsewhere: control has not come from the
// call. Jumps behind conditional moves are left to findMisplaced.
func (t *Target) isOfOthers(s state, i *machine.Inst, l evidence) bool {
	if l.inner || i.Check || i.Moved || !t.calls[l.block] || s.at == l.block && !s.again {
		return false
	}
	return i.Test == nil || i.Test.Compare == nil || i.Test.Compare.Flag
}
