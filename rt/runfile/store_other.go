//go:build !(linux && (amd64 || arm64 || riscv64)) && !darwin && !(windows && !386)

package runfile

import (
	"runtime"
	"sync/atomic"
	"syscall"
	"unsafe"

	"github.com/goprofinstr/goprofinstr/rt/sys"
	"github.com/goprofinstr/goprofinstr/sampler/pcct"
)

// Here nothing is mapped: counters and records are in memory, and a hook of the
// runtime writes them when main returns or os.Exit is called. A panic, a signal
// or a deadlock loses the run. Tests run this on linux/386, and CI runs it in an
// emulator on loong64, ppc64le and s390x, which is big-endian.
//
// Package syscall and what it imports cannot be instrumented on these systems.

// Page is the unit of records.
const Page = MinPage

// A node is an element of a list that grows at its head, without a lock.
type node[T any] struct {
	value T
	next  *node[T]
}

func push[T any](list *atomic.Pointer[node[T]], v T) {
	n := &node[T]{value: v}
	for {
		n.next = list.Load()
		if list.CompareAndSwap(n.next, n) {
			return
		}
	}
}

// all returns the elements of a list, the oldest first.
func all[T any](list *atomic.Pointer[node[T]]) []T {
	var s []T
	for n := list.Load(); n != nil; n = n.next {
		s = append(s, n.value)
	}
	for i, j := 0, len(s)-1; i < j; i, j = i+1, j-1 {
		s[i], s[j] = s[j], s[i]
	}
	return s
}

var run struct {
	lost        U // first, for 64-bit atomics on 32-bit systems
	destination   // dir is empty when nothing is recorded
	time        U
	pkgs        atomic.Pointer[node[*Package]]
	// records holds every chunk from before it is part of a Hash: the pointers
	// in the chain are hidden from the garbage collector.
	records atomic.Pointer[node[[]U]]
	chunks  [pcct.MostChunks]uintptr // context records, by the number of the chunk; 0 if there is none. They are not in the heap
}

// start runs when this package is initialised.
func start(e environment) {
	run.destination, run.time = destinationOf(e.dir), sys.Clock()
	if run.dir == "" && e.dir != off {
		sys.Warn(unsetWarning)
	}
	run.dir = fromAnywhere(run.dir)
	keepLabels(e)
}

// fromAnywhere returns a directory by a name that is its name when the program has gone to another one, too: the file is written
// when it exits.
func fromAnywhere(dir string) string {
	if dir == "" || dir[0] == '/' || runtime.GOOS == "windows" {
		return dir
	}
	here, err := syscall.Getwd()
	if err != nil {
		return dir
	}
	return here + "/" + dir
}

// Register records a package; see the twin in store_mapped.go. The counters are read when the process ends.
func Register(p Package) {
	if Recording() {
		push(&run.pkgs, &p)
	}
}

// Registered and Enrolled are never called here. So abandoned activations are not counted, nor are tests told apart.
var (
	Registered func(hashes unsafe.Pointer, nh int)
	Enrolled   func(p Package)
)

// Recording tells whether there will be a run file.
//
//go:norace
func Recording() bool { return run.dir != "" }

// NewRecord makes a record of zeros but for its kind and size, which it returns without its magic. It is nil if nothing is
// recorded, or it were too large.
//
//go:norace
func NewRecord(kind, size U) (*Head, sys.Errno) {
	if !Recording() || size > MaxChunk {
		return nil, 0
	}
	words := make([]U, size/8)
	push(&run.records, words)
	record := headOf(words)
	record.Kind, record.Size = kind, size
	return record, 0
}

// NewChunk is NewRecord.
//
//go:norace
func NewChunk(kind, size U) *Head {
	record, _ := NewRecord(kind, size)
	return record
}

// KeepContexts has a context record written when the process ends.
func KeepContexts(chunk U, record *ContextRecord) {
	run.chunks[chunk] = uintptr(unsafe.Pointer(record))
}

// TellUnwritten has nothing to tell: NewRecord has no errors.
func TellUnwritten(sys.Errno) {}

// FreeChunk leaves an unused chunk to the list.
func FreeChunk(*Head) {}

//go:norace
func Lose() { sys.Add64(&run.lost, 1) }

// finish writes the run file: the exit hook. Other goroutines may be counting still.
//
//go:norace
func finish() {
	if !Recording() {
		return
	}
	pid := U(syscall.Getpid())
	data := encodeRun(pid, run.time, run.lost, all(&run.pkgs), append(all(&run.records), finishStream()...), contextRecords())
	if run.lost != 0 {
		complain(growing, tooManyPaths, incomplete)
	}
	if err := writeFile(runName(run.dir, pid, run.time), data); err != nil && !(err == syscall.ENOENT && !run.make) {
		complain("writing a run file in", err.Error(), notWritten)
	}
}

// contextRecords returns the context records.
//
//go:norace
func contextRecords() [][]U {
	var records [][]U
	for _, at := range run.chunks {
		if at != 0 {
			records = append(records, unsafe.Slice((*U)(sys.Pointer(at)), pcct.ChunkWords))
		}
	}
	return records
}

// writeFile writes a file, or none if it cannot be written whole.
func writeFile(name string, data []byte) error {
	const flags = syscall.O_RDWR | syscall.O_CREAT | syscall.O_EXCL | syscall.O_CLOEXEC
	fd, err := syscall.Open(name, flags, 0640)
	if err != nil && run.make {
		makeAll(run.dir)
		fd, err = syscall.Open(name, flags, 0640)
	}
	if err != nil {
		return err
	}
	for len(data) > 0 && (err == nil || err == syscall.EINTR) {
		var n int
		n, err = syscall.Write(fd, data[:min(len(data), 1<<30)])
		data = data[max(n, 0):]
	}
	if closed := syscall.Close(fd); err == nil {
		err = closed
	}
	if err != nil {
		syscall.Unlink(name)
	}
	return err
}

// complain is the one line that tells the user of trouble.
func complain(what, err, outcome string) {
	sys.Warn("goprofinstr: " + what + " " + run.dir + ": " + err + ": " + outcome + "\n")
}
