//go:build goprofinstr_std && goprofinstr_copies && linux && (amd64 || arm64) && !goprofinstr_basic

package copies

import (
	"runtime"
	"unsafe"

	"github.com/goprofinstr/goprofinstr/rt/pathlog"
	"github.com/goprofinstr/goprofinstr/rt/runfile"
	"github.com/goprofinstr/goprofinstr/rt/sys"
	"github.com/goprofinstr/goprofinstr/rt/tick"
	"github.com/goprofinstr/goprofinstr/sampler"
)

// Cold functions: they run in their copies always, and their paths are counted exactly. A function whose records are frequent
// falls: its original is what runs from then on, but for windows.

// coldImage is filled in by the program that makes the copies.
var coldImage = ColdImage{Magic: [2]U{ColdMagic0, ColdMagic1}}

// cold is what is known of cold functions.
var cold coldType

type coldType struct {
	on        bool
	holder    U // the words of the thread that decodes, or changes any of this; 0 if none does
	functions []ColdFunction
	flags     []byte         // 1 for those that are cold; code in copies looks at it
	states    []sampler.Site // of each function: Ends are records
	touched   []uint32       // numbers of those that have records since the last tick
	nTouched  int
	records   U // since the last tick, of those that are cold
	kept      U // of these, what there was when functions fell last
	all       U
	decoder   pathlog.Decoder // of cold functions
	moved     []pathlog.Frame
	exact     []U       // the At of functions of the source that were counted exactly when the program began, in order
	sampled   []byte    // 1 for those of exact that are so no more
	one       [1]uint32 // functions that fall alone
	allowance sampler.Allowance
	renewed   U    // CPU time of the process when the allowance was renewed last
	cost      U    // of records and of decoding them since the last tick, but for what ticks and windows have of it; ns
	seen      bool // an open window sees the path ends that are decoded
	finished  bool // the process is about to exit

	fewTimes U                // how often few records were decoded
	decoding sampler.Decoding // how long decoding takes where neither a tick nor a window does it
}

const (
	// clockCost is what a look at the clock takes, and fallCost what it takes that functions fall, ns: system calls, page faults.
	clockCost = 180
	fallCost  = 8000
	// firstRecords is how many records cold functions may have before they have earned any. One takes some 0.1 µs then, since
	// nothing is in caches, and functions fall.
	firstRecords = 4096
	// leastRecords is how many they may always have: a fall takes as much as some hundred.
	leastRecords = 256
	// fewestStates is how many states the decoder has room for at first, and mostStates at most. All activations are looked at
	// where a stack is copied. A function falls for which there is no room.
	fewestStates = 1 << 12
	mostStates   = 1 << 17
	// chunk is for how many states it is made sure at once that there is room.
	chunk = 256
)

// lockCold waits until no other thread decodes. The calling thread does not hold the lock: it is in a copy, or on a stack of
// the system's, and its signals do not wait. It returns false where nothing is counted any more. The process is about to exit,
// and the goroutine that has it exit may be kept from running. Or fork has made this process: its parent's threads are not in
// it, one of which may have had the lock.
//
//go:norace
func lockCold(w *words) bool {
	if inChild() {
		return false
	}
	for tries := 0; !tryCold(w); tries++ {
		if cold.finished {
			return false
		}
		wait(tries)
	}
	return true
}

// wait waits for another thread. One of a lower priority runs only if this one sleeps.
//
//go:norace
func wait(tries int) {
	const yields, pause = 1 << 10, 50_000 // ns
	if tries < yields {
		sys.Yield()
	} else {
		sys.Pause(pause)
	}
}

// heldCold reports whether a signal has interrupted the calling thread where it decodes.
//
//go:norace
func heldCold(w *words) bool { return sys.Load64(&cold.holder) == U(uintptr(unsafe.Pointer(w))) }

//go:norace
func tryCold(w *words) bool { return sys.CAS64(&cold.holder, 0, U(uintptr(unsafe.Pointer(w)))) }

//go:norace
func unlockCold() { sys.Store64(&cold.holder, 0) }

// keepHolding has counters stand still while a package moves them into the run file. Copies count before packages register
// themselves, and a tick in another thread decodes what all threads have noted.
//
//go:norace
func keepHolding() { runfile.HoldCounts = holdCounts }

