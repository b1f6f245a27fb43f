package copies

import (
	"encoding/binary"
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/goprofinstr/goprofinstr/rewrite/machine"
	"github.com/goprofinstr/goprofinstr/rewrite/pathmap"
	rt "github.com/goprofinstr/goprofinstr/rt/copies"
	"github.com/goprofinstr/goprofinstr/rt/pathlog"
)

// A writer writes the copy of a function.
type writer struct {
	*Copier
	f      *machine.Function
	plans  []Counted
	nodes  []map[*machine.Block][]int // by plan: the nodes of each block
	depths map[uint64]int             // nil as long as there is no record
	told   []edges                    // by plan
	looks  map[*machine.Inst][]lookAt
	busy   map[uint64]bool // instructions in front of which there can be no record
	failed error           // there would be one

	entry  uint64
	at     []uint32       // of copies of instructions, in code and one more, by offset of the original; 0 for none
	jumps  []fixup        // to instructions of the function
	edges  []edge         // whose code is behind the function
	tables map[uint64]int // of jumps, by address: where the copy is, in code
	loads  []fixup        // of addresses of tables

	outside []outside // of windows: calls there
}

// An edge is code of its own for an edge that has a record.
type edge struct {
	jump int // the displacement of the jump to it, in code; -1: a word of a table
	word int // in code, of the table
	to   uint64
	ops  []pathlog.Op
}

func newWriter(c *Copier, f *machine.Function, plans []Counted) *writer {
	w := &writer{Copier: c, f: f, plans: plans, at: c.placesOf(f), tables: make(map[uint64]int)}
	for _, p := range plans {
		nodes := make(map[*machine.Block][]int)
		for k, n := range p.Plan.Nodes {
			nodes[n.Block] = append(nodes[n.Block], k)
		}
		w.nodes = append(w.nodes, nodes)
		w.told = append(w.told, edgesOf(p.Plan))
	}
	w.busy = c.arch.busy(f)
	w.looks = w.looksOf()
	for _, b := range f.Blocks {
		if b.Table != 0 {
			w.tables[b.Table] = 0
		}
	}
	return w
}

// placesOf returns room for the places of a function's instructions.
func (c *Copier) placesOf(f *machine.Function) []uint32 {
	n := int(f.Hi - f.Lo)
	c.places = slices.Grow(c.places[:0], n)[:n]
	clear(c.places)
	return c.places
}

// copies notes that the copy of an instruction is next.
func (w *writer) copies(i *machine.Inst) { w.at[i.PC-w.f.Lo] = uint32(len(w.code)) + 1 }

// copyOf returns where the copy of an instruction is. It is not ok if there is none.
func (w *writer) copyOf(address uint64) (at uint64, ok bool) {
	if address < w.f.Lo || address >= w.f.Hi || w.at[address-w.f.Lo] == 0 {
		return 0, false
	}
	return w.base + uint64(w.at[address-w.f.Lo]-1), true
}

// ops returns what an edge of a block does, by Block.Next(), or where the function ends.
func (w *writer) ops(b *machine.Block, edge int) (list []pathlog.Op) {
	for k, p := range slices.Backward(w.plans) { // what is inlined comes first: it has been executed if what is around it goes on
		nodes := w.nodes[k][b]
		if len(nodes) == 0 {
			continue
		}
		if w.depends(k, b, edge) {
			list = append(list, w.step(k, nodes, edge))
		} else {
			list = append(list, w.operationsOf(k, exit(&p.Plan.Nodes[nodes[0]], edge))...)
		}
	}
	if b.Calls() {
		list = append(list, w.besides(w.Derived.Calls[b], 0)...)
	} else if also := w.Derived.Back[b]; also != nil && b.Passes(edge) {
		list = append(list, w.besides(also, 0)...)
	}
	return list
}

// operationsOf returns those of an exit of a plan.
func (w *writer) operationsOf(plan int, x *pathmap.Exit) []pathlog.Op {
	return append(w.operations(plan, x.Ops), w.besides(x.Also, w.plans[plan].Target)...)
}

