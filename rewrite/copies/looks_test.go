package copies

import (
	"testing"

	"github.com/goprofinstr/goprofinstr/rewrite/pathmap"
)

// TestEdges tells edges of many blocks in one word, and none by the bits of another.
func TestEdges(t *testing.T) {
	const blocks, switched = 28, 7 // of 2 edges each, and the edges of one more
	p := new(pathmap.Plan)
	choice := new(pathmap.Choice)
	for e := range 2*blocks + switched {
		block := min(e/2, blocks)
		p.From = append(p.From, block)
		p.Looks = append(p.Looks, &pathmap.Look{Block: block})
		choice.Ways = append(choice.Ways, []int{e})
	}
	p.Nodes = []pathmap.Node{{Exits: []pathmap.Exit{{Ops: []pathmap.Op{{Choice: choice}}}}}}
	d := edgesOf(p)
	if len(d.blocks) != blocks+1 {
		t.Fatalf("%d blocks have bits", len(d.blocks))
	}
	for told := range p.From {
		bits := d.blocks[p.From[told]].of(d.number[told])
		for e, from := range p.From {
			w := d.way([]int{e})
			if agrees := bits&w.Not == 0; agrees != (e == told || from != p.From[told]) {
				t.Errorf("edge %d of block %d is told, and a way by edge %d of block %d agrees: %v", told, p.From[told], e, from, agrees)
			}
			if passes := bits&w.Mask != 0; passes != (from == p.From[told]) {
				t.Errorf("a way by block %d has bits of block %d: %v", from, p.From[told], passes)
			}
		}
	}
	if w := d.way([]int{0, 1}); w.Not != d.blocks[0].mask() || w.Not != w.Mask {
		t.Errorf("a way by both edges of a block agrees with one: %x", w.Not)
	}
}
