//go:build linux && (amd64 || arm64)

package tracer

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"unsafe"
)

// A process is a program that is being run here.
type process struct {
	pid    int
	mem    *os.File
	places map[uint64][]byte // what is where breakpoints are, or were
	armed  map[uint64]bool
	stays  map[uint64]bool
}

// Run runs a program until it ends, and returns the error that Wait would.
func Run(cmd *exec.Cmd, h Handlers) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	p, err := start(cmd)
	if err != nil {
		return err
	}
	defer p.mem.Close()
	status, err := p.run(h)
	if err != nil {
		syscall.Kill(p.pid, syscall.SIGKILL)
		for { // its threads end first
			if id, err := syscall.Wait4(-1, nil, syscall.WALL, nil); err != syscall.EINTR && (err != nil || id == p.pid) {
				break
			}
		}
	}
	cmd.Wait() // which closes pipes: the process is gone
	switch {
	case err != nil:
		return err
	case status.Signaled():
		return fmt.Errorf("it ended by %v", status.Signal())
	case status.ExitStatus() != 0:
		return fmt.Errorf("exit status %d", status.ExitStatus())
	}
	return nil
}

// Start starts a program, does something before its first instruction, and lets it go. The caller waits for it.
func Start(cmd *exec.Cmd, begin func(p *Program) error) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	p, err := start(cmd)
	if err != nil {
		return err
	}
	defer p.mem.Close()
	if err := errors.Join(begin(&Program{p}), syscall.PtraceDetach(p.pid)); err != nil {
		cmd.Process.Kill()
		cmd.Wait()
		return err
	}
	return nil
}

// start starts a program, which stands still before its first instruction.
func start(cmd *exec.Cmd) (p *process, err error) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = new(syscall.SysProcAttr)
	}
	cmd.SysProcAttr.Ptrace = true
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	p = &process{pid: cmd.Process.Pid, places: make(map[uint64][]byte), armed: make(map[uint64]bool), stays: make(map[uint64]bool)}
	var status syscall.WaitStatus
	_, err = syscall.Wait4(p.pid, &status, 0, nil)
	if err == nil {
		p.mem, err = os.OpenFile(fmt.Sprintf("/proc/%d/mem", p.pid), os.O_RDWR, 0)
	}
	if err != nil {
		cmd.Process.Kill()
		cmd.Wait()
	}
	return p, err
}

func (p *process) run(h Handlers) (status syscall.WaitStatus, err error) {
	const killed = 0x100000 // PTRACE_O_EXITKILL
	if err := syscall.PtraceSetOptions(p.pid, syscall.PTRACE_O_TRACECLONE|killed); err != nil {
		return status, err
	}
	if err := h.Begin(&Program{p}); err != nil {
		return status, err
	}
	for id, sig := p.pid, 0; ; {
		if err := syscall.PtraceCont(id, sig); err != nil && err != syscall.ESRCH { // a thread may be killed
			return status, err
		}
		if id, err = syscall.Wait4(-1, &status, syscall.WALL, nil); err != nil {
			return status, err
		}
		if sig, err = p.event(id, status, h); err == errEnded {
			if id == p.pid {
				return status, nil
			}
		} else if err != nil {
			return status, err
		}
	}
}

var errEnded = errors.New("a thread has ended")

