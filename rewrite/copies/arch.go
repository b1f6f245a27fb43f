package copies

import (
	"debug/elf"

	"github.com/goprofinstr/goprofinstr/rewrite/machine"
)

// An arch writes code of an architecture. Where it puts a displacement that is not known yet, it returns where that is in the
// code. What is in which order in copies is the same for all.
type arch interface {
	// check returns why a function cannot be copied, nil if it can.
	check(f *machine.Function) error

	// align has the code go on where a function may begin.
	align(c *Copier)

	// end puts what is behind a function, where control does not come.
	end(c *Copier)

	// noting returns the kind of a record with a value, or without if that is nil.
	noting(v *value) uint32

	// record puts the record of a site.
	record(c *Copier, site uint32, v *value)

	// busy returns in front of which instructions there can be no record: something is in use there that records change.
	busy(f *machine.Function) map[uint64]bool

	// canLook reports whether records may have a value.
	canLook(v value) bool

	// plain puts a copy of an instruction that is no jump and no call.
	plain(w *writer, i *machine.Inst) error

	// jump puts a jump within the function, and branch a conditional jump.
	jump(c *Copier) (displacement int)
	branch(c *Copier, i *machine.Inst) (displacement int, err error)

	// table puts a copy of a jump through a table, up to the table.
	table(w *writer, b *machine.Block, i *machine.Inst) error

	// call puts a copy of a call, or of a jump to another function.
	call(w *writer, i *machine.Inst) error

	// keepsFlags reports whether nothing may be tested behind a direct call of a function.
	keepsFlags(callee string) bool

	// test puts a test whether the burst is over, and if it is, a jump to the original. Leave puts such a jump.
	test(c *Copier, to uint64) error
	leave(c *Copier, to uint64) error

	// lead has a displacement lead to an address.
	lead(c *Copier, displacement int, to uint64) error

	coldArch

	// reach is how far jumps and calls lead, in bytes, and putRelay puts one to an address that leads everywhere.
	reach() int64
	putRelay(c *Copier, to uint64)

	// funcAlign is what the linker aligns functions to, and index completes the code of an indirect call: the table for these
	// has so many words, the first for the function at address low.
	funcAlign() uint64
	index(c *Copier, l lookup, low, table uint64, words int)
}

// A coldArch writes what functions need that begin cold.
type coldArch interface {
	// leadSize is how many bytes a jump at an entry has, and putLead writes it.
	leadSize() uint64
	putLead(code []byte, from, to uint64)

	// ask puts a test whether the thread is in a window, and a jump that is taken if it is not.
	ask(c *Copier) (displacement int)

	// original puts a call or a jump to another function that leads to the original.
	original(w *writer, i *machine.Inst) error

	// stay puts a jump back, to an offset in the code, that is taken if a byte is not 0. Otherwise control goes to the original.
	stay(c *Copier, flag uint64, back int, to uint64) error

	// count puts code that adds 1 to a word of memory, at an entry.
	count(c *Copier, word uint64) error

	// mayMove reports whether an instruction at an entry may be elsewhere, and move puts it there.
	mayMove(i *machine.Inst) bool
	move(w *writer, i *machine.Inst) error
}

// archOf returns the architecture of a program.
func archOf(im *machine.Image) arch {
	if im.File.Machine != elf.EM_AARCH64 {
		return amd64{}
	}
	thread, _ := im.Offset("runtime.g", "m")
	words, _ := im.Offset("runtime.m", "tls")
	return arm64{thread: thread, next: words + 8*nextWord}
}

// nextWord is which of a thread's words says where it has its next record (package rt/copies).
const nextWord = 1
