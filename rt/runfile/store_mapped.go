//go:build (linux && (amd64 || arm64 || riscv64)) || darwin || (windows && !386)

package runfile

import (
	"unsafe"

	"github.com/goprofinstr/goprofinstr/rt/sys"
)

// Here the run file is mapped. Records, such as those of hash tables, are in it
// while they count. How the counter arrays get there is said in array_over.go, and
// for Windows in array_copied.go. Counts do not survive a crash of the system.
//
// The systems listed above are little-endian, as the file is.

// Page is the unit of mappings and records: at least the system's page size.
const Page = sys.Page

// run is this process's run file.
var run struct {
	dir, name string         // name ends with a NUL
	header    unsafe.Pointer // *Header, in the mapped header page; nil when nothing is recorded
	fd        uintptr
	id        sys.FileID
	end       U // where the next record goes
	full      U // 1 when a chunk could not be made: it is not tried again
	told      U // 1 when the user was told of trouble, which happens once
	rooted    bool
}

// start creates the run file. It runs when this package is initialised, which is before any instrumented package is.
//
//go:norace
func start(e environment) {
	p := destinationOf(e.dir)
	if p.dir == "" {
		if e.dir != off && !sys.ChildOfItself() {
			sys.Warn(unsetWarning)
		}
		return
	}
	run.dir = p.dir
	pid, now := sys.Getpid(), sys.Clock()
	now, err := createRun(p, pid, now)
	if err == sys.NoEntry && !p.make {
		return
	}
	if err != 0 {
		complain("creating a run file in", err.Text(), notWritten)
		return
	}
	if what, err := writeHeader(e, pid, now); err != 0 {
		sys.Unlink(run.name)
		sys.CloseFile(run.fd)
		complain(what, err.Text(), notWritten)
		return
	}
	keepLabels(e)
	startCopying()
	AtExit(noteExit)
	if linkedIdentity != "" {
		AtSuccess(keepLog)
	}
}

// noteExit writes down that the process leaves, and where.
//
//go:norace
func noteExit() {
	if run.header == nil {
		return
	}
	exit := U(ExitOther)
	if inMain() {
		exit = ExitMain
	}
	*(*U)(unsafe.Add(run.header, ExitAt(Page))) = exit
}

// createRun creates and opens the run file and returns the time in its name.
//
//go:norace
func createRun(p destination, pid, now U) (U, sys.Errno) {
	var err sys.Errno
	for range 8 { // EEXIST: containers with equal pids that share the directory and a clock
		run.name = runName(p.dir, pid, now) + "\x00"
		run.fd, err = sys.OpenNew(run.name)
		if err == sys.NoEntry && p.make {
			makeAll(p.dir)
			run.fd, err = sys.OpenNew(run.name)
		}
		if err != sys.Exists {
			break
		}
		now++
	}
	if err == 0 {
		run.fd = sys.MoveUp(run.fd)
		sys.Lock(run.fd)
	}
	return now, err
}

// writeHeader makes the run file's header page.
//
//go:norace
func writeHeader(e environment, pid, now U) (what string, err sys.Errno) {
	if run.id, err = sys.Identify(run.fd); err != 0 {
		return "creating a run file in", err
	}
	off, err := reserve(Page)
	if err != 0 {
		return "reserving space in", err
	}
	page, err := mapPart(Page, off)
	if err != 0 {
		return "mapping a run file in", err
	}
	var args []byte
	if e.withArgs() {
		args = sys.CommandLine(int(IdentityAt(Page) - HeaderSize))
	}
	header := (*Header)(page)
	*header = newHeader(Page, pid, now, U(len(args)))
	copy(unsafe.Slice((*byte)(unsafe.Add(page, HeaderSize)), len(args)), args)
	*(*U)(unsafe.Add(page, IdentityAt(Page))) = identity()
	header.Publish()
	run.header = page
	return "", 0
}

// Register records a package and moves its counters into the run file, with what they have counted by then.
//
//go:norace
func Register(p Package) {
	if sys.LoadP(&run.header) == nil {
		counters := p.counters()
		reserveInShards(counters.lo, counters.lo+counters.size)
		return
	}
	if Registered != nil {
		Registered(p.Hashes, p.NHashes)
	}
	if Enrolled != nil {
		Enrolled(p)
	}
	if what, err := p.record(); err != 0 {
		// Better no profile than one in which some packages seem never to
		// have run.
		abandonRun(what, err)
		counters := p.counters()
		reserveInShards(counters.lo, counters.lo+counters.size)
	}
}

// Registered, if set, is told of each package's hash tables.
var Registered func(hashes unsafe.Pointer, nh int)

// Enrolled, if set, is told of each package.
var Enrolled func(p Package)

