//go:build linux && arm64

// Agent is the only program of an emulated machine. It runs others, which the host sends.
package main

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/gob"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
	"unsafe"

	"github.com/goprofinstr/goprofinstr/integration/internal/guest/wire"
	"github.com/goprofinstr/goprofinstr/integration/internal/tracer"
)

func main() {
	err := boot()
	if err == nil {
		err = serve()
	}
	fmt.Println("agent:", err)
	syscall.Reboot(syscall.LINUX_REBOOT_CMD_POWER_OFF)
}

// boot makes a system of the kernel.
func boot() error {
	for _, m := range [][2]string{{"devtmpfs", "/dev"}, {"proc", "/proc"}, {"sysfs", "/sys"}, {"tmpfs", "/tmp"}} {
		if err := errors.Join(os.MkdirAll(m[1], 0o777), syscall.Mount(m[0], m[1], m[0], 0, "")); err != nil {
			return fmt.Errorf("mount %s: %w", m[1], err)
		}
	}
	modules, err := filepath.Glob("/modules/*.ko") // their names are in the order in which they need each other
	if err != nil {
		return err
	}
	for _, name := range modules {
		if err := load(name); err != nil {
			return fmt.Errorf("load %s: %w", name, err)
		}
	}
	return nil
}

func load(name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	none := []byte{0}
	const finitModule = 273
	_, _, number := syscall.Syscall(finitModule, f.Fd(), uintptr(unsafe.Pointer(&none[0])), 0)
	if number != 0 {
		return number
	}
	return nil
}

// line waits for the serial line to the host.
func line() (*os.File, error) {
	for begin := time.Now(); time.Since(begin) < time.Minute; time.Sleep(50 * time.Millisecond) {
		names, _ := filepath.Glob("/sys/class/virtio-ports/*/name")
		for _, name := range names {
			if text, _ := os.ReadFile(name); strings.TrimSpace(string(text)) == wire.Port {
				return os.OpenFile("/dev/"+filepath.Base(filepath.Dir(name)), os.O_RDWR, 0)
			}
		}
	}
	return nil, errors.New("there is no line to the host")
}

// An agent serves the host.
type agent struct {
	in    *gob.Decoder
	out   *gob.Encoder
	noted map[uint64]*noted
	notes []wire.Noted
}

func serve() error {
	f, err := line()
	if err != nil {
		return err
	}
	a := &agent{in: gob.NewDecoder(f), out: gob.NewEncoder(f)}
	for {
		var r wire.Request
		if err := a.in.Decode(&r); err != nil {
			return err
		}
		var reply wire.Reply
		switch r.Kind {
		case wire.Put:
			reply.Failed = text(put(&r))
		case wire.Run:
			reply = a.run(&r)
		default:
			reply.Failed = "no program runs"
		}
		if err := a.out.Encode(&reply); err != nil {
			return err
		}
	}
}

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func put(r *wire.Request) error {
	if err := os.MkdirAll(filepath.Dir(r.Path), 0o777); err != nil {
		return err
	}
	os.Remove(r.Path) // a program that runs keeps its file
	return os.WriteFile(r.Path, r.Data, fs.FileMode(r.Mode))
}

// run runs a program to its end.
func (a *agent) run(r *wire.Request) (reply wire.Reply) {
	for _, dir := range append(r.Dirs, r.Dir) {
		if err := os.MkdirAll(dir, 0o777); err != nil {
			reply.Failed = text(err)
			return reply
		}
	}
	var err error
	cmd := exec.Command(r.Path, r.Args...)
	cmd.Dir, cmd.Env = r.Dir, r.Env
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	a.noted, a.notes = make(map[uint64]*noted), nil
	if r.Traced {
		err = tracer.Run(cmd, tracer.Handlers{
			Begin: func(p *tracer.Program) error {
				if err := seed(cmd, p); err != nil {
					return err
				}
				_, err := a.ask(p, nil)
				return err
			},
			Break: func(p *tracer.Program, t *tracer.Thread) (tracer.Signal, error) {
				if _, ok := a.noted[t.PC]; ok {
					return tracer.Signal{}, a.note(p, t)
				}
				return a.ask(p, t)
			},
		})
	} else if err = tracer.Start(cmd, func(p *tracer.Program) error { return seed(cmd, p) }); err == nil {
		err = cmd.Wait()
	}
	back := take(r.Back, &reply)
	reply.Ended, reply.Data, reply.Failed = true, out.Bytes(), text(cmp.Or(err, back))
	reply.Notes, a.notes = a.notes, nil
	return reply
}