// done returns what the end of a block does that is the end of the function.
func (w *writer) done(b *machine.Block) []pathlog.Op {
	list := w.ops(b, 0)
	if len(w.plans) > 0 {
		list = append(list, pathlog.Op{Target: w.plans[0].Target, Kind: pathlog.Done})
	}
	return list
}

// exit returns what an edge of a node does.
func exit(n *pathmap.Node, edge int) *pathmap.Exit { return &n.Exits[min(edge, len(n.Exits)-1)] }

// depends reports whether what an edge does depends on the node, or the node that follows does.
func (w *writer) depends(plan int, b *machine.Block, edge int) bool {
	p := w.plans[plan].Plan
	nodes := w.nodes[plan][b]
	first := exit(&p.Nodes[nodes[0]], edge)
	for _, n := range nodes {
		x := exit(&p.Nodes[n], edge)
		if x.To >= 0 && len(w.nodes[plan][p.Nodes[x.To].Block]) > 1 ||
			!slices.EqualFunc(x.Ops, first.Ops, same) || !slices.Equal(x.Also, first.Also) {
			return true
		}
	}
	return false
}

// same reports whether two operations are the same.
func same(a, b pathmap.Op) bool {
	return a == b || a.Choice != nil && b.Choice != nil && reflect.DeepEqual(a, b)
}

// step returns the operation of an edge that has several meanings.
func (w *writer) step(plan int, nodes []int, edge int) pathlog.Op {
	p := w.plans[plan]
	op := pathlog.Op{Target: p.Target, Kind: pathlog.Stepped, Add: uint64(len(w.steps)), Next: uint64(len(nodes))}
	for _, n := range nodes {
		x := exit(&p.Plan.Nodes[n], edge)
		ops := w.operationsOf(plan, x)
		from, place := int32(n), 0
		if len(nodes) == 1 {
			from = pathlog.AnyNode
		}
		if x.To >= 0 {
			place = slices.Index(w.nodes[plan][p.Plan.Nodes[x.To].Block], x.To)
		}
		s := pathlog.NewStep(from, int32(x.To), uint32(place), uint32(len(w.Copier.ops)), ops)
		w.Copier.ops = append(w.Copier.ops, ops...)
		w.steps = append(w.steps, s)
	}
	return op
}

// operations returns those of a plan.
func (w *writer) operations(plan int, list []pathmap.Op) (ops []pathlog.Op) {
	target := w.plans[plan].Target
	for _, o := range list {
		op := pathlog.Op{Target: target, Kind: pathlog.Add, Add: o.Add}
		switch {
		case o.Choice != nil:
			op = w.choice(plan, o.Choice)
		case o.Lost:
			op = w.doubt(Doubt{Target: target, From: o.From, To: o.To})
		case o.End:
			op.Kind, op.Next = pathlog.End, o.Next
		}
		if o.Mask != 0 {
			if o.Add != 0 {
				ops = append(ops, op)
			}
			at := w.told[plan].used
			op = pathlog.Op{Target: target, Kind: pathlog.Told, Add: o.Mask << at, Next: o.Told << at}
		}
		ops = append(ops, op)
	}
	return ops
}

// doubt returns the operation for a doubt.
func (w *writer) doubt(d Doubt) pathlog.Op {
	w.doubts = append(w.doubts, d)
	return pathlog.Op{Target: d.Target, Kind: pathlog.Doubt, Next: uint64(len(w.doubts) - 1)}
}

func (w *writer) write() error {
	w.arch.align(w.Copier)
	w.entry = w.here()
	var begin []pathlog.Op
	for _, p := range w.plans {
		begin = append(begin, pathlog.Op{Target: p.Target, Kind: pathlog.Begin, Next: p.Plan.Start})
	}
	begin = append(begin, w.besides(w.Derived.Entries[w.f], 0)...)
	entry, entrances := uint32(len(w.code)), len(w.entrances)
	if k := w.cold.counted; k > 0 {
		w.cold.functions[k-1].Copy = entry
	}
	w.note(w.f.Lo, w.f.Lo, begin)
	for _, b := range w.f.Blocks {
		if err := w.block(b); err != nil {
			return err
		}
	}
	if len(w.entrances) > entrances && w.entrances[entrances].At == uint32(w.f.Lo) { // there a thread changes over to the record
		w.entrances[entrances].Copy = entry
	}
	w.origin(w.f.Hi-1, rt.Leading)
	w.arch.end(w.Copier)
	if err := w.writeOutside(); err != nil {
		return err
	}
	if err := w.writeEdges(); err != nil {
		return err
	}
	if err := w.writeCounter(); err != nil {
		return err
	}
	return w.failed
}

