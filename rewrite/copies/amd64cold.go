package copies

import (
	"encoding/binary"

	"golang.org/x/arch/x86/x86asm"

	"github.com/goprofinstr/goprofinstr/rewrite/machine"
	rt "github.com/goprofinstr/goprofinstr/rt/copies"
)

func (amd64) leadSize() uint64 { return rt.LeadSizeAMD64 }

func (amd64) putLead(code []byte, from, to uint64) {
	code[0] = 0xe9
	binary.LittleEndian.PutUint32(code[1:], uint32(to-(from+rt.LeadSizeAMD64)))
}

func (amd64) ask(c *Copier) (displacement int) {
	c.test(window)
	c.put(0x0f, 0x84)
	return c.displacement()
}

func (a amd64) original(w *writer, i *machine.Inst) error {
	to, direct := i.Target()
	if !direct {
		return a.plain(w, i)
	}
	code := 0xe8
	if i.Op == x86asm.JMP {
		code = 0xe9
	}
	w.put(code)
	return w.reach(to)
}

// stay has the jump to the original first: most threads come back to it.
func (amd64) stay(c *Copier, flag uint64, back int, to uint64) error {
	c.put(0x80, 0x3d)
	c.put(uint32(flag-(c.here()+5)), 0)
	c.put(0x0f, 0x84)
	if err := c.reach(to); err != nil {
		return err
	}
	c.put(0xe9)
	return c.reach(c.base + uint64(back))
}

// counterSize is how many bytes of a counter add to a word.
const counterSize = 7

func (amd64) count(c *Copier, word uint64) error {
	c.put(0x48, 0xff, 0x05, uint32(word-(c.here()+counterSize)))
	return nil
}

func (amd64) mayMove(i *machine.Inst) bool {
	if i.Vex {
		return true
	}
	_, direct := i.Target()
	_, condition := i.Condition()
	return !(i.IsConditional() && (!direct || !condition) || i.IsCall() || i.Op == x86asm.JMP || i.Op == x86asm.RET ||
		i.Kind == machine.Panics)
}

func (a amd64) move(w *writer, i *machine.Inst) error {
	cc, ok := i.Condition()
	if !ok || !i.IsConditional() {
		return a.plain(w, i)
	}
	to, _ := i.Target()
	w.put(0x0f, 0x80|cc)
	return w.reach(to)
}
