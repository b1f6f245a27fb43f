package pathmap

import (
	"go/token"
	"slices"

	"github.com/goprofinstr/goprofinstr/rewrite/machine"
)

// An increment that depends on a condition has no jump (if c { n++ }). The machine chooses between n and n+1, or adds 0 or 1.
// The choice tells whether the increment is executed, however the condition is computed. The instruction has the position at
// which control joins: that of the first statement there. Without a statement it is that of the if statement.

// An increment is a condition, and an edge from it to a block that has an increment only.
type increment struct {
	block, join int // of the condition, and the one that control joins in
	edge, past  int // to the increment, and past it
}

// increments returns the increments whose conditions have no jump. It returns none if another condition has none: control may
// join behind that in the same position.
func (t *Target) increments() (list []increment) {
	for b := range t.F.blocks {
		if len(t.F.out[b]) < 2 || t.jumps[b] || t.decided(b) {
			continue
		}
		in, ok := t.incrementOf(b)
		if !ok {
			return nil
		}
		list = append(list, in)
	}
	return list
}

// incrementOf returns the increment that depends on the condition of a block.
func (t *Target) incrementOf(block int) (in increment, ok bool) {
	out, blocks := t.F.out[block], t.F.Graph.Blocks
	if len(out) != 2 || t.F.testOf(block) == nil {
		return in, false
	}
	for k, e := range out {
		x, join := t.F.edges[e].to, t.F.edges[out[1-k]].to
		if x == t.exit || join == t.exit || len(t.F.out[x]) != 1 || t.F.edges[t.F.out[x][0]].to != join {
			continue
		}
		if len(blocks[x].In()) == 1 && len(blocks[join].In()) == 2 && t.increases(x) {
			return increment{block, join, e, out[1-k]}, true
		}
	}
	return in, false
}

// increases reports whether a block is one statement that increments a variable.
func (t *Target) increases(block int) bool {
	list := t.piecesOf(block)
	if len(list) != 1 {
		return false
	}
	var words []string
	for _, l := range t.source.tokens {
		if l.piece == list[0] && l.text != ";" && l.text != "}" {
			words = append(words, l.text)
		}
	}
	return len(words) == 2 && words[1] == "++"
}

// piecesOf returns the pieces of a block in the order of the source.
func (t *Target) piecesOf(block int) (list []int) {
	for p, r := range t.source.refs {
		if r == (blockRef{t.F, block}) {
			list = append(list, p)
		}
	}
	return list
}

// lookAtIncrements looks at the choices that are made of increments.
func (t *Target) lookAtIncrements(about map[int]bool) (list []*Look) {
	all := t.increments()
	for _, b := range t.M.Blocks {
		for k, i := range b.Insts {
			if len(all) == 0 || !i.IsMove() && !i.Extends() {
				continue
			}
			if l := t.label(i); l.inner || l.block < 0 || l.block == t.exit {
				continue
			}
			if in, ok := t.incrementAt(all, t.source.piece(i.File)); ok && about[in.block] {
				list = append(list, t.lookAtChoice(b, k, in)...)
			}
		}
	}
	return list
}

// incrementAt returns the one increment behind which control joins in the position of a piece.
func (t *Target) incrementAt(all []increment, piece int) (in increment, ok bool) {
	for _, x := range all {
		is := t.source.of(piece) == blockRef{t.F, x.block} && t.begins(piece, "if")
		if there := t.piecesOf(x.join); len(there) > 0 {
			is = there[0] == piece
		}
		if is && ok {
			return in, false
		}
		if is {
			in, ok = x, true
		}
	}
	return in, ok
}

// begins reports whether a piece begins with a token.
func (t *Target) begins(piece int, text string) bool {
	k := slices.IndexFunc(t.source.tokens, func(l lexeme) bool { return l.piece == piece })
	return k >= 0 && t.source.tokens[k].text == text
}

