package copies

import (
	"errors"
	"math"
	"math/bits"
	"slices"

	"github.com/goprofinstr/goprofinstr/rewrite/machine"
	"github.com/goprofinstr/goprofinstr/rewrite/pathmap"
	"github.com/goprofinstr/goprofinstr/rt/pathlog"
)

// Edges have the bits that looks tell of them in a plan. All blocks share a word. A block has two bits for each bit of a number
// that its edges have, from 0 on: one where that is 0, and one where it is 1. So two edges differ in both.
type edges struct {
	from   []int         // by edge of the source
	blocks map[int]field // those that choices ask for and looks are at
	number []int         // by edge
	used   int           // bits of the word
}

// A field is the bits of a block.
type field struct{ at, bits int }

func (f field) mask() uint64 { return 1<<f.bits<<f.at - 1<<f.at }

// of returns the bits of an edge, by its number.
func (f field) of(number int) (told uint64) {
	for k := range f.bits / 2 {
		told |= 1 << (number >> k & 1) << (f.at + 2*k)
	}
	return told
}

// wordBits is how many bits looks have for all blocks.
const wordBits = 64

// edgesOf numbers the edges of a plan.
func edgesOf(p *pathmap.Plan) edges {
	d := edges{from: p.From, blocks: make(map[int]field)}
	out := make(map[int]int)
	for _, from := range p.From {
		d.number = append(d.number, out[from])
		out[from]++
	}
	looked := make(map[int]bool)
	for _, l := range p.Looks {
		looked[l.Block] = looked[l.Block] || !l.Rounds
	}
	asked := func(ways [][]int) {
		for _, way := range ways {
			for _, e := range way {
				b := p.From[e]
				size := 2 * bits.Len(uint(max(1, out[b]-1)))
				if _, ok := d.blocks[b]; !ok && looked[b] && d.used+size <= wordBits {
					d.blocks[b] = field{d.used, size}
					d.used += size
				}
			}
		}
	}
	asked(p.Unseen)
	for _, n := range p.Nodes {
		for _, x := range n.Exits {
			for _, o := range x.Ops {
				if o.Choice != nil {
					asked(o.Choice.Ways)
				}
			}
		}
	}
	return d
}

// A lookAt is a look of a plan.
type lookAt struct {
	plan int
	*pathmap.Look
}

// looksOf returns the looks that plans need, by instruction.
func (w *writer) looksOf() map[*machine.Inst][]lookAt {
	at := make(map[*machine.Inst][]lookAt)
	for k, p := range w.plans {
		for _, l := range p.Plan.Looks {
			if _, ok := w.told[k].blocks[l.Block]; ok || l.Rounds {
				i := w.free(l.At)
				at[i] = append(at[i], lookAt{k, l})
			}
		}
	}
	return at
}

// free returns an instruction in front of which there can be a record, if that has to be made for an instruction: the first of
// those that set nothing but what is in use in front of this one.
func (w *writer) free(i *machine.Inst) *machine.Inst {
	if !w.busy[i.PC] {
		return i
	}
	for _, b := range w.f.Blocks {
		at := slices.Index(b.Insts, i)
		for at > 0 && w.busy[b.Insts[at].PC] && setsTemporary(b.Insts[at-1]) {
			at--
		}
		if at >= 0 {
			return b.Insts[at]
		}
	}
	return i
}

// look puts records for all looks at an instruction, in front of it: one for each register or condition.
func (w *writer) look(i *machine.Inst) error {
	list := w.looks[i]
	for len(list) > 0 {
		v := value{list[0].Register, list[0].Condition}
		var ops []pathlog.Op
		for _, l := range list {
			if (value{l.Register, l.Condition}) == v {
				ops = append(ops, w.lookOp(l))
			}
		}
		list = slices.DeleteFunc(slices.Clone(list), func(l lookAt) bool { return value{l.Register, l.Condition} == v })
		if !w.arch.canLook(v) {
			return errors.New("a look at what is no register of its own")
		}
		w.record(i.PC, i.PC, ops, &v)
	}
	return nil
}

// lookOp returns the operation of a look.
func (w *writer) lookOp(l lookAt) pathlog.Op {
	if l.Rounds {
		return pathlog.Op{Target: w.plans[l.plan].Target, Kind: pathlog.Rounds, Next: l.Path}
	}
	told := w.told[l.plan]
	block := told.blocks[l.Block]
	look := pathlog.Look{First: uint32(len(w.cases)), N: uint32(len(l.Cases)), Mask: block.mask(),
		Otherwise: block.of(told.number[l.Otherwise])}
	for _, c := range l.Cases {
		w.cases = append(w.cases, pathlog.Case{Add: c.Add, Mask: c.Mask, Low: c.Low, High: c.High, Edge: block.of(told.number[c.Edge])})
	}
	w.Copier.looks = append(w.Copier.looks, look)
	return pathlog.Op{Target: w.plans[l.plan].Target, Kind: pathlog.Looked, Add: uint64(len(w.Copier.looks) - 1)}
}

// choice returns the operation of a choice.
func (w *writer) choice(plan int, c *pathmap.Choice) pathlog.Op {
	told, target := w.told[plan], w.plans[plan].Target
	var ways []pathlog.Way
	for k, edges := range c.Ways {
		ops := append(w.operations(plan, c.Ops[k]), w.besides(c.Also[k], target)...)
		way := told.way(edges)
		way.Not |= c.Not[k] << told.used // behind the bits of looks, as far as there is room
		way.First, way.N, way.Sure = uint32(len(w.Copier.ops)), w.count(ops), uint16(c.Sure())
		w.Copier.ops = append(w.Copier.ops, ops...)
		ways = append(ways, way)
	}
	op := w.doubt(Doubt{Target: target, Ways: c.Ways})
	op.Kind, op.Add = pathlog.Choose, pathlog.Chosen(len(w.ways), len(ways))
	w.ways = append(w.ways, ways...)
	return op
}

// count returns how many operations a way has.
func (w *writer) count(ops []pathlog.Op) uint16 {
	if len(ops) > math.MaxUint16 {
		w.failed = errors.New("a way has too many operations")
	}
	return uint16(len(ops))
}

// way returns what is told of no block with looks that a way takes. If it passes a block twice, by two edges, that is all.
func (d *edges) way(list []int) (w pathlog.Way) {
	for _, e := range list {
		b, ok := d.blocks[d.from[e]]
		if !ok {
			continue
		}
		w.Mask |= b.mask()
		w.Not |= b.mask() &^ b.of(d.number[e])
	}
	return w
}