// holdCounts calls a function while no thread decodes. It does so on the thread's own stack: a goroutine that has the lock could
// leave its thread.
//
//go:norace
func holdCounts(f func()) {
	heldFor = f
	runtime.GoprofinstrUnmoved(hold)
}

// heldFor is what holdCounts calls. Packages register themselves one after the other.
var heldFor func()

//go:norace
func hold() {
	locked := lockCold(runtime.GoprofinstrWords()) // or nobody decodes any more
	heldFor()
	if locked {
		unlockCold()
	}
}

// coldAt returns the number of the function that has an address in its copy, -1 if that never was cold.
//
//go:norace
func coldAt(pc uintptr) int {
	at := uint32(pc - program.from)
	lo, hi := 0, len(cold.functions) // what is looked for is in front of hi
	for lo < hi {
		if mid := int(uint(lo+hi) / 2); cold.functions[mid].Copy <= at {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo == 0 || at-cold.functions[lo-1].Copy >= cold.functions[lo-1].Size {
		return -1
	}
	return lo - 1
}

// stays reports whether the calling thread stays in the copy that has an address.
//
//go:norace
func stays(w *words, pc uintptr) bool {
	if w[inWindow] != 0 {
		return true
	}
	k := coldAt(pc)
	return k >= 0 && cold.flags[k] != 0
}

// beginLog has the calling thread's log begin anew, if it is not about to note a record. All in it has been decoded. If many
// records are none too many, a full log is what tells soon.
//
//go:norace
func beginLog(w *words) {
	room := uintptr(logRecords - 1)
	if w[inWindow] == 0 {
		most := cold.most()
		room = uintptr(min(most-min(most, cold.records)+64, logRecords-1))
	}
	w[nextRecord] = w[ownLog] + (logRecords-room)*pathlog.RecordSize
	*counted(w) = w[nextRecord]
}

// counted returns where the log of a thread tells up to where it has been decoded: in place of its first record.
//
//go:norace
func counted(w *words) *uintptr { return (*uintptr)(sys.Pointer(w[ownLog])) }

// recordBound returns how many records cold functions may have until the next tick.
//
//go:norace
func recordBound() U {
	bound := coldImage.Bound
	if image.Mode == Sampled {
		bound = max(cold.allowance.Left(), leastRecords)
	} else if cold.all <= firstRecords {
		bound = max(bound, firstRecords)
	}
	return bound
}

// inRecord reports whether a thread was interrupted while it notes a record.
//
//go:norace
func inRecord(pc uintptr) bool {
	if pc < program.from || pc >= program.to {
		return false
	}
	begin, _, kind := origin(pc)
	_, record := noting(kind)
	return record && pc != begin
}

// decodeOwn decodes what a thread has noted since it was called last.
//
//go:norace
func decodeOwn(w *words) {
	to := uintptr(sys.Load64((*U)(unsafe.Pointer(&w[nextRecord]))))
	if to == 0 || *counted(w) >= to {
		return
	}
	from := *counted(w)
	*counted(w) = to
	n := U(to-from) / pathlog.RecordSize
	program.stats.Records += n
	if w[inWindow] == 0 {
		cold.cost += n * recordCost
	}
	decodeCold(records(from, to), w[inWindow] != 0)
}

// decodeByItself is decodeOwn where neither a tick nor a window takes the time. A few records take much more each than many do,
// and less than two looks at the clock: some stand for all.
//
//go:norace
func decodeByItself(w *words) {
	const few, oneIn = 64, 16
	if w[nextRecord] == 0 || *counted(w) >= w[nextRecord] {
		return
	}
	stands := U(1)
	if U(w[nextRecord]-*counted(w))/pathlog.RecordSize < few {
		if cold.fewTimes++; cold.fewTimes%oneIn != 0 {
			decodeOwn(w)
			return
		}
		stands = oneIn
	}
	began, before := tick.ThreadTime(), program.stats.Records
	decodeOwn(w)
	took := tick.ThreadTime() - began
	took -= min(took, clockCost)
	if stands > 1 {
		took = min(took, 5000) * stands // no page fault stands for others
	}
	cold.cost += took
	cold.decoding.Took(took, (program.stats.Records-before)*stands)
}

// decodeAll decodes what all threads have noted.
//
//go:norace
func decodeAll() {
	for i := range logs.n {
		if l := &logs.list[i]; l.words != 0 {
			decodeOwn((*words)(sys.Pointer(l.words)))
		}
	}
}

// decodeCold decodes records. Those of functions that are not cold count in windows only.
//
//go:norace
func decodeCold(log []pathlog.Record, window bool) {
	c := &cold
	c.seen = window && isOpen()
	for len(log) > 0 {
		if window {
			if log = log[program.decoder.Decode(log):]; len(log) == 0 {
				return
			}
		}
		n, more := coldRecords(log)
		switch {
		case n == 0 && window:
			program.decoder.Lost++
			return
		case n == 0:
			n = 1
			sites := program.decoder.Sites
			if site := log[0].Site; int(site) < len(sites) && sites[site].Value&pathlog.HasValue != 0 {
				n = min(2, len(log))
			}
		default:
			makeRoom(more)
			lost := c.decoder.Lost
			c.decoder.Decode(log[:n])
			noteCold(log[:n], c.decoder.Lost != lost)
		}
		log = log[n:]
	}
}

// coldRecords returns how many of the next records are of functions that are cold, and how many states they may need.
//
//go:norace
func coldRecords(log []pathlog.Record) (n, states int) {
	sites := program.decoder.Sites
	for n < len(log) && states < chunk {
		site := log[n].Site
		if int(site) >= len(sites) {
			break
		}
		s, size := &sites[site], 1
		if s.Value&pathlog.HasValue != 0 {
			size = 2
		}
		if k := s.Value >> pathlog.FunctionShift; k == 0 || cold.flags[k-1] == 0 || n+size > len(log) {
			break
		}
		n, states = n+size, states+int(s.Targets)+1
	}
	return n, states
}

// noteCold notes which functions have records. Those whose records were lost are not counted exactly any more.
//
//go:norace
func noteCold(log []pathlog.Record, lost bool) {
	c := &cold
	for i := 0; i < len(log); i++ {
		s := &program.decoder.Sites[log[i].Site]
		if s.Value&pathlog.HasValue != 0 {
			i++
		}
		k := s.Value>>pathlog.FunctionShift - 1
		site := &c.states[k]
		if site.Ends == 0 {
			c.touched[c.nTouched] = k
			c.nTouched++
		}
		site.Ends++
		if s.N > 0 && program.decoder.Ops[s.First].Kind == pathlog.Begin {
			entries.lately[k]++
		}
		if lost {
			site.Ends = 1 << 30
		}
	}
	n := U(len(log))
	c.records, c.all, program.stats.Cold = c.records+n, c.all+n, program.stats.Cold+n
	if lost {
		c.records += 1 << 30
	}
}

// fallCold has functions that are frequent be cold no more, if there are too many records since the last tick. Half of what there
// may be is to be left then: each fall takes system calls. At a tick the count begins anew.
//
//go:norace
func fallCold(atTick bool) {
	c := &cold
	if !atTick && c.records <= c.most() {
		return
	}
	if image.Mode == Sampled && !atTick && tick.Sampling.TryLock() { // which nobody waits for here
		renewCold(tick.CPUTime())
		tick.Sampling.Unlock()
		if c.records <= recordBound() {
			return
		}
	}
	touched, bound := c.touched[:c.nTouched], recordBound()
	if !atTick {
		bound /= 2
	}
	fallen := sampler.Fall(c.states, touched, bound, 0)
	if fallen > 0 && !atTick {
		cold.cost += fallCost
	}
	c.fall(touched[:fallen])
	stay, settled := U(0), touched
	for _, k := range touched[fallen:] {
		stay += U(c.states[k].Ends)
	}
	if !atTick {
		settled = touched[:fallen]
	}
	for _, k := range settled {
		entries.lately[k] = 0
	}
	sampler.Settle(c.states, settled)
	if atTick {
		c.allowance.Spent(stay)
		c.nTouched, c.records, c.kept = 0, 0, 0
		return
	}
	c.allowance.Spent(c.records - min(stay, c.records)) // others do not have these any more
	c.nTouched = copy(touched, touched[fallen:])
	c.records, c.kept = stay, stay
}

// most returns how many records since the last tick are no reason to look what may fall. Some rare functions do not, however many
// they are: it is not looked at again for each record of theirs.
//
//go:norace
func (c *coldType) most() U {
	bound := recordBound()
	return max(bound, c.kept+bound/2)
}

// renewCold has cold functions and entries earn by the CPU time that the process has had since it was called last. Cold's lock is
// held, and tick.Sampling.
//
//go:norace
func renewCold(now U) {
	c, g := &cold, &tick.Sampling.Governor
	time, between := now-min(c.renewed, now), g.Between()
	c.renewed = now
	countEntries(time, between)
	each, waits := recordCost+c.decoding.Each(), tick.Waits()
	c.allowance.Earn(g.ColdBound(time, each, waits), g.ColdBound(between, each, waits))
}

// startAllowances has the process begin with what it has not earned.
//
//go:norace
func startAllowances() {
	c, g := &cold, &tick.Sampling.Governor
	c.renewed = tick.CPUTime()
	c.allowance.Earn(0, g.ColdBound(g.Between(), recordCost+c.decoding.Each(), false))
	c.allowance.Advance(firstRecords)
	entries.allowance.Earn(g.EntryBound(g.Between(), entryCost), g.EntryBound(g.Between(), entryCost))
}

// chargeCold has the cost of cold functions be sampling's. Cold's lock is held, and tick.Sampling.
//
//go:norace
func chargeCold(now U) {
	renewCold(now)
	tick.Sampling.Cost += cold.cost
	cold.cost = 0
}

// makeRoom has the decoder of cold functions have room for more states. What it has of functions that have fallen goes.
//
//go:norace
func makeRoom(more int) {
	d := &cold.decoder
	if d.HasRoom(more) {
		return
	}
	live := d.Live(stillCold)
	n := fewestStates
	for n < 2*statesOfFrame*(live+more) && n < mostStates {
		n *= 2
	}
	if n == len(d.States) && live > d.Used()/2 {
		return // another table would be full as soon
	}
	old := *d
	moved := newTables(d, n)
	if moved == nil {
		return // some will be lost
	}
	d.Take(&old, stillCold)
	dropTables(&old)
	setSlice(unsafe.Pointer(&cold.moved), moved, len(d.Frames))
}

// stillCold reports whether the function that has a target is cold.
//
//go:norace
func stillCold(target uint32) bool { return cold.flags[coldOf(target)] != 0 }

// coldOf returns the number of the function that has a target.
//
//go:norace
func coldOf(target uint32) int {
	lo, hi := 0, len(cold.functions)
	for hi-lo > 1 {
		if mid := int(uint(lo+hi) / 2); cold.functions[mid].Target <= target {
			lo = mid
		} else {
			hi = mid
		}
	}
	return lo
}

// coldFault handles a fault of a record: the thread has no log yet, or that is full.
//
//go:norace
func coldFault(w *words, at unsafe.Pointer, pc, register uintptr) {
	if !lockCold(w) { // nothing is counted any more
		if w[ownLog] == 0 {
			pass(at, pc, register)
			return
		}
		beginLog(w)
		runtime.GoprofinstrResume(at, pc, register, U(w[nextRecord]))
		return
	}
	if logOf(w) == 0 {
		coldLost(w, at, pc, register)
		return
	}
	over := false
	if w[nextRecord] != 0 {
		decodeByItself(w)
		cold.cost += faultCost
		if over = w[inWindow] != 0; over {
			program.stats.Full++
			w[inWindow] = 0
		} else {
			program.stats.Emptied++
		}
		fallCold(false)
	}
	beginLog(w)
	next, stay := w[nextRecord], stays(w, pc)
	unlockCold()
	if over {
		sys.SetTimer(burst.timer, 0, 0)
		endWords()
	}
	if stay {
		runtime.GoprofinstrResume(at, pc, register, U(next))
	} else {
		leave(at)
	}
}

// coldLost is for a record that cannot be noted for want of memory. Its function is not counted exactly any more. If it cannot
// even fall, its thread stays in the copy: the entry leads there.
//
//go:norace
func coldLost(w *words, at unsafe.Pointer, pc, register uintptr) {
	if k := coldAt(pc); k >= 0 && cold.flags[k] != 0 {
		cold.one[0] = uint32(k)
		cold.fall(cold.one[:])
	}
	stay := stays(w, pc)
	unlockCold()
	if stay {
		pass(at, pc, register)
	} else {
		leave(at)
	}
}

// endWords ends the burst.
//
//go:norace
func endWords() {
	program.stats.Lost = program.decoder.Lost + cold.decoder.Lost
	burst.words = 0
	sys.Store64(&program.busy, 0)
}

// enterCold begins a burst, as enter does, and decodes what there is. Program.busy is held.
//
//go:norace
func enterCold(w *words, at unsafe.Pointer, pc uintptr) {
	if !tryCold(w) {
		sys.Inc64(&program.stats.Outside)
		sys.Store64(&program.busy, 0)
		return
	}
	decodeAll()
	fallCold(true)
	copied := entrance(pc)
	here := program.from <= pc && pc < program.to
	log := logOf(w)
	returns := log != 0 && runtime.GoprofinstrLead(at, returnTo) > 0
	if log == 0 || copied == 0 && !here && !returns {
		sys.Inc64(&program.stats.Outside)
		unlockCold()
		sys.Store64(&program.busy, 0)
		return
	}
	if !beginBurst(w, pc) {
		unlockCold()
		return
	}
	if copied == 0 && !here {
		program.stats.Returns++
	}
	w[inWindow] = 1
	if !inRecord(pc) {
		beginLog(w)
	}
	unlockCold()
	if copied != 0 {
		runtime.GoprofinstrResume(at, copied, firstRegister, runtime.GoprofinstrRegister(at, firstRegister))
	}
}

// endColdBurst ends the burst of the calling thread. It stays in the copy of a cold function.
//
//go:norace
func endColdBurst(w *words, at unsafe.Pointer) {
	if heldCold(w) { // this thread decodes: the signal comes again
		const later = 50_000 // ns
		sys.SetTimer(burst.timer, later, 0)
		return
	}
	pc := runtime.GoprofinstrPC(at)
	if !lockCold(w) {
		return
	}
	decodeOwn(w)
	w[inWindow] = 0
	if !inRecord(pc) && w[nextRecord] != 0 {
		beginLog(w)
	}
	stay := stays(w, pc)
	unlockCold()
	endWords()
	if !stay {
		leave(at)
	}
}

// switchedCold is called when the calling thread leaves its goroutine. From then on another thread may run it, which notes
// records in a log of its own.
//
//go:norace
func switchedCold(w *words) {
	if w[inWindow] == 0 && (w[nextRecord] == 0 || w[nextRecord] == *counted(w)) {
		return
	}
	if lockCold(w) {
		cutCold(w)
		unlockCold()
	}
}

// cutCold decodes what the calling thread has noted, and ends its window. It is in no copy.
//
//go:norace
func cutCold(w *words) {
	if w[nextRecord] == 0 {
		return
	}
	decodeByItself(w)
	if w[inWindow] != 0 {
		program.stats.Cut++
		w[inWindow] = 0
	}
	fallCold(false)
	beginLog(w)
}

// movedCold is called when a stack has been copied.
//
//go:norace
func movedCold(w *words, to, from, size uint32) {
	if !lockCold(w) {
		return
	}
	if image.Mode == Sampled {
		decodeByItself(w)
	} else {
		cutCold(w)
	}
	if d := &cold.decoder; d.Activations() > 0 {
		makeRoom(d.Activations())
		if n, dropped := d.Move(to, from, size, cold.moved); dropped > 0 {
			fallMoved(cold.moved[:n])
		}
	}
	unlockCold()
}

// fallMoved has functions fall that have states of a stack which was copied, some of which were lost.
//
//go:norace
func fallMoved(moved []pathlog.Frame) {
	for i := range moved {
		cold.one[0] = uint32(coldOf(moved[i].Target()))
		cold.fall(cold.one[:])
	}
}

// endedCold is called when the calling thread ends. Its words are about to be no more, so it gives back its log where nobody
// looks at them. Unlike others it waits for a thread that has the process exit, too: that one looks at all words.
//
//go:norace
func endedCold(w *words) {
	for tries := 0; !tryCold(w); tries++ {
		if inChild() {
			return
		}
		wait(tries)
	}
	if cold.finished {
		decodeOwn(w)
	} else {
		cutCold(w)
	}
	freeLog(w)
	unlockCold()
	if burst.words == uintptr(unsafe.Pointer(w)) {
		endWords()
	}
}

// finishCold counts what is left.
//
//go:norace
func finishCold() {
	if inChild() {
		return
	}
	cold.finished = true
	for !tryCold(runtime.GoprofinstrWords()) {
		sys.Yield()
	}
	decodeAll()
	entries.tellAll()
	copy(program.fates, cold.flags)
	program.stats.Lost = program.decoder.Lost + cold.decoder.Lost
	unlockCold()
}
