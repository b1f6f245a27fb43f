//go:build linux

package guest

import (
	"encoding/gob"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/goprofinstr/goprofinstr/integration/internal/guest/wire"
	"github.com/goprofinstr/goprofinstr/integration/internal/tracer"
)

// Emulator is the program that emulates the machine, of Debian's package qemu-system-arm.
const Emulator = "qemu-system-aarch64"

// A Machine is one that is emulated.
type Machine struct {
	cmd  *exec.Cmd
	conn net.Conn
	in   *gob.Decoder
	out  *gob.Encoder
	log  string // the file that has what the kernel writes
	sent map[string]fs.FileInfo
}

// Start boots a machine with a kernel from a folder into which Debian's package linux-image-*-cloud-arm64 was unpacked. Its files
// are written to work.
func Start(kernel, work string) (m *Machine, err error) {
	return start(kernel, work, "-accel", "tcg,thread=multi", "-smp", "2")
}

// StartCounting boots a machine with one processor, whose clock goes on by a nanosecond for each instruction.
func StartCounting(kernel, work string) (m *Machine, err error) {
	return start(kernel, work, "-accel", "tcg", "-smp", "1", "-icount", "shift=0,sleep=off")
}

func start(kernel, work string, processors ...string) (m *Machine, err error) {
	if _, err := exec.LookPath(Emulator); err != nil {
		return nil, err
	}
	images, err := filepath.Glob(filepath.Join(kernel, "boot", "vmlinuz-*"))
	if err != nil || len(images) != 1 {
		return nil, errors.Join(err, fmt.Errorf("%s has %d files boot/vmlinuz-*, and not one", kernel, len(images)))
	}
	ram := filepath.Join(work, "initramfs")
	if err := writeInitramfs(kernel, work, ram); err != nil {
		return nil, err
	}
	socket := filepath.Join(work, "line")
	os.Remove(socket)
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: socket, Net: "unix"})
	if err != nil {
		return nil, err
	}
	defer l.Close()
	m = &Machine{log: filepath.Join(work, "kernel.log"), sent: make(map[string]fs.FileInfo)}
	m.cmd = exec.Command(Emulator, "-M", "virt", "-cpu", "max,pauth-impdef=on", "-m", "3G",
		"-nodefaults", "-no-user-config", "-display", "none", "-no-reboot", "-serial", "file:"+m.log, "-kernel", images[0],
		"-initrd", ram, "-append", "console=ttyAMA0 panic=-1 quiet", "-device", "virtio-serial-pci",
		"-chardev", "socket,id=line,path="+socket, "-device", "virtserialport,chardev=line,name="+wire.Port)
	m.cmd.Args = append(m.cmd.Args, processors...)
	m.cmd.Stderr = os.Stderr
	if err := m.cmd.Start(); err != nil {
		return nil, err
	}
	l.SetDeadline(time.Now().Add(time.Minute))
	if m.conn, err = l.Accept(); err != nil {
		m.cmd.Process.Kill()
		m.cmd.Wait()
		return nil, err
	}
	m.in, m.out = gob.NewDecoder(m.conn), gob.NewEncoder(m.conn)
	return m, nil
}

// Close ends the machine.
func (m *Machine) Close() {
	m.conn.Close()
	m.cmd.Process.Kill()
	m.cmd.Wait()
}

// ask sends a request, and returns what the machine answers. Its error is of the line.
func (m *Machine) ask(r *wire.Request) (reply wire.Reply, err error) {
	if err = m.out.Encode(r); err == nil {
		err = m.in.Decode(&reply)
	}
	if err != nil {
		text, _ := os.ReadFile(m.log)
		err = fmt.Errorf("the machine does not answer: %w\n%s", err, text[max(0, len(text)-3000):])
	}
	return reply, err
}

// do is ask where the machine's error is one, too.
func (m *Machine) do(r *wire.Request) (wire.Reply, error) {
	reply, err := m.ask(r)
	if err == nil && reply.Failed != "" {
		err = errors.New(reply.Failed)
	}
	return reply, err
}