// ShardsReserve, if set, reserves the space for counters that have not counted yet, from lo to hi, in all shards.
var ShardsReserve func(lo, hi U)

//go:norace
func reserveInShards(lo, hi U) {
	if ShardsReserve != nil {
		ShardsReserve(lo, hi)
	}
}

// abandonRun ends recording, and tells the user. Threads go on counting: in what is mapped already, which is freed with the
// process, and otherwise in memory that is in no file.
//
//go:norace
func abandonRun(what string, err sys.Errno) {
	if sys.CAS64(&run.told, 0, 1) {
		(*Header)(run.header).Magic = 0 // Windows removes no file that is mapped, and nobody reads one without
		sys.Unlink(run.name)
		complain(what, err.Text(), notWritten)
	} // else the file stays, with its executions lost, as the user was told
	run.header = nil
}

// An array is a part of the program's data that is kept in the run file.
type array struct {
	lo    U // address
	size  U // what it takes of the file, bytes
	used  U // of that, what is in the program's data
	first U // where in it the words are that count
}

// counters returns p's counters, without their padding.
//
//go:norace
func (p *Package) counters() array {
	if p.N == 0 {
		return array{}
	}
	return arrayOf(U(uintptr(unsafe.Pointer(p.Counters)))+sys.Pad*8, p.N*8)
}

// record writes p's record and has its counter array in the file from then on.
//
//go:norace
func (p *Package) record() (what string, err sys.Errno) {
	counters := p.counters()
	run.rooted = p.rootOnce(run.rooted)
	record := p.newRecord(Page, counters.size, counters.first)
	off, err := reserve(record.Size)
	if err != 0 {
		return "reserving space in", err
	}
	region := off + record.Region
	text := off + packageHead
	if err = sys.PwriteString(run.fd, p.Path, text); err == 0 {
		err = sys.PwriteString(run.fd, p.Table, text+U(len(p.Path)))
	}
	if n := U(len(p.Root)); err == 0 && n > 0 {
		if err = sys.PwriteString(run.fd, p.Root, text+U(len(p.Path)+len(p.Table))); err == 0 {
			err = sys.Pwrite(run.fd, unsafe.Pointer(&n), 8, region-16)
		}
	}
	if err == 0 {
		err = sys.Pwrite(run.fd, unsafe.Pointer(&counters.lo), 8, region-8)
	}
	if err != 0 {
		return "writing a run file in", err
	}
	if counters.size > 0 {
		reserveInShards(counters.lo, counters.lo+counters.size)
		if what, err = counters.moveTo(region); err != 0 {
			return what, err
		}
	}
	if err = writeHead(unsafe.Pointer(&record), packageHead, off); err != 0 {
		return "writing a run file in", err
	}
	return "", 0
}

// HoldCounts, if set, calls a function. Meanwhile no thread adds to counters for another one, by what it decodes. So a count is
// either in what is written to the file, or comes when the file is in the counters' place.
var HoldCounts func(f func())

// moving is the move that HoldCounts is called for. Packages register themselves one after the other.
var moving struct {
	counters array
	region   U
	what     string
	err      sys.Errno
}

// moveTo has the array be the part of the run file that begins at an offset, with what it has counted by then.
//
//go:norace
func (a array) moveTo(region U) (what string, err sys.Errno) {
	m := &moving
	m.counters, m.region = a, region
	if HoldCounts != nil {
		HoldCounts(move)
	} else {
		move()
	}
	return m.what, m.err
}

// move writes the array that is to be moved to the file, and maps the file in its place.
//
//go:norace
func move() {
	m := &moving
	m.what, m.err = "", 0
	if m.err = m.counters.writeTo(m.region); m.err != 0 {
		m.what = "writing a run file in"
	} else if m.err = m.counters.keepAt(m.region); m.err != 0 {
		m.what = "mapping a run file in"
	}
}

// writeTo writes what has been counted so far to the file, where there are zeros. That is little: a program has just begun.
//
//go:norace
func (a *array) writeTo(region U) sys.Errno {
	const part = 4096
	for at := U(0); at < a.used; at += part {
		p, n := sys.Pointer(uintptr(a.lo+at)), min(part, a.used-at)
		if isZero(p, n) {
			continue
		}
		if err := sys.Pwrite(run.fd, p, n, region+at); err != 0 {
			return err
		}
	}
	return 0
}

// isZero reports whether n bytes are zeros: whole words.
//
//go:norace
func isZero(p unsafe.Pointer, n U) bool {
	for _, word := range unsafe.Slice((*U)(p), int(n/8)) {
		if word != 0 {
			return false
		}
	}
	return true
}

