package machine

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"go/token"
	"slices"
	"strings"
)

// A Block is a basic block of machine code.
type Block struct {
	Index   int
	Insts   []*Inst
	Succs   []*Block
	Preds   []*Block
	Back    []bool            // by edge: it closes a cycle in depth-first order
	Loops   []map[*Block]bool // by edge: the blocks of the loop that it closes
	Ret     bool              // ends with a return, or a jump to another function
	Dead    bool              // ends in a call that does not return
	Cond    bool              // ends in a jump that has several edges
	Table   uint64            // address of the table that an indirect jump goes through
	Selects int               // the register that is the index into it

	// Via is the edge of the only successor that control takes from here, if that only tests a register that is constant here.
	Via   int
	Skips bool
}

// Last returns the last instruction of b.
func (b *Block) Last() *Inst { return b.Insts[len(b.Insts)-1] }

// Next returns the edges that can be taken from b: its own, or the one of the only successor that is known to be taken.
func (b *Block) Next() []*Block {
	if b.Skips {
		return []*Block{b.Succs[0].Succs[b.Via]}
	}
	return b.Succs
}

// Decode decodes f and makes its graph, without what the map needs. So no instruction is evidence of anything. If it cannot, f
// has no instructions and no blocks.
func (im *Image) Decode(f *Function) error {
	err := newBuilder(im, f).build()
	if err != nil {
		f.Insts, f.Blocks = nil, nil
	}
	return err
}

func newBuilder(im *Image, f *Function) *builder {
	return &builder{im: im, f: f, leads: map[uint64]bool{f.Lo: true}, tables: make(map[uint64]bool),
		indirect: make(map[*Inst][]uint64), table: make(map[*Inst]table)}
}

func (g *builder) build() error {
	if err := g.decode(); err != nil {
		return err
	}
	if err := g.readTables(); err != nil {
		return err
	}
	return g.connect()
}

// Build decodes f, makes its graph, and says what instructions are evidence of.
func (im *Image) Build(f *Function) error {
	if err := im.Decode(f); err != nil {
		return err
	}
	for _, b := range f.Blocks {
		for _, s := range b.Succs {
			s.Preds = append(s.Preds, b)
		}
	}
	for _, b := range f.Blocks {
		im.classify(b)
	}
	for _, b := range f.Blocks {
		b.moveBack()
	}
	f.disownBuffers()
	for _, b := range f.Blocks {
		for _, s := range b.Succs {
			if b.Last().IsConditional() && s.Dead && s.Last().Callee != "runtime.gopanic" {
				b.Last().Check = true
			}
		}
	}
	f.divide()
	f.skip()
	f.depthFirst()
	return nil
}

// A builder makes a graph.
type builder struct {
	im       *Image
	f        *Function
	leads    map[uint64]bool // addresses of blocks
	tables   map[uint64]bool // addresses that may be those of jump tables
	indirect map[*Inst][]uint64
	table    map[*Inst]table
	brief    bool // instructions are in the image's room
}

// A table is one that an indirect jump goes through.
type table struct {
	address uint64
	index   int
}

func (g *builder) decode() error {
	f := g.f
	code := g.im.text.at(f.Lo)
	if uint64(len(code)) < f.Hi-f.Lo {
		return errors.New("outside of the text")
	}
	for pc := f.Lo; pc < f.Hi; {
		rest := code[pc-f.Lo : f.Hi-f.Lo]
		i := g.inst()
		if !g.im.arch.decode(i, f.Insts, rest, pc) {
			return fmt.Errorf("no instruction at %#x", pc)
		}
		if f.Root != nil {
			at := g.im.row(pc)
			i.File, i.Line, i.Chain = at.file, at.line, f.Root.chain(pc, nil)
		}
		f.Insts = append(f.Insts, i)
		if i.address != 0 {
			g.tables[i.address] = true
		}
		pc = i.End()
		to, direct := i.Target()
		if i.IsJump() || i.flow == returns || i.flow == traps {
			g.leads[pc] = true
			if direct {
				g.leads[to] = true
			}
		}
		if i.IsCall() && direct {
			i.Callee = g.im.Names[to]
		}
		if i.IsCall() && direct && neverReturns(i.Callee) {
			i.Kind = Panics
			g.leads[pc] = true
		}
	}
	return nil
}

// readTables finds the tables of indirect jumps. One that goes through none is the call at the end of a wrapper.
func (g *builder) readTables() error {
	for k, i := range g.f.Insts {
		if i.flow != jumps || i.direct {
			continue
		}
		tables, index, ok := g.im.arch.table(g.f.Insts[:k], i)
		if !ok {
			continue
		}
		for _, t := range tables {
			if g.indirect[i] == nil {
				g.readTable(i, table{t, index})
			}
		}
		if g.indirect[i] == nil {
			return fmt.Errorf("no table for the jump at %#x", i.PC)
		}
	}
	return nil
}

