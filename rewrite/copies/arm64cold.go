package copies

import (
	"encoding/binary"

	"github.com/goprofinstr/goprofinstr/rewrite/machine"
	rt "github.com/goprofinstr/goprofinstr/rt/copies"
)

// What functions need that begin cold. R18 is free in front of calls, behind them, and at entries, whatever is in R27.
//
//	       MOVD m(g), R18
//	       MOVD window(R18), R18
//	       CBZ  R18, before
//	       CALL f's copy
//	       the same, to behind
//	back:  …
//
//	before: CALL f
//	behind: MOVBU flag of the function, R18    two instructions
//	        CBNZ R18, back
//	        B    to the original

// Instructions without their operands.
const (
	longCbzWord = 0xb4000000 // CBZ
	byteWord    = 0x39400000 // MOVBU $(R), R
)

func (arm64) leadSize() uint64 { return rt.LeadSizeARM64 }

func (arm64) putLead(code []byte, from, to uint64) {
	binary.LittleEndian.PutUint32(code, jumpWord|uint32(to-from)>>2&(1<<26-1))
}

func (a arm64) ask(c *Copier) (displacement int) {
	c.words(load(a.thread, goroutine, platform), load(a.next+window, platform, platform), longCbzWord|platform)
	return len(c.code) - 4
}

func (a arm64) original(w *writer, i *machine.Inst) error {
	to, direct := i.Target()
	switch {
	case !direct:
		return a.plain(w, i)
	case i.IsCall():
		w.words(callWord)
	default:
		w.words(jumpWord)
	}
	w.goes(len(w.code)-4, to)
	return nil
}

func (a arm64) stay(c *Copier, flag uint64, back int, to uint64) error {
	if err := c.page(flag, platform); err != nil {
		return err
	}
	c.words(byteWord|int(flag&0xfff)<<10|platform<<5|platform, cbnzWord|platform)
	if err := a.lead(c, len(c.code)-4, c.base+uint64(back)); err != nil {
		return err
	}
	return a.leave(c, to)
}

// count uses both registers that are free at an entry. A thread that the kernel stops between the load and the store takes back
// the counts that others have added meanwhile. An exclusive store would not. But nobody can tell here what one costs on a real
// machine.
func (arm64) count(c *Copier, word uint64) error {
	if err := c.page(word, temporary); err != nil {
		return err
	}
	at := int(word & 0xfff)
	c.words(load(at, temporary, platform), addWord|1<<10|platform<<5|platform, store(platform, at, temporary))
	return nil
}

func (arm64) mayMove(i *machine.Inst) bool {
	return !i.IsJump() && !i.IsCall() && !i.IsReturn() && i.Kind != machine.Panics && !wordOf(i).reads(temporary)
}

func (a arm64) move(w *writer, i *machine.Inst) error { return a.plain(w, i) }
