//go:build linux && (amd64 || arm64 || riscv64)

package rt

import (
	"unsafe"

	"github.com/goprofinstr/goprofinstr/sampler/pcct"
)

// Here the counters are in the run file while they count: Register maps the
// pages of the file over the pages of the counter array, so that an increment
// of the array is an increment of the file. Whatever ends the process (return
// from main, os.Exit, a panic, a deadlock, SIGKILL), the counts are there, with
// no exit hook, goroutine or signal. They do not survive a crash of the system.
//
// The systems listed above are little-endian, as the file is.

// page is the unit of mappings and records: at least the system's page size.
const page = Pad * 8

const firstTable = page

// run is this process's run file.
var run struct {
	dir, name string         // name ends with a NUL
	head      unsafe.Pointer // the mapped header page; nil when nothing is recorded
	fd        uintptr
	id        fileID
	end       U // where the next record goes
	full      U // 1 when a table could not be made: it is not tried again
	told      U // 1 when the user was told of trouble, which happens once
}

// start creates the run file, given the value of the variable. It runs when this package is initialised, which
// is before any instrumented package is.
//
//go:norace
func start(value string) {
	p := destinationOf(value)
	if p.dir == "" {
		if value != off && !childOfItself() {
			warn(unsetWarning)
		}
		return
	}
	run.dir = p.dir
	pid, now := getpid(), clock()
	now, err := createRun(p, pid, now)
	if err == enoent && !p.make {
		return
	}
	if err != 0 {
		complain("creating a run file in", err.text(), notWritten)
		return
	}
	if what, err := writeHead(pid, now); err != 0 {
		unlink(run.name)
		closeFile(run.fd)
		complain(what, err.text(), notWritten)
		return
	}
	atExit(noteExit)
}

// noteExit writes down that the process leaves, and where.
//
//go:norace
func noteExit() {
	if run.head == nil {
		return
	}
	exit := U(ExitOther)
	if inMain() {
		exit = ExitMain
	}
	*Word((*U)(run.head), page/8-1) = exit
}

// createRun creates and opens the run file and returns the time in its name.
//
//go:norace
func createRun(p destination, pid, now U) (U, errno) {
	var err errno
	for range 8 { // EEXIST: containers with equal pids that share the directory and a clock
		run.name = runName(p.dir, pid, now) + "\x00"
		run.fd, err = openNew(run.name)
		if err == enoent && p.make {
			makeAll(p.dir)
			run.fd, err = openNew(run.name)
		}
		if err != eexist {
			break
		}
		now++
	}
	if err == 0 {
		run.fd = moveUp(run.fd)
	}
	return now, err
}

// writeHead makes the run file's header page.
//
//go:norace
func writeHead(pid, now U) (what string, err errno) {
	if run.id, err = identify(run.fd); err != 0 {
		return "creating a run file in", err
	}
	off, err := reserve(page)
	if err != 0 {
		return "reserving space in", err
	}
	head, err := mmap(0, page, run.fd, off)
	if err != 0 {
		return "mapping a run file in", err
	}
	args := readFile("/proc/self/cmdline\x00", page-HeadWords*8-8)
	words := headWords(page, pid, now, U(len(args)))
	copy(unsafe.Slice((*U)(head), HeadWords)[HeadVersion:], words[HeadVersion:])
	copy(unsafe.Slice((*byte)(unsafe.Add(head, HeadWords*8)), len(args)), args)
	store64((*U)(head), RunMagic)
	run.head = head
	return "", 0
}

