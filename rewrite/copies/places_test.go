package copies

import (
	"github.com/goprofinstr/goprofinstr/rewrite/machine"
	rt "github.com/goprofinstr/goprofinstr/rt/copies"
)

// places makes sure that what the program has of origins, entrances and returns tells the same as these.
func (k *checker) places(functions []*machine.Function) {
	p := k.c.Places()
	k.Logf("places take %d bytes for %d of code", 12*len(p.Functions)+12*len(p.Blocks)+len(p.Stream), len(k.c.Code))
	for n, o := range k.c.Origins {
		end := uint32(len(k.c.Code))
		if n+1 < len(k.c.Origins) {
			end = k.c.Origins[n+1].Copy
		}
		offsets := []uint32{o.Copy}
		if o.At>>rt.KindShift != rt.Instruction {
			offsets = append(offsets, (o.Copy+end)/2, end-1)
		}
		for _, offset := range offsets {
			x, at := p.Origin(offset)
			if at != o.At&rt.AddressMask || x.Kind != o.At>>rt.KindShift || x.Kind != rt.Instruction && x.Copy != o.Copy {
				k.Fatalf("origin %d, %#x of %#x: %#x, part %+v", n, offset, o.At, at, x)
			}
		}
	}
	entrances, returns := make(map[uint32]uint32), make(map[uint32]uint32)
	for _, e := range k.c.Entrances {
		entrances[e.At] = e.Copy
	}
	for _, e := range k.c.Returns {
		returns[e.At] = e.Copy
	}
	for _, f := range functions {
		entrances[uint32(f.Lo)] = uint32(k.c.Entries[f.Lo] - k.c.Base) // even if it begins with what is no entrance
		for n, i := range f.Insts {
			at := uint32(i.PC)
			offset, ok := p.Entrance(at)
			if want, there := entrances[at]; ok != there || ok && offset != want {
				k.Fatalf("%s: the entrance of %#x is %#x, %t, not %#x, %t", f.Name, at, offset, ok, want, there)
			}
			want, there := returns[at]
			if !there && len(f.Insts) > 500 && n%16 != 0 {
				continue // which takes a walk through the whole function to say
			}
			if offset, ok = p.Return(at); ok != there || ok && offset != want {
				k.Fatalf("%s: what returns to %#x returns to %#x, %t, not %#x, %t", f.Name, at, offset, ok, want, there)
			}
		}
	}
}
