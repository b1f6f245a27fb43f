package profiledir

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/rogpeppe/go-internal/lockedfile"
)

// lockFile is there while a wrap writes to the directory. The operating system drops the lock of a process that is
// killed: then the file stays, and means nothing.
const lockFile = "goprofinstr.lock"

// How long a lock may be held before the user is told that somebody has it. If no process that runs has signed the file, it
// may be that nobody has it: to make and lock a file takes longer than patience on a busy machine.
const (
	patience     = 100 * time.Millisecond
	longPatience = 2 * time.Second
)

// A Holder is a process that has locked a directory.
type Holder struct {
	Pid     int    // 0 if it is not known
	Command string // command line

	// Start is when the process was started, as the system counts time, or "-". Another container may have a process
	// of the same number.
	Start string
}

func (h Holder) String() string {
	if h.Pid == 0 {
		return "another goprofinstr"
	}
	return fmt.Sprintf("pid %d (%s)", h.Pid, h.Command)
}

// Lock waits until no other process has the directory, which it makes if need be, and keeps others out until
// Unlock. If it has to wait, it calls busy, and gives up with the error of that. On file systems without locks it
// keeps nobody out.
func (d *Dir) Lock(busy func(Holder) error) error {
	unsigned, err := d.Hold(busy)
	if unsigned != nil {
		d.Unlock()
	}
	return cmp.Or(err, unsigned)
}

// Hold is Lock for a process that needs no room in the directory. It has the lock also where it could not write down who it is,
// as on a full disk: unsigned says why.
func (d *Dir) Hold(busy func(Holder) error) (unsigned, err error) {
	name := filepath.Join(d.Path, lockFile)
	for {
		if err := d.make(); err != nil {
			return nil, err
		}
		f, err := waitFor(name, busy)
		switch {
		case NoLocks(err):
			return nil, nil
		case errors.Is(err, os.ErrNotExist): // the directory went with the lock of a wrap that left nothing
			continue
		case err != nil:
			return nil, err
		}
		if isAt(f, name) {
			d.lock = f
			return sign(f), nil
		}
		f.Close() // its holder removed it while we waited
	}
}

// NoLocks reports whether a file could not be locked since its file system has no locks.
func NoLocks(err error) bool {
	return errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.ENOLCK) // as NFS has it without a daemon for locks
}

// make makes the directory.
func (d *Dir) make() error {
	if _, err := os.Stat(d.Path); errors.Is(err, os.ErrNotExist) {
		d.made = true
	}
	return os.MkdirAll(d.Path, 0o777)
}

// waitFor locks a file. The library can only wait, so it does that in the background.
func waitFor(name string, busy func(Holder) error) (*lockedfile.File, error) {
	var f *lockedfile.File
	var err error
	locked := make(chan bool)
	go func() {
		if f, err = lockedfile.Edit(name); err != nil {
			err = fmt.Errorf("the directory cannot be locked: %w", err)
		}
		close(locked)
	}()
	select {
	case <-locked:
		return f, err
	case <-time.After(patience):
	}
	holder := readHolder(name)
	if !holder.runs() {
		select {
		case <-locked:
			return f, err
		case <-time.After(longPatience):
		}
		holder = readHolder(name)
	}
	if err := busy(holder); err != nil {
		go func() { // nobody wants the lock any more
			if <-locked; f != nil {
				f.Close()
			}
		}()
		return nil, err
	}
	<-locked
	return f, err
}

// isAt reports whether f is the file of that name still.
func isAt(f *lockedfile.File, name string) bool {
	own, err := f.Stat()
	if err != nil {
		return false
	}
	now, err := os.Stat(name)
	return err == nil && os.SameFile(own, now)
}

// sign writes down who has a lock.
func sign(f *lockedfile.File) error {
	if err := f.Truncate(0); err != nil {
		return err
	}
	_, start := parentOf(os.Getpid())
	_, err := fmt.Fprintf(f, "%d %s %s\n", os.Getpid(), start, strings.Join(os.Args, " "))
	return err
}

// runs reports whether the process is seen to run. One in another container is not.
func (h Holder) runs() bool {
	if h.Pid == 0 {
		return false
	}
	_, start := parentOf(h.Pid)
	return start == h.Start
}

// RunsThis reports whether the process is one of those above this one.
func (h Holder) RunsThis() bool {
	for pid := os.Getppid(); pid > 0; {
		parent, start := parentOf(pid)
		if pid == h.Pid && start == h.Start {
			return true
		}
		pid = parent
	}
	return false
}

// parentOf returns the parent of a process, or 0, and the Start of the process.
func parentOf(pid int) (parent int, start string) {
	var text string
	start = "-"
	if stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid)); err == nil {
		// PID (NAME) STATE PPID …, where NAME may have anything in it, and the start is the 22nd.
		if fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:])); len(fields) > 19 {
			text, start = fields[1], fields[19]
		}
	} else if out, err := exec.Command("ps", "-o", "ppid=", "-p", strconv.Itoa(pid)).Output(); err == nil {
		text = strings.TrimSpace(string(out))
	}
	parent, _ = strconv.Atoi(text)
	return parent, start
}

// readHolder reads who has a lock. Where locked files cannot be read, and in the moment before the holder has
// signed, that is not known.
func readHolder(name string) Holder {
	f, err := os.Open(name)
	if err != nil {
		return Holder{}
	}
	defer f.Close()
	data, _ := io.ReadAll(io.LimitReader(f, 4096))
	line, _, _ := strings.Cut(string(data), "\n")
	pid, rest, _ := strings.Cut(line, " ")
	start, command, _ := strings.Cut(rest, " ")
	n, err := strconv.Atoi(pid)
	if err != nil {
		return Holder{}
	}
	return Holder{Pid: n, Start: start, Command: strings.ToValidUTF8(command, "?")}
}

// Unlock lets others have the directory. If Lock has made it and nothing is in it, it goes.
func (d *Dir) Unlock() {
	if d.lock == nil {
		return
	}
	name := d.lock.Name()
	err := os.Remove(name)
	d.lock.Close()
	if err != nil && runtime.GOOS == "windows" { // where open files cannot be removed, whoever may have them
		os.Remove(name)
	}
	d.lock = nil
	if d.made {
		os.Remove(d.Path) // fails if it is not empty
	}
}