// event returns with which signal a thread is to go on.
func (p *process) event(id int, status syscall.WaitStatus, h Handlers) (sig int, err error) {
	switch {
	case status.Exited() || status.Signaled():
		return 0, errEnded
	case status.StopSignal() == syscall.SIGSTOP, status.StopSignal() == syscall.SIGTRAP && status.TrapCause() > 0:
		return 0, nil // a thread begins
	case status.StopSignal() != syscall.SIGTRAP:
		return int(status.StopSignal()), nil
	}
	t := &Thread{ID: id}
	if err := t.registers(); err != nil {
		return 0, gone(err)
	}
	b, ok := p.places[t.PC]
	if !ok {
		return int(syscall.SIGTRAP), nil // one of its own
	}
	if p.armed[t.PC] { // and no other thread was faster
		if err := p.Write(t.PC, b); err != nil {
			return 0, err
		}
		delete(p.armed, t.PC)
		s, err := h.Break(&Program{p}, t)
		if err != nil {
			return 0, err
		}
		if err := t.back(); err != nil {
			return 0, gone(err)
		}
		if p.stays[t.PC] {
			return p.step(id, t.PC)
		}
		return int(s.Number), p.send(id, s)
	}
	// Another thread was faster. What was there is written once more, since an emulator may have kept its translation of the
	// breakpoint: QEMU 7.2 was seen to have both threads of a program come to one again and again.
	if err := p.Write(t.PC, b); err != nil {
		return 0, err
	}
	return 0, gone(t.back())
}

// gone returns an error unless the thread has been killed.
func gone(err error) error {
	if err == syscall.ESRCH {
		return nil
	}
	return err
}

// send sets what the signal is that a thread goes on with.
func (p *process) send(id int, s Signal) error {
	if s.Number == 0 {
		return nil
	}
	var info [128]byte
	binary.LittleEndian.PutUint32(info[0:], uint32(s.Number))
	binary.LittleEndian.PutUint32(info[8:], uint32(s.Code))
	binary.LittleEndian.PutUint64(info[16:], s.Address)
	binary.LittleEndian.PutUint64(info[24:], s.Value)
	const setSigInfo = 0x4203
	if _, _, err := syscall.RawSyscall6(syscall.SYS_PTRACE, setSigInfo, uintptr(id), 0, uintptr(unsafe.Pointer(&info[0])), 0, 0); err != 0 {
		return gone(err)
	}
	return nil
}

// step has a thread execute the instruction at a breakpoint that stays. It returns the signal that the thread goes on with, if
// the instruction faults. Other signals are kept for later.
func (p *process) step(id int, pc uint64) (sig int, err error) {
	var later []syscall.Signal
	for {
		if err := syscall.PtraceSingleStep(id); err != nil {
			return 0, gone(err)
		}
		var status syscall.WaitStatus
		if _, err := syscall.Wait4(id, &status, syscall.WALL, nil); err != nil {
			return 0, err
		}
		if !status.Stopped() {
			return 0, errEnded
		}
		switch sig := status.StopSignal(); sig {
		case syscall.SIGTRAP:
			return 0, p.goOn(id, pc, later)
		case syscall.SIGSEGV, syscall.SIGBUS, syscall.SIGFPE, syscall.SIGILL:
			return int(sig), p.goOn(id, pc, later)
		default: // if it were sent at once it would come before the instruction again
			later = append(later, sig)
		}
	}
}

// goOn has a breakpoint be where it was, and a thread get the signals that have come meanwhile.
func (p *process) goOn(id int, pc uint64, later []syscall.Signal) error {
	for _, sig := range later {
		if err := syscall.Tgkill(p.pid, id, sig); err != nil {
			return err
		}
	}
	return p.Arm([]uint64{pc})
}

// Arm sets breakpoints. Each stops one thread, once.
func (p *process) Arm(list []uint64) error {
	for _, pc := range list {
		if _, ok := p.places[pc]; !ok {
			b := make([]byte, len(breakpoint))
			if err := p.Read(pc, b); err != nil {
				return err
			}
			p.places[pc] = b
		}
		p.armed[pc] = true
		if err := p.Write(pc, breakpoint); err != nil {
			return err
		}
	}
	return nil
}

func (p *process) Keep(pc uint64) { p.stays[pc] = true }

func (p *process) Drop(pc uint64) { delete(p.stays, pc) }

func (p *process) Read(at uint64, to []byte) error {
	_, err := p.mem.ReadAt(to, int64(at))
	return err
}

func (p *process) Write(at uint64, from []byte) error {
	_, err := p.mem.WriteAt(from, int64(at))
	return err
}