func (g *builder) readTable(i *Inst, t table) {
	for a := t.address; a == t.address || !g.tables[a]; a += 8 {
		data := g.im.rodata.at(a)
		if len(data) < 8 {
			break
		}
		to := binary.LittleEndian.Uint64(data)
		if to < g.f.Lo || to >= g.f.Hi || !g.begins(to) {
			break
		}
		g.indirect[i] = append(g.indirect[i], to)
		g.leads[to] = true
	}
	if len(g.indirect[i]) > 0 {
		g.table[i] = t
	}
}

// begins reports whether an instruction begins at an address.
func (g *builder) begins(address uint64) bool {
	_, ok := slices.BinarySearchFunc(g.f.Insts, address, func(i *Inst, at uint64) int { return cmp.Compare(i.PC, at) })
	return ok
}

// connect makes blocks and edges.
func (g *builder) connect() error {
	f := g.f
	blocks := make(map[uint64]*Block)
	var b *Block
	for _, i := range f.Insts {
		if g.leads[i.PC] {
			b = &Block{Index: len(f.Blocks)}
			f.Blocks = append(f.Blocks, b)
			blocks[i.PC] = b
		}
		b.Insts = append(b.Insts, i)
	}
	for k, b := range f.Blocks {
		var next []*Block
		if k+1 < len(f.Blocks) {
			next = f.Blocks[k+1 : k+2]
		}
		last := b.Last()
		to, direct := last.Target()
		switch {
		case last.flow == returns:
			b.Ret = true
		case last.flow == traps || last.Kind == Panics:
			b.Dead = true
		case last.flow == jumps && !direct:
			for _, to := range g.indirect[last] {
				b.Succs = append(b.Succs, blocks[to])
			}
			b.Ret, b.Cond = len(b.Succs) == 0, len(b.Succs) > 0
			b.Table, b.Selects = g.table[last].address, g.table[last].index
		case last.flow == jumps && (to < f.Lo || to >= f.Hi):
			b.Ret = true
		case last.IsJump():
			if blocks[to] == nil {
				return fmt.Errorf("jump into an instruction, at %#x", last.PC)
			}
			b.Succs = append(b.Succs, blocks[to])
			if last.flow == branches {
				b.Succs = append(b.Succs, next...)
				b.Cond = true
			}
		default:
			b.Succs = append(b.Succs, next...)
		}
	}
	return nil
}

// classify says what each instruction of b is evidence of.
func (im *Image) classify(b *Block) {
	for k, i := range b.Insts {
		if i.IsSet() {
			i.asksOf(b.flags(k))
		}
		if c := i.Compare; c != nil && (c.Self || c.Flag) {
			var seen map[*Block]bool
			if c.Flag {
				seen = make(map[*Block]bool)
			}
			c.Made = b.isMade(k, place{register: c.Register}, seen)
		}
		switch {
		case i.Kind == Panics || i.Vex:
		case i.IsCall():
			i.Kind = Strict
			if madeByCompiler(i.Callee) {
				i.Kind = Other
			}
		case i.IsReturn(), i.stores:
			i.Kind = Strict
		case i.IsConditional():
			im.classifyJump(b, k)
		case i.IsMove():
			i.asksOf(b.flags(k))
			if test := i.Test; test != nil && test.Compare != nil && !test.Compare.Self {
				at := slices.Index(b.Insts, test)
				test.comparesRegister(b, at)
				test.Call = im.called(b, at)
			}
		}
	}
}

// called returns the call of which instruction k tests the result, which is in the first register. Of a map's element it is the
// second result, whether there is one.
func (im *Image) called(b *Block, k int) *Inst {
	c := b.Insts[k].Compare
	if !c.result || c.Register != 0 && c.Register != im.arch.second() {
		return nil
	}
	for j := k - 1; j >= 0; j-- {
		i := b.Insts[j]
		switch {
		case i.IsCall() && c.Register != 0 && !i.Finds():
			return nil
		case i.IsCall():
			return i
		case !i.simple && !i.noop || i.Set(c.Register).How != Kept:
			return nil
		}
	}
	return nil
}

// Finds reports whether i calls what looks an element of a map up, and returns whether there is one as its second result.
func (i *Inst) Finds() bool { return strings.HasPrefix(i.Callee, "runtime.mapaccess2") }

// flags returns the compare that sets the flags which instruction k asks for, nil if it is something else that does.
func (b *Block) flags(k int) *Inst {
	for j := k - 1; j >= 0; j-- {
		i := b.Insts[j]
		switch {
		case i.setsFlags:
			return i
		case i.keepsFlags:
		default:
			return nil
		}
	}
	return nil
}

// AsksAgain returns the jump at the end of b as one that asks for a compare in the blocks in front, nil if it does not. There is
// one block in front, whose jump has asked for another relation of the same two numbers (a < b || a == b && ...). Or the compiler
// has repeated the compare at the end of all of them, since other instructions come between it and the jump.
func (b *Block) AsksAgain() *Inst {
	i := b.Last()
	if !i.IsConditional() || i.Test != nil || i.Kind != Branch || i.Moved || len(b.Preds) == 0 {
		return nil
	}
	for _, before := range b.Insts[:len(b.Insts)-1] {
		if !before.keepsFlags || before.IsCall() {
			return nil
		}
	}
	var test *Inst
	for _, p := range b.Preds {
		by := p.compares()
		if by == nil || by.Compare == nil || by.Compare.Float || test != nil && *by.Compare != *test.Compare {
			return nil
		}
		test = by
	}
	again := *i
	again.asksOf(test)
	return &again
}

