//go:build linux && (amd64 || arm64 || riscv64)

package rt

import "unsafe"

// What each test has counted. Tests that run one after the other share the counters; whenever another test begins, or one goes on after its
// subtest, what has been added since goes into the run file's test records as that of the test before. The counters themselves are
// never set back, so nothing is lost to goroutines that count meanwhile, and the sums are those of any other run.
//
// A look at all counters takes some ten microseconds for each ten thousand of them. It needs what they were the last time, in
// memory that is not in the file. After a crash, what is in no record is of the test that had begun last.

// enrolled, if set, is told of each package.
var enrolled func(p pkg)

// tests is what is known of tests. Package testing calls switchTest for one at a time.
var tests struct {
	packages []*counted
	head     *U // of chunk 0
	chunk    *U // that is being written
	chunks   U
	length   U // bytes of the stream that are whole
	end      U // bytes of the stream
	failed   bool
}

// counted are the counters of a package as they were when the last test ended.
type counted struct {
	pkg
	were   *U        // one for each counter
	tables []*wereIn // of each Hash; nil before something was counted in it
}

// wereIn is that for a table of a Hash.
type wereIn struct {
	were *U
	next *wereIn // of the next table
}

// enroll makes p's counters known.
//
//go:norace
func enroll(p pkg) {
	c := &counted{pkg: p, tables: make([]*wereIn, p.nh)}
	if p.n > 0 {
		c.were = newWere(p.n)
	}
	tests.packages = append(tests.packages, c)
}

// newWere returns memory for so many counters, which are 0, or nil.
//
//go:norace
func newWere(n U) *U {
	p, err := mmapPrivate(roundUp(n*8, page))
	if err != 0 {
		failTests(err)
		return nil
	}
	return (*U)(p)
}

// failTests gives up after trouble.
//
//go:norace
func failTests(err errno) {
	if !tests.failed {
		tests.failed = true
		tellIncomplete("recording tests in", err.text())
	}
}

// switchTest notes what was counted as that of the test that was running, and that a test of the given name runs from now on.
//
//go:norace
func switchTest(name string) {
	t := &tests
	if loadp(&run.head) == nil || t.failed {
		return
	}
	if t.head != nil {
		for _, c := range t.packages {
			c.writeCounters()
			for i := range c.tables {
				c.writeHash(U(i))
			}
		}
		putUvarint(0)
	}
	putUvarint(U(len(name)))
	for i := range len(name) {
		putByte(name[i])
	}
	if t.failed {
		return
	}
	t.length = t.end
	store64(Word(t.head, TstLength), t.length)
}

// alike is how many counters are compared at a time. A switch between tests then takes 3.2 instructions for each counter.
const alike = 64

// writeCounters writes what has been added to counters.
//
//go:norace
func (c *counted) writeCounters() {
	if c.were == nil {
		return
	}
	first, next := Word(c.counters, Pad), U(0)
	for i := U(0); i < c.n; i++ {
		for i+alike <= c.n && *(*[alike]U)(unsafe.Pointer(Word(first, i))) == *(*[alike]U)(unsafe.Pointer(Word(c.were, i))) {
			i += alike
		}
		if i == c.n {
			break
		}
		n, was := *Word(first, i), Word(c.were, i)
		if n == *was {
			continue
		}
		if next == 0 {
			putUvarint(U(uintptr(unsafe.Pointer(first))))
		}
		putUvarint(i + 1 - next)
		putUvarint(n - *was)
		next, *was = i+1, n
	}
	if next > 0 {
		putUvarint(0)
	}
}

// writeHash writes what has been added in a Hash.
//
//go:norace
func (c *counted) writeHash(i U) {
	h := (*Hash)(unsafe.Add(unsafe.Pointer(c.hashes), i*HashSize))
	link, known, any := &h.head, &c.tables[i], false
	for t := loadp(link); t != nil; t = loadp(link) {
		table := (*U)(t)
		entries := *Word(table, TabEntries)
		if *known == nil {
			*known = &wereIn{were: newWere(entries)}
			if tests.failed {
				return
			}
		}
		for e := range entries {
			n, was := load64(Word(table, TabWords+2*e+1)), Word((*known).were, e)
			if n == *was {
				continue
			}
			if !any {
				putUvarint(U(uintptr(unsafe.Pointer(h))))
				any = true
			}
			putUvarint(load64(Word(table, TabWords+2*e))) // not 0
			putUvarint(n - *was)
			*was = n
		}
		link, known = (*unsafe.Pointer)(unsafe.Pointer(Word(table, TabNext))), &(*known).next
	}
	if any {
		putUvarint(0)
	}
}

// putUvarint appends a number to the stream, seven bits to a byte, the low ones first.
//
//go:norace
func putUvarint(n U) {
	for ; n >= 0x80; n >>= 7 {
		putByte(byte(n) | 0x80)
	}
	putByte(byte(n))
}

// testBytes is how much of the stream a record has.
const testBytes = testChunk - TstWords*8

// testChunk is the size of a test record: a page of the largest kind.
const testChunk = 1 << 16

// putByte appends a byte to the stream.
//
//go:norace
func putByte(b byte) {
	t := &tests
	if t.failed {
		return
	}
	at := t.end % testBytes
	if at == 0 && !newTestChunk() {
		return
	}
	*(*byte)(unsafe.Add(unsafe.Pointer(Word(t.chunk, TstWords)), at)) = b
	t.end++
}

// newTestChunk makes another record for the stream.
//
//go:norace
func newTestChunk() bool {
	t := &tests
	off, err := reserve(testChunk)
	if err != 0 {
		failTests(err)
		return false
	}
	p, err := mmap(0, testChunk, run.fd, off)
	if err != 0 {
		failTests(err)
		return false
	}
	t.chunk = (*U)(p)
	if t.head == nil {
		t.head = t.chunk
	}
	*Word(t.chunk, RecKind), *Word(t.chunk, RecSize) = KindTests, testChunk
	*Word(t.chunk, RecRegion), *Word(t.chunk, RecRegionSize) = TstWords*8, testBytes
	*Word(t.chunk, TstChunk) = t.chunks
	t.chunks++
	store64(Word(t.chunk, RecMagic), RecordMagic)
	return true
}