// take moves the files of a folder and below it into a reply, but programs, which stay. What is written through a mapping has no
// new time, so that nobody knows which files are new.
func take(dir string, reply *wire.Reply) error {
	if dir == "" {
		return nil
	}
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		if info, err := d.Info(); err != nil || info.Mode()&0o100 != 0 {
			return err
		}
		data, err := os.ReadFile(name)
		reply.Files = append(reply.Files, wire.File{Path: name, Data: data})
		return errors.Join(err, os.Remove(name))
	})
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return err
}

// seed sets what the kernel has for a random number, from which package runtime makes all of its own.
func seed(cmd *exec.Cmd, p *tracer.Program) error {
	auxv, err := os.ReadFile(fmt.Sprintf("/proc/%d/auxv", cmd.Process.Pid))
	if err != nil {
		return err
	}
	const random = 25 // AT_RANDOM
	for ; len(auxv) >= 16; auxv = auxv[16:] {
		if binary.LittleEndian.Uint64(auxv) == random {
			return p.Write(binary.LittleEndian.Uint64(auxv[8:]), slices.Repeat([]byte{1}, 16))
		}
	}
	return errors.New("the program has no random number")
}

// ask tells the host that a thread has come to a breakpoint, or that the program begins. It does what the host asks for until
// the program is to go on.
func (a *agent) ask(p *tracer.Program, t *tracer.Thread) (none tracer.Signal, err error) {
	reply := wire.Reply{Thread: t}
	for {
		if err := a.out.Encode(&reply); err != nil {
			return none, err
		}
		var r wire.Request
		if err := a.in.Decode(&r); err != nil {
			return none, err
		}
		reply = wire.Reply{}
		var err error
		switch r.Kind {
		case wire.Go:
			if r.Failed != "" {
				err = errors.New(r.Failed)
			}
			return r.Signal, err
		case wire.Read:
			reply.Data = make([]byte, r.Size)
			err = p.Read(r.At, reply.Data)
		case wire.Write:
			err = p.Write(r.At, r.Data)
		case wire.Arm:
			err = p.Arm(r.List)
		case wire.Keep:
			p.Keep(r.At)
		case wire.Drop:
			p.Drop(r.At)
		case wire.Note:
			for k, pc := range r.List {
				p.Keep(pc)
				a.noted[pc] = &noted{left: r.Size, vectors: r.Sets[k]}
			}
			err = p.Arm(r.List)
		case wire.Vector:
			reply.Low, reply.High, err = p.Vector(&tracer.Thread{ID: r.Thread}, r.Number)
		default:
			err = fmt.Errorf("%d cannot be done while a program runs", r.Kind)
		}
		reply.Failed = text(err)
	}
}

// A noted breakpoint stops threads without the host.
type noted struct {
	left    int // how often
	vectors uint32
}

// note notes a thread that has come to a breakpoint.
func (a *agent) note(p *tracer.Program, t *tracer.Thread) (err error) {
	const goroutine, size = 28, 1 << 9
	n := wire.Noted{Thread: *t, Goroutine: make([]byte, size)}
	if t.General[goroutine] != 0 {
		err = p.Read(t.General[goroutine], n.Goroutine)
	}
	at := a.noted[t.PC]
	for k := range n.Vectors {
		if v := &n.Vectors[k]; at.vectors>>k&1 == 1 && err == nil {
			v[0], v[1], err = p.Vector(t, k)
		}
	}
	a.notes = append(a.notes, n)
	if at.left--; at.left <= 0 {
		p.Drop(t.PC)
	}
	return err
}