// block writes the copy of a block.
func (w *writer) block(b *machine.Block) error {
	for k, i := range b.Insts {
		last := k == len(b.Insts)-1
		if last && i.IsJump() && !i.IsConditional() || last && i.IsReturn() || i.Kind == machine.Panics {
			return w.end(b, i)
		}
		var ops []pathlog.Op
		calls := last && b.Calls()
		if calls { // what is behind the call may never be executed
			ops = w.ops(b, 0)
		}
		if err := w.instruction(i, ops); err != nil {
			return err
		}
		switch {
		case i.IsConditional():
			return w.branch(b, i)
		case i.IsCall():
			if err := w.call(i); err != nil {
				return err
			}
			if calls {
				w.note(i.End(), i.End(), w.besides(w.Derived.Back[b], 0))
				return nil
			}
		default:
			if err := w.arch.plain(w, i); err != nil {
				return err
			}
		}
	}
	if len(b.Succs) == 0 {
		return nil // behind an instruction that nothing follows
	}
	return w.goOn(b, b.Last().End(), false)
}

// instruction puts operations and the looks at an instruction, and notes that its copy follows.
func (w *writer) instruction(i *machine.Inst, ops []pathlog.Op) error {
	w.copies(i)
	w.note(i.PC, i.PC, ops)
	if err := w.look(i); err != nil {
		return err
	}
	w.origin(i.PC, rt.Instruction)
	w.enters = append(w.enters, uint32(len(w.code)))
	w.entrances = append(w.entrances, rt.Entrance{At: uint32(i.PC), Copy: uint32(len(w.code))})
	return nil
}

// end writes the last instruction of a block that is no conditional jump.
func (w *writer) end(b *machine.Block, i *machine.Inst) error {
	w.copies(i)
	to, direct := i.Target()
	switch {
	case i.Kind == machine.Panics:
		if i.Callee == "runtime.gopanic" {
			w.note(i.PC, i.PC, w.ops(b, 0))
		}
		w.origin(i.PC, rt.Leading)
		return w.arch.leave(w.Copier, i.PC)
	case i.IsReturn():
		w.note(i.PC, i.PC, w.done(b))
		w.origin(i.PC, rt.Instruction)
		w.put(i.Code)
	case direct && to >= w.f.Lo && to < w.f.Hi:
		return w.goOn(b, i.PC, true)
	case direct || b.Ret:
		w.note(i.PC, i.PC, w.done(b))
		w.origin(i.PC, rt.Instruction)
		if w.cold.base != 0 {
			return w.jumpCold(i)
		}
		return w.arch.call(w, i)
	default:
		w.origin(i.PC, rt.Instruction)
		return w.throughTable(b, i)
	}
	return nil
}

// goOn goes on from a block that has one edge. At is the address of the jump, or behind the block if there is none.
func (w *writer) goOn(b *machine.Block, at uint64, jump bool) error {
	if len(b.Succs) != 1 {
		return fmt.Errorf("a block with %d edges ends at %#x", len(b.Succs), at)
	}
	to := b.Succs[0]
	w.note(at, to.Insts[0].PC, w.ops(b, 0))
	if !b.Skips {
		if jump {
			w.origin(at, rt.Leading)
			w.jump(to.Insts[0].PC)
		}
		return nil
	}
	// The plan leads past the test there, whose outcome is known.
	for k, i := range to.Insts {
		if err := w.look(i); err != nil {
			return err
		}
		if k == len(to.Insts)-1 {
			break
		}
		w.origin(i.PC, rt.Instruction)
		if err := w.arch.plain(w, i); err != nil {
			return err
		}
	}
	w.origin(to.Last().PC, rt.Leading)
	w.jump(to.Succs[b.Via].Insts[0].PC)
	return nil
}

