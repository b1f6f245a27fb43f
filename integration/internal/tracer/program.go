package tracer

import (
	"encoding/binary"
	"syscall"
)

// A Signal is one that a thread gets. The zero Signal is none.
type Signal struct {
	Number  syscall.Signal
	Code    int32  // si_code; 0 says that a process has sent it
	Address uint64 // of a fault
	Value   uint64 // of a timer
}

// A Program is one that is being run, here or elsewhere.
type Program struct{ Control }

// Control is what can be done with a program whose threads stand still.
type Control interface {
	// Read reads memory.
	Read(at uint64, to []byte) error
	// Write writes memory, even what the program itself may not write.
	Write(at uint64, from []byte) error
	// Arm sets breakpoints. Each stops one thread, once.
	Arm(list []uint64) error
	// Keep has a breakpoint stay. Threads get no signals there.
	Keep(pc uint64)
	// Drop ends a breakpoint that stays.
	Drop(pc uint64)
	// Vector returns what the low and the high half of a vector register of a thread that has come to a breakpoint are.
	Vector(t *Thread, register int) (low, high uint64, err error)
}

// A Thread is one that has come to a breakpoint.
type Thread struct {
	ID      int
	PC      uint64
	General [32]uint64 // registers by their number in instructions; on arm64 the last is the stack pointer
	Flags   uint64
	Local   uint64 // where its variables are: FS on amd64
}

// Handlers say what is to be done.
type Handlers struct {
	Begin func(p *Program) error // before the first instruction
	Break func(p *Program, t *Thread) (Signal, error)
}

// Word reads a word.
func (p *Program) Word(at uint64) (uint64, error) {
	var b [8]byte
	err := p.Read(at, b[:])
	return binary.LittleEndian.Uint64(b[:]), err
}

// SetWord writes one.
func (p *Program) SetWord(at, v uint64) error {
	return p.Write(at, binary.LittleEndian.AppendUint64(nil, v))
}