// Register records a package and moves its counters into the run file, with
// what they have counted by then. Path is the package's import path, table its
// encoded path table; counters is the first element of the padded array (nil if
// there is none) and n the number of counters without padding; hashes is the
// first of nh hash tables. It returns 0, for use in a variable's initialiser:
//
//	var _ = rt.Register("example.com/p", "…", &C[0], 12, &H[0], 2)
//
// An Inc by another goroutine during Register may be lost, so the call should
// be the package's first initialiser.
//
//go:norace
func Register(path, table string, counters *U, n U, hashes *Hash, nh int) U {
	p := pkg{path, table, counters, n, hashes, nh}
	if loadp(&run.head) == nil {
		reserveInBlocks(p.pages())
		return 0
	}
	if registered != nil {
		registered(hashes, nh)
	}
	if enrolled != nil {
		enrolled(p)
	}
	if what, err := p.record(); err != 0 {
		// Better no profile than one in which some packages seem never to
		// have run.
		abandonRun(what, err)
		reserveInBlocks(p.pages())
	}
	return 0
}

// abandonRun ends recording, and tells the user. Threads go on counting: in what is mapped already, which is freed with the process, and otherwise
// in memory that is in no file.
//
//go:norace
func abandonRun(what string, err errno) {
	if cas64(&run.told, 0, 1) {
		unlink(run.name)
		complain(what, err.text(), notWritten)
	} // else the file stays, with its executions lost, as the user was told
	run.head = nil
}

// pages returns where the whole pages within p's counter array begin and end; 0 and 0 if it has none.
//
//go:norace
func (p *pkg) pages() (lo, hi U) {
	if p.n == 0 {
		return 0, 0
	}
	base := U(uintptr(unsafe.Pointer(p.counters)))
	return roundUp(base, page), (base + (Pad+p.n+Pad)*8) &^ (page - 1)
}

// record writes p's record and maps the whole pages within its counter array.
//
//go:norace
func (p *pkg) record() (what string, err errno) {
	lo, hi := p.pages()
	first := U(0)
	if lo < hi {
		first = U(uintptr(unsafe.Pointer(p.counters))) + Pad*8 - lo
	}
	words := p.words(page, hi-lo, first)
	off, err := reserve(words[RecSize])
	if err != 0 {
		return "reserving space in", err
	}
	region := off + words[RecRegion]
	text := off + PkgWords*8
	if err = pwriteString(run.fd, p.path, text); err == 0 {
		err = pwriteString(run.fd, p.table, text+U(len(p.path)))
	}
	if err == 0 {
		err = pwrite(run.fd, unsafe.Pointer(&lo), 8, region-8)
	}
	if err != 0 {
		return "writing a run file in", err
	}
	if lo < hi {
		reserveInBlocks(lo, hi)
		array := unsafe.Add(unsafe.Pointer(p.counters), lo-U(uintptr(unsafe.Pointer(p.counters))))
		if err = pwrite(run.fd, array, hi-lo, region); err != 0 {
			return "writing a run file in", err
		}
		if _, err = mmap(uintptr(array), hi-lo, run.fd, region); err != 0 {
			return "mapping a run file in", err
		}
	}
	// The magic goes with the rest of the header: these few bytes of one page
	// are copied by one system call.
	if err = pwrite(run.fd, unsafe.Pointer(&words), PkgWords*8, off); err != 0 {
		return "writing a run file in", err
	}
	return "", 0
}

// newSampling returns a new sampling record, without its magic, or nil.
//
//go:norace
func newSampling() *U {
	if loadp(&run.head) == nil {
		return nil
	}
	off, err := reserve(page)
	if err == 0 {
		var p unsafe.Pointer
		if p, err = mmap(0, page, run.fd, off); err == 0 {
			record := (*U)(p)
			*Word(record, RecKind), *Word(record, RecSize) = KindSampling, page
			return record
		}
	}
	complain("writing a run file in", err.text(), notWritten)
	return nil
}