// Put writes a file of the host to the machine, under the same name, or a folder with all that is in it. What the machine
// has already is not written again, if it is a program.
func (m *Machine) Put(name string) error {
	return filepath.WalkDir(name, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := os.Stat(name)
		if err != nil || !info.Mode().IsRegular() {
			return err
		}
		program := info.Mode()&0o100 != 0
		if was := m.sent[name]; program && was != nil && was.ModTime().Equal(info.ModTime()) && was.Size() == info.Size() {
			return nil
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		m.sent[name] = info
		_, err = m.do(&wire.Request{Kind: wire.Put, Path: name, Data: data, Mode: uint32(info.Mode().Perm())})
		return err
	})
}

// A Command is a program that the machine has, or is sent.
type Command struct {
	Path      string
	Args, Env []string // Args without the program's name
	Dir       string
	Dirs      []string // there have to be
	Back      string   // the folder whose files come back, but programs
}

// Run runs a program to its end and returns what it writes. If there are handlers, they trace it. Threads that were noted come to
// them when it has ended.
func (m *Machine) Run(c *Command, h *tracer.Handlers) (output []byte, err error) {
	r := &wire.Request{Kind: wire.Run, Path: c.Path, Args: c.Args, Env: c.Env, Dir: c.Dir, Dirs: c.Dirs, Back: c.Back, Traced: h != nil}
	reply, err := m.ask(r)
	p := &tracer.Program{Control: &remote{m}}
	var failed error // of handlers
	for err == nil && !reply.Ended && reply.Failed == "" {
		r := &wire.Request{Kind: wire.Go}
		if reply.Thread == nil {
			failed = h.Begin(p)
		} else {
			r.Signal, failed = h.Break(p, reply.Thread)
		}
		if failed != nil {
			r.Failed = failed.Error()
		}
		reply, err = m.ask(r)
	}
	if err == nil && reply.Failed != "" {
		err = errors.New(reply.Failed)
	}
	for k := range reply.Notes {
		n := &reply.Notes[k]
		if err == nil {
			_, err = h.Break(&tracer.Program{Control: &noted{remote{m}, n}}, &n.Thread)
		}
	}
	for _, f := range reply.Files {
		err = errors.Join(err, os.MkdirAll(filepath.Dir(f.Path), 0o777), os.WriteFile(f.Path, f.Data, 0o666))
	}
	return reply.Data, err
}

// A remote is a program of the machine whose threads stand still.
type remote struct{ m *Machine }

func (p *remote) Read(at uint64, to []byte) error {
	reply, err := p.m.do(&wire.Request{Kind: wire.Read, At: at, Size: len(to)})
	copy(to, reply.Data)
	return err
}

func (p *remote) Write(at uint64, from []byte) error {
	_, err := p.m.do(&wire.Request{Kind: wire.Write, At: at, Data: from})
	return err
}

func (p *remote) Arm(list []uint64) error {
	_, err := p.m.do(&wire.Request{Kind: wire.Arm, List: list})
	return err
}

func (p *remote) Keep(pc uint64) { p.m.do(&wire.Request{Kind: wire.Keep, At: pc}) }
func (p *remote) Drop(pc uint64) { p.m.do(&wire.Request{Kind: wire.Drop, At: pc}) }

func (p *remote) Vector(t *tracer.Thread, register int) (low, high uint64, err error) {
	reply, err := p.m.do(&wire.Request{Kind: wire.Vector, Thread: t.ID, Number: register})
	return reply.Low, reply.High, err
}

// Note has breakpoints stay that note threads up to so many times each, and the vector registers of a set for each of them.
func (p *remote) Note(list []uint64, vectors []uint32, most int) error {
	_, err := p.m.do(&wire.Request{Kind: wire.Note, List: list, Sets: vectors, Size: most})
	return err
}

// A noted program has ended. What is known of a thread of it was noted.
type noted struct {
	remote
	note *wire.Noted
}

func (p *noted) Read(at uint64, to []byte) error {
	const goroutine = 28
	if at != p.note.Thread.General[goroutine] || len(to) > len(p.note.Goroutine) {
		return fmt.Errorf("what is at %#x was not noted", at)
	}
	copy(to, p.note.Goroutine)
	return nil
}

func (p *noted) Vector(_ *tracer.Thread, register int) (low, high uint64, err error) {
	v := p.note.Vectors[register]
	return v[0], v[1], nil
}

func (p *noted) Keep(uint64) {}
func (p *noted) Drop(uint64) {}