// lookAtChoice looks at which of two numbers instruction k of b takes, if they are a variable and the same incremented, or 0
// and 1 that are added to it.
func (t *Target) lookAtChoice(b *machine.Block, k int, in increment) []*Look {
	i := b.Insts[k]
	if i.Extends() {
		to, from, _ := i.Registers()
		if !isAdded(b, k, to) {
			return nil
		}
		zero := []Case{{Mask: 1<<8 - 1, Edge: in.past}}
		return []*Look{{At: i, Register: from, Condition: -1, Block: in.block, Cases: zero, Otherwise: in.edge}}
	}
	cc, ok := i.Condition()
	to, from, both := i.Registers()
	if !ok || !both {
		return nil
	}
	whenSo, whenNot := in.edge, in.past
	switch {
	case isOneMore(b, k, from, to):
	case isOneMore(b, k, to, from):
		whenSo, whenNot = whenNot, whenSo
	default:
		return nil
	}
	zero := []Case{{Mask: 1<<8 - 1, Edge: whenNot}}
	return []*Look{{At: i, Register: -1, Condition: cc, Block: in.block, Cases: zero, Otherwise: whenSo}}
}

// isOneMore reports whether in front of instruction k of b a register has one more than another.
func isOneMore(b *machine.Block, k, register, than int) bool {
	for _, i := range slices.Backward(b.Insts[:k]) {
		if s := i.Set(register); s.How != machine.Kept {
			return register != than && s == machine.Set{How: machine.Added, From: than, Value: 1}
		}
		if i.Set(than).How != machine.Kept {
			return false
		}
	}
	return false
}

// isAdded reports whether the number that instruction k of b makes in a register is added to another one for the same piece.
func isAdded(b *machine.Block, k, register int) bool {
	for _, i := range b.Insts[k+1:] {
		if i.Adds(register) {
			return i.File == b.Insts[k].File
		}
		if i.Set(register).How != machine.Kept {
			return false
		}
	}
	return false
}

// lookAtNumber looks at the bool that instruction k of b makes a number of. A condition without a jump is a variable or a member
// then, as in if b { n = 1 }. No other such instruction is of the condition's piece.
func (t *Target) lookAtNumber(b *machine.Block, k int, about map[int]bool) (list []*Look) {
	i := b.Insts[k]
	to, ok := i.ExtendsByte()
	if !ok || k+1 == len(b.Insts) {
		return nil
	}
	l := t.label(i)
	if l.inner || l.block < 0 || l.block == t.exit || !about[l.block] || t.jumps[l.block] || t.decided(l.block) {
		return nil
	}
	piece := t.source.piece(i.File)
	test := t.testOf(l.block)
	if test == nil || test.Op != token.ILLEGAL || test.Call || test.Found || test.Has != nil || !t.isMember(piece) || !t.isOwn(i) {
		return nil
	}
	for _, x := range t.M.Blocks {
		for _, o := range x.Insts {
			if _, ok := o.ExtendsByte(); ok && o != i && t.isOwn(o) && t.source.piece(o.File) == piece {
				return nil
			}
		}
	}
	zero := []Case{{Mask: 1<<8 - 1, Edge: t.edgeIf(l.block, false)}}
	return []*Look{{At: b.Insts[k+1], Register: to, Condition: -1, Block: l.block, Cases: zero, Otherwise: t.edgeIf(l.block, true)}}
}

// isMember reports whether a piece is the condition of an if statement that is a variable, or a member of one. The if alone is
// none: what control joins with has the position of that, as bools do which come back from the frame (esbuild's parseCallArgs).
func (t *Target) isMember(piece int) bool {
	some := false
	for _, l := range t.source.tokens {
		if l.piece != piece {
			continue
		}
		is := token.IsIdentifier(l.text)
		if some = some || is; !is && l.text != "if" && l.text != "." && l.text != "{" {
			return false
		}
	}
	return some
}
