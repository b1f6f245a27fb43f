package machine

import (
	"slices"
	"strings"
)

// Append may have a buffer in the frame for its first elements. The compiler clears the buffer where the function begins, so that
// the collector finds no rubbish, with the position of an append that comes later (cmd/compile/internal/ssagen, append).

// disownBuffers has the stores that clear such buffers be evidence of nothing. They are the stores in front of the function's
// first branch that have the position of a call which is given a buffer.
func (f *Function) disownBuffers() {
	var appends []*Inst
	for _, i := range f.Insts {
		if i.IsCall() && strings.HasPrefix(i.Callee, "runtime.growsliceBuf") {
			appends = append(appends, i)
		}
	}
	if len(appends) == 0 {
		return
	}
	seen := make(map[*Block]bool)
	for b := f.Blocks[0]; b != nil && !seen[b]; b = b.onlyNext() {
		seen[b] = true
		for _, i := range b.Insts {
			if i.Kind == Strict && i.stores && slices.ContainsFunc(appends, i.samePlace) {
				i.Kind = Other
			}
		}
	}
}

// onlyNext returns the block that control goes on to, nil if there are several. Whether the stack has to grow is not among them.
func (b *Block) onlyNext() (next *Block) {
	for _, s := range b.Succs {
		if s.growsStack() {
			continue
		}
		if next != nil {
			return nil
		}
		next = s
	}
	return next
}

// growsStack reports whether b calls what makes the stack larger.
func (b *Block) growsStack() bool {
	return slices.ContainsFunc(b.Insts, func(i *Inst) bool {
		return i.IsCall() && strings.HasPrefix(i.Callee, "runtime.morestack")
	})
}
