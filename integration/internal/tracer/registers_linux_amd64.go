package tracer

import (
	"encoding/binary"
	"syscall"
	"unsafe"
)

// breakpoint is an INT3. A thread that has come to it stands behind it.
var breakpoint = []byte{0xcc}

// registers reads those of a thread, which has come to a breakpoint.
func (t *Thread) registers() error {
	var r syscall.PtraceRegs
	if err := syscall.PtraceGetRegs(t.ID, &r); err != nil {
		return err
	}
	t.PC, t.Flags, t.Local = r.Rip-1, r.Eflags, r.Fs_base
	copy(t.General[:], []uint64{r.Rax, r.Rcx, r.Rdx, r.Rbx, r.Rsp, r.Rbp, r.Rsi, r.Rdi, r.R8, r.R9, r.R10, r.R11, r.R12, r.R13,
		r.R14, r.R15})
	return nil
}

// back has a thread execute what is at its breakpoint.
func (t *Thread) back() error {
	var r syscall.PtraceRegs
	if err := syscall.PtraceGetRegs(t.ID, &r); err != nil {
		return err
	}
	r.Rip = t.PC
	return syscall.PtraceSetRegs(t.ID, &r)
}

func (p *process) Vector(t *Thread, register int) (low, high uint64, err error) {
	const getFPRegs, first = 14, 160
	var fp [512]byte
	if _, _, err := syscall.RawSyscall6(syscall.SYS_PTRACE, getFPRegs, uintptr(t.ID), 0, uintptr(unsafe.Pointer(&fp)), 0, 0); err != 0 {
		return 0, 0, gone(err)
	}
	of := fp[first+16*register:]
	return binary.LittleEndian.Uint64(of), binary.LittleEndian.Uint64(of[8:]), nil
}
