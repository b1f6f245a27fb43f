package tracer

import (
	"encoding/binary"
	"syscall"
	"unsafe"
)

// breakpoint is a BRK. A thread that has come to it stands at it.
var breakpoint = []byte{0x00, 0x00, 0x20, 0xd4}

// The sets of registers that the kernel knows.
const (
	general = 1 // R0 to R30, SP, PC and flags, 8 bytes each
	vectors = 2 // V0 to V31, 16 bytes each
)

// set reads a set of registers of a thread.
func (t *Thread) set(which uintptr, to []byte) error {
	const getRegSet = 0x4204
	v := syscall.Iovec{Base: &to[0], Len: uint64(len(to))}
	_, _, err := syscall.RawSyscall6(syscall.SYS_PTRACE, getRegSet, uintptr(t.ID), which, uintptr(unsafe.Pointer(&v)), 0, 0)
	if err != 0 {
		return err
	}
	return nil
}

// registers reads those of a thread, which has come to a breakpoint.
func (t *Thread) registers() error {
	var b [34 * 8]byte
	if err := t.set(general, b[:]); err != nil {
		return err
	}
	for k := range t.General {
		t.General[k] = binary.LittleEndian.Uint64(b[8*k:])
	}
	t.PC, t.Flags = binary.LittleEndian.Uint64(b[8*32:]), binary.LittleEndian.Uint64(b[8*33:])
	return nil
}

// back has a thread execute what is at its breakpoint.
func (t *Thread) back() error { return nil }

func (p *process) Vector(t *Thread, register int) (low, high uint64, err error) {
	var b [32*16 + 16]byte
	if err := t.set(vectors, b[:]); err != nil {
		return 0, 0, gone(err)
	}
	of := b[16*register:]
	return binary.LittleEndian.Uint64(of), binary.LittleEndian.Uint64(of[8:]), nil
}