// newSites returns a new site record for n sites, without its magic, or nil.
//
//go:norace
func newSites(n U) *U {
	size := roundUp((SitWords+n*SiteWords)*8, page)
	if loadp(&run.head) == nil {
		return nil
	}
	off, err := reserve(size)
	if err != 0 {
		return nil
	}
	p, err := mmap(0, size, run.fd, off)
	if err != 0 {
		return nil
	}
	record := (*U)(p)
	*Word(record, RecKind), *Word(record, RecSize) = KindSites, size
	*Word(record, RecRegion), *Word(record, RecRegionSize), *Word(record, SitNumber) = SitWords*8, n*SiteWords*8, n
	return record
}

// newContexts maps a new context record and returns its address, or 0. It has all but the number of its chunk.
//
//go:norace
func newContexts(chunk U) uintptr {
	if loadp(&run.head) == nil {
		return 0
	}
	const size = pcct.ChunkWords * 8
	off, err := reserve(size)
	if err != 0 {
		return 0
	}
	p, err := mmap(0, size, run.fd, off)
	if err != 0 {
		return 0
	}
	record := (*U)(p)
	*Word(record, RecKind), *Word(record, RecSize), *Word(record, RecRegionSize), *Word(record, CtxChunk) = KindContexts, size, size, chunk
	store64(Word(record, RecMagic), RecordMagic)
	return uintptr(p)
}

// newTable maps a new zeroed region of the run file, or returns nil.
//
//go:norace
func newTable(size U) unsafe.Pointer {
	if loadp(&run.head) == nil || load64(&run.full) != 0 {
		return nil
	}
	if size > maxTable {
		tellIncomplete(growingTable, tooManyPaths)
		return nil
	}
	off, err := reserve(size)
	if err == 0 {
		var t unsafe.Pointer
		if t, err = mmap(0, size, run.fd, off); err == 0 {
			return t
		}
	}
	store64(&run.full, 1)
	tellIncomplete(growingTable, err.text())
	return nil
}

// tellIncomplete tells the user, the first time, that executions are being lost.
//
//go:norace
func tellIncomplete(what, err string) {
	if cas64(&run.told, 0, 1) {
		complain(what, err, incomplete)
	}
}

// freeTable takes back a table that nothing refers to. In the file a hole is
// left: many threads can grow a Hash at the same moment.
//
//go:norace
func freeTable(t unsafe.Pointer, size U) { discard(t, size) }

// lose notes an execution that could not be counted.
//
//go:norace
func lose() {
	if head := loadp(&run.head); head != nil {
		add64(Word((*U)(head), HeadLost), 1)
	}
}

// reserve appends size bytes of zeros to the run file and returns where. The
// disk blocks are allocated now: the first touch of a sparse mapping on a full
// disk would kill the user's process with SIGBUS.
//
//go:norace
func reserve(size U) (off U, err errno) {
	off, err = appendHole(size)
	if err == 0 {
		err = allocate(off, size)
	}
	return off, err
}

// reserveEnds is reserve for the first and the last page only.
//
//go:norace
func reserveEnds(size U) (off U, err errno) {
	off, err = appendHole(size)
	if err == 0 {
		err = allocate(off, page)
	}
	if err == 0 {
		err = allocate(off+size-page, page)
	}
	return off, err
}

// appendHole returns where the run file has size bytes that nothing else uses.
//
//go:norace
func appendHole(size U) (off U, err errno) {
	// The user's program may have closed our descriptor (daemons close all of
	// them) and have it open again on a file of its own.
	if id, err := identify(run.fd); err != 0 || id != run.id {
		return 0, ebadf
	}
	return fetchAdd64(&run.end, size), 0
}

// allocate allocates disk blocks of zeros.
//
//go:norace
func allocate(off, size U) errno {
	err := fallocate(run.fd, off, size)
	if err == eopnotsupp || err == enosys { // ramfs, older NFS, gVisor
		err = pwriteZeros(run.fd, off, size)
	}
	return err
}

// complain is the one line that tells the user of trouble.
//
//go:norace
func complain(what, err, outcome string) {
	warn("goprofinstr: ", what, " ", run.dir, ": ", err, ": ", outcome, "\n")
}