// writeHead writes what stands at the beginning of a record, n bytes, where all the rest is there. The magic comes last. The
// kernel copies front to back, and who reads the file meanwhile may see a part of what one system call writes.
//
//go:norace
func writeHead(record unsafe.Pointer, n, off U) sys.Errno {
	const magic = U(unsafe.Sizeof(Head{}.Magic))
	if err := sys.Pwrite(run.fd, unsafe.Add(record, magic), n-magic, off+magic); err != 0 {
		return err
	}
	return sys.Pwrite(run.fd, record, magic, off)
}

// Recording tells whether there is a run file.
//
//go:norace
func Recording() bool { return sys.LoadP(&run.header) != nil }

// NewRecord makes a record of zeros but for its kind and size, which it returns without its magic. It is nil if nothing is
// recorded, or there is an error.
//
//go:norace
func NewRecord(kind, size U) (record *Head, err sys.Errno) {
	if !Recording() {
		return nil, 0
	}
	off, err := reserve(size)
	if err != 0 {
		return nil, err
	}
	return mapRecord(kind, size, off)
}

// NewSparse is NewRecord for one of which only the first and the last page have room reserved. It also returns where in the
// file the record is.
//
//go:norace
func NewSparse(kind, size U) (record *Head, off U, err sys.Errno) {
	if off, err = reserveEnds(size); err != 0 {
		return nil, 0, err
	}
	record, err = mapRecord(kind, size, off)
	return record, off, err
}

//go:norace
func mapRecord(kind, size, off U) (record *Head, err sys.Errno) {
	p, err := mapPart(size, off)
	if err != 0 {
		return nil, err
	}
	record = (*Head)(p)
	record.Kind, record.Size = kind, size
	return record, 0
}

// NewChunk is NewRecord for a part of what grows while the program runs. It tells the user of trouble, once, and does not
// try again.
//
//go:norace
func NewChunk(kind, size U) *Head {
	if !Recording() || sys.Load64(&run.full) != 0 {
		return nil
	}
	if size > MaxChunk {
		TellIncomplete(growing, tooManyPaths)
		return nil
	}
	head, err := NewRecord(kind, size)
	if err != 0 {
		sys.Store64(&run.full, 1)
		TellIncomplete(growing, err.Text())
	}
	return head
}

// TellIncomplete tells the user, the first time, that executions are being lost.
//
//go:norace
func TellIncomplete(what, err string) {
	if sys.CAS64(&run.told, 0, 1) {
		complain(what, err, incomplete)
	}
}

// FreeChunk takes back a chunk that nothing refers to. In the file a hole is
// left: many threads can grow a Hash at the same moment.
//
//go:norace
func FreeChunk(head *Head) { discard(unsafe.Pointer(head), head.Size) }

// Lose notes an execution that could not be counted.
//
//go:norace
func Lose() {
	if header := (*Header)(sys.LoadP(&run.header)); header != nil {
		sys.Add64(&header.Lost, 1)
	}
}

// reserve appends size bytes of zeros to the run file and returns where. The
// disk blocks are allocated now: the first touch of a sparse mapping on a full
// disk would kill the user's process with SIGBUS.
//
//go:norace
func reserve(size U) (off U, err sys.Errno) {
	off, err = appendHole(size)
	if err == 0 {
		err = Allocate(off, size)
	}
	return off, err
}

// reserveEnds is reserve for the first and the last page only.
//
//go:norace
func reserveEnds(size U) (off U, err sys.Errno) {
	off, err = appendHole(size)
	if err == 0 {
		err = Allocate(off, Page)
	}
	if err == 0 {
		err = Allocate(off+size-Page, Page)
	}
	return off, err
}

// appendHole returns where the run file has size bytes that nothing else uses.
//
//go:norace
func appendHole(size U) (off U, err sys.Errno) {
	// The user's program may have closed our descriptor (daemons close all of
	// them) and have it open again on a file of its own.
	if id, err := sys.Identify(run.fd); err != 0 || id != run.id {
		return 0, sys.BadFile
	}
	return sys.FetchAdd64(&run.end, size), 0
}

// Allocate allocates disk blocks of zeros.
//
//go:norace
func Allocate(off, size U) sys.Errno {
	err := sys.Fallocate(run.fd, off, size)
	if err == sys.NotSupported || err == sys.NoSystemCall { // ramfs, older NFS, gVisor
		err = sys.PwriteZeros(run.fd, off, size)
	}
	return err
}

// TellUnwritten tells the user that what was to be recorded is not.
//
//go:norace
func TellUnwritten(err sys.Errno) { complain("writing a run file in", err.Text(), notWritten) }

// complain is the one line that tells the user of trouble.
//
//go:norace
func complain(what, err, outcome string) {
	sys.Warn("goprofinstr: ", what, " ", run.dir, ": ", err, ": ", outcome, "\n")
}