// compares returns the compare whose flags there are behind b, nil if it is something else that sets them.
func (b *Block) compares() *Inst {
	last := b.Last()
	switch {
	case !last.IsJump():
		return b.flags(len(b.Insts))
	case !last.IsConditional():
		return b.flags(len(b.Insts) - 1)
	case last.Test == last:
		return nil
	}
	return last.Test
}

// madeByCompiler reports whether a call has no place of its own in the source. That of a select statement has the position of one
// of its clauses, in front of which it is.
func madeByCompiler(callee string) bool {
	for _, p := range []string{"runtime.morestack", "runtime.gcWriteBarrier", "gcWriteBarrier", "runtime.select"} {
		if strings.HasPrefix(callee, p) {
			return true
		}
	}
	return false
}

// classifyJump says what the conditional jump that is instruction k of b is evidence of.
func (im *Image) classifyJump(b *Block, k int) {
	i := b.Insts[k]
	i.Kind = Branch
	moved := -1
	for j, m := range b.Insts[:k] {
		if m.chooses {
			moved = j
		}
	}
	i.Moved = moved >= 0 // moveBack finds those in blocks before
	for j := k; j >= max(0, k-3); j-- {
		test := b.Insts[j]
		if !test.setsFlags && (j < k || test.Compare == nil) {
			continue
		}
		i.asksOf(test)
		if i.Moved && j > moved && j < k {
			// It has the position of the branch that was before the move.
			i.File, i.Line, i.Chain = test.File, test.Line, test.Chain
		}
		if test.Compare != nil {
			test.Call = im.called(b, j)
			i.Bool = test.Compare.Flag && (i.relation.Op == token.EQL || i.relation.Op == token.NEQ)
		}
		break
	}
	im.arch.classify(im, b, k)
}

// moveBack mends the position of the jump at the end of b. It may be that of a branch which has become a conditional move, before
// the last write barriers. The jump is that of its compare then. The compiler makes blocks for write barriers after it has given
// the jump its position.
func (b *Block) moveBack() {
	i := b.Last()
	if i.Kind != Branch || i.Moved || i.Test == nil || i.Test == i || i.samePlace(i.Test) {
		return
	}
	for x := b.beforeBarrier(); x != nil; x = x.beforeBarrier() {
		for k, m := range x.Insts {
			if test := x.flags(k); m.chooses && test != nil && i.samePlace(test) {
				i.Moved, i.File, i.Line, i.Chain = true, i.Test.File, i.Test.Line, i.Test.Chain
				return
			}
		}
	}
}

// samePlace reports whether two instructions have the same position.
func (i *Inst) samePlace(j *Inst) bool {
	return i.File == j.File && i.Line == j.Line && slices.Equal(i.Chain, j.Chain)
}

// beforeBarrier returns the block that asks whether write barriers are on, if nothing but what is executed then is between it and
// b; nil if there is none.
func (b *Block) beforeBarrier() (asks *Block) {
	if len(b.Preds) != 2 {
		return nil
	}
	for _, p := range b.Preds {
		if len(p.Succs) == 1 && len(p.Preds) == 1 {
			p = p.Preds[0]
		}
		if !p.Last().IsConditional() || p.Last().Kind != Other || asks != nil && p != asks {
			return nil
		}
		asks = p
	}
	return asks
}

// asksOf notes the instruction whose flags i asks for, nil if it is not known. A test of a single bit leaves that where compares
// leave which number is less.
func (i *Inst) asksOf(test *Inst) {
	i.Test = test
	if test == nil || !test.testsBit {
		return
	}
	switch i.condition {
	case 2:
		i.relation = Relation{Op: token.NEQ}
	case 3:
		i.relation = Relation{Op: token.EQL}
	default:
		i.asks = false
	}
}

// depthFirst finds the edges that close cycles, and the loops they close.
func (f *Function) depthFirst() {
	state := make([]int, len(f.Blocks))
	preds := make([][]*Block, len(f.Blocks))
	for _, b := range f.Blocks {
		b.Back, b.Loops = make([]bool, len(b.Next())), make([]map[*Block]bool, len(b.Next()))
		for _, s := range b.Next() {
			preds[s.Index] = append(preds[s.Index], b)
		}
	}
	var visit func(b *Block)
	visit = func(b *Block) {
		state[b.Index] = 1
		for k, s := range b.Next() {
			switch state[s.Index] {
			case 0:
				visit(s)
			case 1:
				b.Back[k], b.Loops[k] = true, loop(s, b, preds)
			}
		}
		state[b.Index] = 2
	}
	visit(f.Blocks[0])
}

// loop returns the blocks of the loop with a header and the source of its back edge.
func loop(header, latch *Block, preds [][]*Block) map[*Block]bool {
	in := map[*Block]bool{header: true}
	work := []*Block{latch}
	for len(work) > 0 {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		if !in[b] {
			in[b] = true
			work = append(work, preds[b.Index]...)
		}
	}
	return in
}
