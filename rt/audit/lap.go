package audit

import (
	"unsafe"

	"github.com/goprofinstr/goprofinstr/rt/sys"
)

// Loop timing points of audited functions (AUDIT, section 5). Each version of a function that loops long and is called
// rarely has, at the same place in the same loop,
//
//	if l.Left--; l.Left == 0 { audit.Lap(&a, 2, &l) }
//
// where 2 is the number of version 1, and l is a variable of the activation, and l.Left is a.First at first. That its
// address is taken keeps it in memory. In a register it would have to be spilled in inner loops, or drive out what they
// need. A lap is the time between two calls of Lap by one activation, callees included. It goes into the ring of an audit
// record of the point's own.
//
// A lap is of 1, 2, 4, … passes, so many that most take lapTicks or more. It is a merged timing (5.4), whose number of passes is
// recorded with it. How many is found out by the first laps, and is the same for all versions. A point that brings hardly more
// timings than there are calls switches itself off. That calls are rare is an estimate when the program is built (5.1).

// RegisterLoop makes the record of a timing point. Names are those of the function with the loop and of its versions.
//
//go:norace
func RegisterLoop(a *Audit, names string, versions U) U {
	if record := newAudit(names, versions); record != nil {
		record.Passes = 1
		record.Publish()
		a.record, a.versions, a.First = record, versions, 1
	}
	return 0
}

// LoopMark is what comes between the name of a function and a line in the name of a timing point. No function's name has it.
const LoopMark = " (loop at line "

const (
	// lapTicks is what most laps take at least, and half of what most take at most: 5 µs, where taking a lap costs 38 ns.
	lapTicks = 1 << 14
	// adjustingLaps is after how many laps the number of passes stays as it is.
	adjustingLaps = 1 << 10
	// moreShort is by how many more laps than not are to be shorter than lapTicks.
	moreShort = 8
	// mostPassesLog is the binary logarithm of the most passes.
	mostPassesLog = 20
	// never is more passes than there will be.
	never = 1 << 62
)

// Laps are those of one activation at one point.
type Laps struct {
	Left  U // passes to the end of the lap
	start U // ticks
	log   U // of the passes in the lap
	state U
}

// States of Laps.
const (
	noLap = iota
	firstLap
	laterLap
)

// Lap takes the time at a timing point. The number is one more than the version. The compiler loads a 0 with a shorter
// instruction than others, and all code behind the call would lie elsewhere in version 0 only.
//
//go:norace
func Lap(a *Audit, number U, l *Laps) {
	now := ticks()
	version := number - 1
	record := a.record
	l.Left = never
	if record == nil || sys.Load64(&record.Settled) != 0 {
		return
	}
	want := sys.Load64(&record.Passes)
	switch {
	case l.state != noLap:
		a.recordLap(version, l, now, want)
		want = sys.Load64(&record.Passes)
		l.state = laterLap
	case a.begin(version):
		l.state = firstLap
	default:
		return
	}
	l.Left, l.log, l.start = want, log2(want), ticks()
}

// begin counts an activation, and reports whether it is to be timed.
//
//go:norace
func (a *Audit) begin(version U) bool {
	sys.Add64(&a.record.Begun[version], 1)
	if a.useless() {
		a.First = never
		return false
	}
	return true
}

// recordLap records a lap that ends now, and has later ones be of more passes if it was short.
//
//go:norace
func (a *Audit) recordLap(version U, l *Laps, now, want U) {
	record, taken, first := a.record, now-l.start, U(0)
	if now < l.start {
		taken = 0 // the counters of two processors do not agree
	}
	if l.state == firstLap {
		first = 1
	}
	n := sys.FetchAdd64(&record.Taken, 1)
	sys.Store64((*U)(unsafe.Add(unsafe.Pointer(record), auditRegion+n%AuditSlots*8)), lapSlot(n, version, l.log, first, taken))
	if n < adjustingLaps && want == 1<<l.log {
		a.adjust(version, l.log, taken)
	}
	measureTicks(record, now)
}

// adjust has later laps be of twice as many passes, when more laps of some version have been short than long. One short lap alone
// says little. Passes differ, and then most laps would be many times as long as the shortest, fewer and more often interrupted.
//
//go:norace
func (a *Audit) adjust(version, log, taken U) {
	short := &a.record.Returned[version]
	if taken >= lapTicks {
		if n := sys.Load64(short); n > 0 {
			sys.CAS64(short, n, n-1)
		}
		return
	}
	if sys.FetchAdd64(short, 1)+1 < moreShort || log == mostPassesLog {
		return
	}
	if sys.CAS64(&a.record.Passes, 1<<log, 2<<log) {
		for v := range a.versions {
			sys.Store64(&a.record.Returned[v], 0)
		}
	}
}

// useless reports whether there have been enough calls to know that a lap is hardly shorter than one.
//
//go:norace
func (a *Audit) useless() bool {
	calls := U(0)
	for v := range a.versions {
		calls += sys.Load64(&a.record.Begun[v])
	}
	return calls >= enoughCalls && sys.Load64(&a.record.Taken) < calls*lapsPerCall
}

const (
	enoughCalls = 256
	lapsPerCall = 4
)

// lapSlot returns what the slot of lap n holds.
func lapSlot(n, version, log, first, ticks U) U {
	return (n/AuditSlots+1)<<56 | version<<52 | first<<51 | log<<46 | min(ticks, 1<<46-1)
}

// log2 returns the binary logarithm of a power of two.
func log2(n U) (log U) {
	for n > 1 {
		n >>= 1
		log++
	}
	return log
}
