package machine

// Depths returns how far the stack pointer is below the return address, in bytes, before each instruction, by address. On
// arm64, where a call keeps that address in a register, it is how far below the pointer's value at the entry. Frames of
// compiled functions have one size but for prologue and epilogue. What no edge leads to is where functions go on that have
// recovered: there it is that size.
func (f *Function) Depths() map[uint64]int {
	at := make([]int, len(f.Blocks))
	seen := make([]bool, len(f.Blocks))
	depths := make(map[uint64]int, len(f.Insts))
	frame := 0
	run := func(start *Block, depth int) {
		at[start.Index], seen[start.Index] = depth, true
		work := []*Block{start}
		for len(work) > 0 {
			b := work[len(work)-1]
			work = work[:len(work)-1]
			d := at[b.Index]
			for _, i := range b.Insts {
				depths[i.PC] = d
				if i.IsCall() {
					frame = max(frame, d)
				}
				d += int(i.pushes)
			}
			for _, s := range b.Succs {
				if !seen[s.Index] {
					at[s.Index], seen[s.Index] = d, true
					work = append(work, s)
				}
			}
		}
	}
	run(f.Blocks[0], 0)
	for _, b := range f.Blocks {
		if !seen[b.Index] {
			run(b, frame)
		}
	}
	return depths
}