// jump puts a jump to an instruction of the function.
func (w *writer) jump(to uint64) {
	w.jumps = append(w.jumps, fixup{w.arch.jump(w.Copier), to})
}

// branch writes a conditional jump, which ends a block.
func (w *writer) branch(b *machine.Block, i *machine.Inst) error {
	if len(b.Succs) != 2 {
		return fmt.Errorf("a jump with %d edges at %#x", len(b.Succs), i.PC)
	}
	jump, err := w.arch.branch(w.Copier, i)
	if err != nil {
		return err
	}
	taken, not := w.ops(b, 0), w.ops(b, 1)
	to := b.Succs[0].Insts[0].PC
	if len(taken) > 0 {
		w.edges = append(w.edges, edge{jump: jump, to: to, ops: taken})
	} else {
		w.jumps = append(w.jumps, fixup{jump, to})
	}
	w.note(i.End(), i.End(), not)
	return nil
}

// throughTable writes a jump through a table, and the table's copy.
func (w *writer) throughTable(b *machine.Block, i *machine.Inst) error {
	if err := w.arch.table(w, b, i); err != nil {
		return err
	}
	for k, to := range b.Succs {
		w.edges = append(w.edges, edge{jump: -1, word: len(w.code), to: to.Insts[0].PC, ops: w.ops(b, k)})
		w.put(uint64(0))
	}
	return nil
}

// call writes a call that returns.
func (w *writer) call(i *machine.Inst) error {
	if w.cold.base != 0 {
		return w.callCold(i)
	}
	if err := w.arch.call(w, i); err != nil {
		return err
	}
	w.origin(i.End(), rt.Leading)
	if _, direct := i.Target(); direct && w.arch.keepsFlags(i.Callee) {
		return nil
	}
	if w.busy[i.End()] {
		return fmt.Errorf("nothing can be tested behind the call at %#x", i.PC)
	}
	w.returnsHere(i)
	return w.arch.test(w.Copier, i.End())
}

// returnsHere says that a call returns to what is put next. One that ends the function returns to nothing of it.
func (w *writer) returnsHere(call *machine.Inst) {
	if call.End() == w.f.Hi {
		return
	}
	w.enters = append(w.enters, uint32(len(w.code)))
	w.returns = append(w.returns, rt.Entrance{At: uint32(call.End()), Copy: uint32(len(w.code))})
}

// writeEdges writes code for edges that have records.
func (w *writer) writeEdges() error {
	for _, e := range w.edges {
		to := w.here()
		if len(e.ops) == 0 {
			to, _ = w.copyOf(e.to)
		}
		if e.jump >= 0 {
			if err := w.arch.lead(w.Copier, e.jump, to); err != nil {
				return err
			}
		} else {
			binary.LittleEndian.PutUint64(w.code[e.word:], to)
		}
		if len(e.ops) > 0 {
			w.note(e.to, e.to, e.ops)
			w.origin(e.to, rt.Leading)
			w.jump(e.to)
		}
	}
	return nil
}

// lead has jumps lead to instructions of the copy, and loads of addresses to copies of tables.
func (w *writer) lead() error {
	for _, j := range w.jumps {
		to, ok := w.copyOf(j.to)
		if !ok {
			return fmt.Errorf("a jump to %#x, where no block begins", j.to)
		}
		if err := w.arch.lead(w.Copier, j.at, to); err != nil {
			return err
		}
	}
	for _, l := range w.loads {
		table := w.tables[l.to]
		if table == 0 {
			return errors.New("a table without a jump")
		}
		if err := w.arch.lead(w.Copier, l.at, w.base+uint64(table)); err != nil {
			return err
		}
	}
	for _, e := range w.edges {
		if _, ok := w.copyOf(e.to); !ok {
			return errors.New("an edge to where no block begins")
		}
	}
	return nil
}
