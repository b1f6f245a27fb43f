//go:build linux && (amd64 || arm64 || riscv64)

package pertest

import (
	"unsafe"

	"github.com/goprofinstr/goprofinstr/rt/runfile"
	"github.com/goprofinstr/goprofinstr/rt/sys"
)

// What each test has counted. Tests that run one after the other share the counters. Whenever another test begins, or one goes on
// after its subtest, the run file's test records get what has been added since. It counts as that of the test before. The
// counters themselves are never set back, so nothing is lost to goroutines that count meanwhile, and the sums are those of any
// other run.
//
// A look at all counters takes some ten microseconds for each ten thousand of them. It needs what they were the last time, in
// memory that is not in the file. After a crash, what is in no record is of the test that had begun last.

// tests is what is known of tests. Package testing calls switchTest for one at a time.
var tests struct {
	packages []*counted
	head     *runfile.TestRecord // chunk 0
	chunk    *runfile.TestRecord // that is being written
	chunks   U
	name     string // of the test that runs, in the stream
	length   U      // bytes of the stream that are whole
	end      U      // bytes of the stream
	failed   bool
}

// counted are the counters of a package as they were when the last test ended.
type counted struct {
	runfile.Package
	were   *U        // one for each counter
	hashes []*wereIn // the first chunk of each Hash; nil before something was counted in it
}

// wereIn is that for a chunk of a Hash.
type wereIn struct {
	were *U
	next *wereIn // of the next chunk
}

// enroll makes p's counters known.
//
//go:norace
func enroll(p runfile.Package) {
	c := &counted{Package: p, hashes: make([]*wereIn, p.NHashes)}
	if p.N > 0 {
		c.were = newWere(p.N)
	}
	tests.packages = append(tests.packages, c)
}

// newWere returns memory for so many counters, which are 0, or nil.
//
//go:norace
func newWere(n U) *U {
	p, err := sys.MmapPrivate(sys.RoundUp(n*8, runfile.Page))
	if err != 0 {
		failTests(err)
		return nil
	}
	return (*U)(p)
}

// failTests gives up after trouble.
//
//go:norace
func failTests(err sys.Errno) {
	if !tests.failed {
		tests.failed = true
		runfile.TellIncomplete("recording tests in", err.Text())
	}
}

// switchTest notes what was counted as that of the test that was running, and that a test of the given name runs from now on. It
// writes nothing if that is the same name: go test -fuzz tells it for each input, thousands of times a second.
//
//go:norace
func switchTest(name string) {
	t := &tests
	if !runfile.Recording() || t.failed || t.head != nil && name == t.name {
		return
	}
	if t.head != nil {
		for _, c := range t.packages {
			c.writeCounters()
			for i := range c.hashes {
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
	t.name, t.length = name, t.end
	sys.Store64(&t.head.Length, t.length)
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
	first, next := sys.Word(c.Counters, sys.Pad), U(0)
	for i := U(0); i < c.N; i++ {
		for i+alike <= c.N && *(*[alike]U)(unsafe.Pointer(sys.Word(first, i))) == *(*[alike]U)(unsafe.Pointer(sys.Word(c.were, i))) {
			i += alike
		}
		if i == c.N {
			break
		}
		n, was := *sys.Word(first, i), sys.Word(c.were, i)
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
	h := unsafe.Add(c.Hashes, i*runfile.HashSize)
	link, known, any := runfile.FirstChunk(h), &c.hashes[i], false
	for t := sys.LoadP(link); t != nil; t = sys.LoadP(link) {
		chunk := (*runfile.HashRecord)(t)
		entries := chunk.Entries
		if *known == nil {
			*known = &wereIn{were: newWere(entries)}
			if tests.failed {
				return
			}
		}
		for e := range entries {
			entry, was := chunk.Entry(e), sys.Word((*known).were, e)
			path, n := sys.Load64(&entry.Path), sys.Load64(&entry.Count)
			if n == *was || path == 0 { // it is 0 if the file system has taken the page back
				continue
			}
			if !any {
				putUvarint(U(uintptr(h)))
				any = true
			}
			putUvarint(path)
			putUvarint(n - *was)
			*was = n
		}
		link, known = chunk.NextChunk(), &(*known).next
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
const testBytes = testChunk - testHead

// testHead is what stands before the stream in a record.
const testHead = U(unsafe.Sizeof(runfile.TestRecord{}))

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
	*(*byte)(unsafe.Add(unsafe.Pointer(t.chunk), testHead+at)) = b
	t.end++
}

// newTestChunk makes another record for the stream.
//
//go:norace
func newTestChunk() bool {
	t := &tests
	head, err := runfile.NewRecord(runfile.KindTests, testChunk)
	if head == nil {
		failTests(err)
		return false
	}
	t.chunk = (*runfile.TestRecord)(unsafe.Pointer(head))
	if t.head == nil {
		t.head = t.chunk
	}
	t.chunk.Region, t.chunk.RegionSize = testHead, testBytes
	t.chunk.Chunk = t.chunks
	t.chunks++
	t.chunk.Publish()
	return true
}
