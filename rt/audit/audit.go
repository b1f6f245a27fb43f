package audit

import (
	"unsafe"

	"github.com/goprofinstr/goprofinstr/rt/runfile"
	"github.com/goprofinstr/goprofinstr/rt/sys"
)

// Auditing: two or more versions of a function are run against each other in the program itself. This is section 2 of Lau,
// Arnold, Hind & Calder, "A loop correlation technique to improve performance auditing". Package rewrite makes of the function a
// dispatcher,
//
//	func Parse(s string) (n int, err error) {
//		if v := a.Settled(); v >= 0 { … }          // one version is called, and nothing is timed
//		var t audit.Timing; defer t.End()
//		switch t.Begin(&a) { case 0: t.Start(); n, err = parse0(s); case 1: t.Start(); n, err = parse1(s) }
//		t.Stop(); return
//	}
//
// A timing is from the call of a version to its return, callees included (section 3). It goes into the function's ring in the run
// file, the paper's circular buffer. Whoever watches the program empties the ring before it is full. Of a program that nobody
// watches the last timings stay. What they say is for package verdict, outside the program: here nothing is computed, locked or
// allocated. The watcher finds out which version is faster, or time is over. Then it writes into the run file which version to
// call from then on.
//
// Versions that panic or call runtime.Goexit have no timing and are counted. Those that have not returned when the program ends
// have begun and not ended. A call inside of another one of the same function, on the same goroutine, gets the version of the
// outer call and no timing. The outermost call then times one version and not a mixture. That takes a word in each goroutine,
// which is there with the hooks in package runtime. Without them inner calls are picked and timed as others.

// An Audit is an audited function in the process.
type Audit struct {
	record   *runfile.AuditRecord // nil before RegisterAudit, and if there is none
	versions U
	index    U // of the function among those audited in the process

	First U // of a timing point: the pass at which an activation calls Lap for the first time
}

// A Timing is one activation of an audited function.
type Timing struct {
	audit   *Audit
	version U
	start   U // ticks
	state   U
}

// States of a Timing.
const (
	timingRuns = iota
	timingStopped
	timingNested
)

// Limits of audits.
const (
	MostVersions = 15 // a goroutine notes its version in four bits
	MostAudits   = 64 // in a process
	// AuditSlots is how many timings a ring holds. At 50 ns each they last for the 3 ms that a watcher may need to look again.
	// What is overwritten before that is lost whichever version it is of.
	AuditSlots = 1 << 16
)

// auditRegion is where the ring begins in an audit record.
const auditRegion = runfile.Page

// audits is how many functions are audited.
var audits U

// RegisterAudit makes the record of an audited function. Names are those of the function and of its versions, each ended by
// a NUL. It returns 0, for use in a variable's initialiser.
//
//go:norace
func RegisterAudit(a *Audit, names string, versions U) U {
	if audits == MostAudits {
		return 0
	}
	if record := newAudit(names, versions); record != nil {
		record.Publish()
		a.versions, a.index, a.record = versions, audits, record
		audits++
	}
	return 0
}

// newAudit makes an audit record but for its magic. It may return nil.
//
//go:norace
func newAudit(names string, versions U) *runfile.AuditRecord {
	if versions > MostVersions {
		return nil
	}
	head, err := runfile.NewRecord(runfile.KindAudit, auditRegion+AuditSlots*8)
	if err != 0 {
		runfile.TellUnwritten(err)
	}
	if head == nil {
		return nil
	}
	record := (*runfile.AuditRecord)(unsafe.Pointer(head))
	record.Region, record.RegionSize = auditRegion, AuditSlots*8
	record.Versions = versions
	const size = unsafe.Sizeof(*record)
	names = names[:min(len(names), int(runfile.MinPage-size))]
	sys.PutText(unsafe.Add(unsafe.Pointer(record), size), names)
	record.NamesLen = U(len(names))
	record.Slots = AuditSlots
	calibrate(record)
	return record
}

// calibrate writes down the least time between two looks at the clock, MIN_TIMING of section 6.1, and what a tick is.
//
//go:norace
func calibrate(record *runfile.AuditRecord) {
	const enough = 20_000 // ns; then the rate of the ticks is known to a few per mille, if the program ends at once
	least := ^U(0)
	ticks0, nanos0 := ticks(), nanos()
	record.Ticks0, record.Nanos0 = ticks0, nanos0
	for nanos()-nanos0 < enough {
		for range 16 {
			t := ticks()
			least = min(least, ticks()-t)
		}
	}
	record.Least = least
	record.Ticks1, record.Nanos1 = ticks(), nanos()
}

// Settled returns the version that all calls get, or -1 as long as that is not known.
func (a *Audit) Settled() int {
	if a.record == nil {
		return 0
	}
	return int(sys.Load64(&a.record.Settled)) - 1
}

// Begin picks a version, at random.
//
//go:norace
func (t *Timing) Begin(a *Audit) U {
	t.audit = a
	word, shift := audited(a.index/16), a.index%16*4
	if v := *word >> shift & 15; v != 0 {
		t.state = timingNested
		sys.Add64(&a.record.Nested, 1)
		return v - 1
	}
	v := random() * a.versions >> 32 // of 32 random bits: the bias is 1e-9 at most
	*word |= (v + 1) << shift
	t.version = v
	sys.Add64(&a.record.Begun[v], 1)
	return v
}

// Start starts the clock. Each version has a call of its own, behind the jump to it. Which version comes is random, so the
// processor mispredicts most of these jumps, and that time is not the function's. Start is not inlined, for the clock to be read
// by the same instructions whichever version comes.
//
//go:noinline
//go:norace
func (t *Timing) Start() { t.start = ticks() }

// Stop stops the clock and records the timing.
//
//go:norace
func (t *Timing) Stop() {
	now := ticks()
	if t.state != timingRuns {
		return
	}
	t.state = timingStopped
	record := t.audit.record
	sys.Add64(&record.Returned[t.version], 1)
	if now < t.start {
		return // the counters of two processors do not agree
	}
	n := sys.FetchAdd64(&record.Taken, 1)
	sys.Store64((*U)(unsafe.Add(unsafe.Pointer(record), auditRegion+n%AuditSlots*8)), auditSlot(n, t.version, now-t.start))
	measureTicks(record, now)
}

// measureTicks notes once in a while what ticks and nanoseconds are now.
//
//go:norace
func measureTicks(record *runfile.AuditRecord, now U) {
	if next := sys.Load64(&record.NextPair); now > next && sys.CAS64(&record.NextPair, next, now+pairTicks) {
		record.Ticks1, record.Nanos1 = ticks(), nanos()
	}
}

// pairTicks is how often what a tick is is measured: every few milliseconds.
const pairTicks = 1 << 24

// auditSlot returns what the slot of timing n holds.
func auditSlot(n, version, ticks U) U {
	return (n/AuditSlots+1)<<56 | version<<52 | min(ticks, 1<<52-1)
}

// End is deferred.
//
//go:norace
func (t *Timing) End() {
	if t.state == timingNested || t.audit == nil {
		return
	}
	a := t.audit
	*audited(a.index / 16) &^= 15 << (a.index % 16 * 4)
	if t.state == timingRuns { // a panic, or Goexit
		sys.Add64(&a.record.Panicked[t.version], 1)
	}
}
