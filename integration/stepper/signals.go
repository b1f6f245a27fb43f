//go:build linux && amd64

package main

import (
	"debug/dwarf"
	"debug/elf"
	"errors"
	"fmt"
	"maps"

	"path/filepath"
	"syscall"

	"github.com/goprofinstr/goprofinstr/integration/internal/tracer"
	"github.com/goprofinstr/goprofinstr/rewrite/copies"
	rtcopies "github.com/goprofinstr/goprofinstr/rt/copies"
)

// Signals come at each instruction of copies that is executed: package tracer sets a breakpoint on each, where a thread gets
// one of several. Which one depends on the instruction and on the run.

func init() { inSignals = (*bench).signals }

// What may happen at an instruction.
const (
	profiled  = iota // SIGPROF: the stack is unwound for a profile
	preempted        // SIGURG, and the next function finds that the goroutine is to be preempted
	moved            // the next function moves the stack
	left             // the burst ends
	faulted          // the instruction faults, and does not so in the original
	ticked           // logs are decoded, functions fall, and a burst begins
	sampled          // the same in programs that sample: a window begins
	kinds
)

// The values of the signals of package rt/copies.
const (
	tickValue = 0x6770_636f_7079_0001
	endValue  = 0x6770_636f_7079_0002
)

// sampleValue is that of the signals of package rt/tick.
const sampleValue = 0x6770_7469_636b_0001

// A storm has signals come at instructions.
type storm struct {
	copied  *copiedProgram
	run     uint64
	layout  layout
	only    []int // what may happen
	enters  bool  // bursts begin at each instruction of the originals
	places  map[uint64]place
	stopped [kinds]int
	entered int
	begun   map[uint64]bool // copies of functions
	seen    map[uint64]bool // instructions of copies
	main    uint64
	exit    uint64              // where the program is about to end
	entries map[uint64]*counter // by address, where calls of them are noted
}

// A place is an instruction of a copy.
type place struct {
	function uint64 // its copy
	kind     uint32 // of code
	original uint64 // where it is an instruction of the original that a burst may begin at, and no copy
	led      bool   // a jump to the copy is written over the original's, where the function begins cold
}

// A layout says where package runtime has what in a goroutine.
type layout struct{ stackguard0, preempt, m, goid, startpc, g0 int64 }

const (
	stackPreempt   = 1<<64 - 1314
	stackForceMove = 1<<64 - 275
)

// signals runs a program with copies several times, while signals come at each instruction of copies: where no burst ends, and
// all counts have to be as exact mode's, and where bursts begin and end all the time.
func (b *bench) signals(args []string) error {
	c, err := copyProgram(b.program, b.pkg)
	if err != nil {
		return err
	}
	if b.cold {
		return b.coldSignals(c, args)
	}
	all := newCoverage(c)
	var differ error
	for run := range b.runs {
		r, s, err := b.storm(c, run, args)
		if err != nil {
			return fmt.Errorf("run %d: %w", run, err)
		}
		all.add(s)
		fmt.Printf("run %d, no burst ends: %v\n%v\n", run, s, r)
		for _, d := range r.differ {
			fmt.Println(" ", d)
			differ = errors.New("counts differ")
		}
		if s, err = b.collected(c, run, args); err != nil {
			return fmt.Errorf("run %d: %w", run, err)
		}
		all.add(s)
		fmt.Printf("run %d, with a profile and a collector: %v\n", run, s)
		if s, err = b.changing(c, run, s.begun, args); err != nil {
			return fmt.Errorf("run %d: %w", run, err)
		}
		all.add(s)
		fmt.Printf("run %d, bursts: %v, %+v\n", run, s, c.stats)
	}
	fmt.Println(all)
	return differ
}

// storm has signals come in copies which no burst's end leaves, and compares all counts with exact mode's. There is no profile,
// since programs sort and print when they write one.
func (b *bench) storm(c *copiedProgram, run int, args []string) (r comparison, s *storm, err error) {
	s = newStorm(c, run, profiled, preempted, moved)
	r, err = b.compareUnder(s, copies.Settings{Mode: rtcopies.Always}, c, args)
	return r, s, err
}

// compareUnder runs tests in one thread under a storm, and compares the counts with exact mode's.
func (b *bench) compareUnder(s *storm, settings copies.Settings, c *copiedProgram, args []string) (r comparison, err error) {
	counts, err := b.underStorm(s, settings, args, "GOMAXPROCS=1", "GOGC=off")
	if err != nil {
		return r, err
	}
	rows, err := b.exactly(args)
	if err != nil {
		return r, err
	}
	return c.compareAll(counts, rows)
}

// collected does so with a profile and with a collector at work. The tests have to pass.
func (b *bench) collected(c *copiedProgram, run int, args []string) (*storm, error) {
	s := newStorm(c, run, profiled, preempted, moved)
	_, err := b.underStorm(s, copies.Settings{Mode: rtcopies.Always}, b.profile(args), "GOMAXPROCS=2", "GOGC=10")
	return s, err
}

// changing has threads change over to copies and back at each instruction of functions, by their copies: those that are executed.
func (b *bench) changing(c *copiedProgram, run int, functions map[uint64]bool, args []string) (*storm, error) {
	s := newStorm(c, run, profiled, preempted, moved, left, faulted)
	s.enters = true
	maps.DeleteFunc(s.places, func(_ uint64, at place) bool { return !functions[at.function] })
	const never, short = 1 << 50, 300_000 // ns; a burst that the scheduler has ended is of no use until its time is over
	settings := copies.Settings{Mode: rtcopies.Bursts, Interval: never, Length: short}
	_, err := b.underStorm(s, settings, b.profile(args), "GOMAXPROCS=2", "GOGC=20")
	return s, err
}

// profile returns arguments with which a test writes a CPU profile.
func (b *bench) profile(args []string) []string {
	return append(args[:len(args):len(args)], "-test.cpuprofile="+filepath.Join(b.work, "cpu"))
}

// underStorm runs a program with copies under a storm.
func (b *bench) underStorm(s *storm, settings copies.Settings, args []string, env ...string) (counts, error) {
	traced, counters := filepath.Join(b.work, "copied.test"), filepath.Join(b.work, "counters")
	err := s.copied.write(b.labelled, traced, counters, settings)
	if err != nil {
		return nil, err
	}
	if s.layout, s.main, err = readLayout(b.labelled); err != nil {
		return nil, err
	}
	if s.copied.copies.Flags != 0 {
		if s.main, err = s.copied.afterInit(); err != nil {
			return nil, err
		}
	}
	err = b.underTracer(traced, args, tracer.Handlers{
		Begin: func(p *tracer.Program) error {
			return errors.Join(s.hideTracer(p), p.Arm([]uint64{s.main}))
		},
		Break: s.stop,
	}, append([]string{"GODEBUG=randautoseed=0"}, env...)...)
	if err != nil {
		return nil, err
	}
	return s.copied.read(counters)
}

func newStorm(c *copiedProgram, run int, only ...int) *storm {
	s := &storm{copied: c, run: uint64(run), only: only,
		places: make(map[uint64]place), begun: make(map[uint64]bool), seen: make(map[uint64]bool)}
	k := c.copies
	functions := make(map[uint64]bool)
	for _, entry := range k.Entries {
		functions[entry] = true
	}
	in := uint64(0)
	led := c.ledBytes()
	for n, o := range k.Origins {
		end := uint32(k.Text)
		if n+1 < len(k.Origins) {
			end = k.Origins[n+1].Copy
		}
		for at := o.Copy; at < end; {
			a := k.Base + uint64(at)
			if functions[a] {
				in = a
			}
			s.places[a] = place{function: in, kind: o.At >> rtcopies.KindShift, led: led[uint64(o.At&rtcopies.AddressMask)]}
			size, leaves := c.instruction(k.Code[at:end])
			if leaves {
				break // what follows is a table, or nothing
			}
			at += uint32(size)
		}
	}
	return s
}

// stop says what happens where a thread has come to a breakpoint.
func (s *storm) stop(p *tracer.Program, t *tracer.Thread) (tracer.Signal, error) {
	if t.PC == s.main {
		return tracer.Signal{}, s.begin(p)
	}
	if t.PC == s.exit {
		return tracer.Signal{}, s.readCounters(p)
	}
	if e := s.entries[t.PC]; e != nil {
		e.entered++
		return tracer.Signal{}, nil
	}
	at := s.places[t.PC]
	if at.original != 0 {
		s.entered++
		return timer(tickValue), s.again(p)
	}
	s.begun[at.function], s.seen[t.PC] = true, true
	kind := s.only[(mix(t.PC)+s.run)%uint64(len(s.only))]
	if kind == faulted && (at.kind != rtcopies.Instruction || at.led) {
		kind = left
	}
	s.stopped[kind]++
	switch kind {
	case preempted:
		if err := s.preempt(p, t); err != nil {
			return tracer.Signal{}, err
		}
		return tracer.Signal{Number: syscall.SIGURG}, nil
	case moved:
		return tracer.Signal{}, s.guard(p, t, stackForceMove)
	case left:
		return timer(endValue), nil
	case faulted:
		return tracer.Signal{Number: syscall.SIGSEGV, Code: 1, Address: t.PC}, nil
	case ticked:
		return timer(tickValue), nil
	case sampled:
		return timer(sampleValue), nil
	}
	return tracer.Signal{Number: syscall.SIGPROF}, nil
}

func timer(value uint64) tracer.Signal {
	const fromTimer = -2
	return tracer.Signal{Number: syscall.SIGPROF, Code: fromTimer, Value: value}
}

// begin sets all breakpoints: package rt/copies has mapped the copies.
func (s *storm) begin(p *tracer.Program) error {
	var list []uint64
	for a := range s.places {
		list = append(list, a)
	}
	if s.enters {
		list = append(list, s.entrances()...)
	}
	if s.exit != 0 {
		list = append(list, s.exit)
	}
	for a := range s.entries {
		list = append(list, a)
		p.Keep(a)
	}
	return p.Arm(list)
}

// entrances returns the instructions of originals whose copies have not been come to, and some of the others: there a burst may
// get as far as to an instruction that has not been come to.
func (s *storm) entrances() (list []uint64) {
	k := s.copied.copies
	for _, e := range k.Entrances {
		const some = 16
		at, copied := uint64(e.At), k.Base+uint64(e.Copy)
		if _, ok := s.places[copied]; !ok || at == s.main { // where the program would begin again and again
			continue
		}
		if !s.seen[copied] || mix(at+uint64(s.entered))%some == 0 {
			s.places[at] = place{original: at}
			list = append(list, at)
		}
	}
	return list
}

// again sets breakpoints again on instructions of originals, now and then. No burst begins at one while another is not over.
func (s *storm) again(p *tracer.Program) error {
	const often, most = 1000, 10_000
	if s.entered%often != 0 || s.entered > most {
		return nil
	}
	return p.Arm(s.entrances())
}

// goroutine returns the address of the goroutine that a thread runs, 0 if it runs on a stack of its own.
func (s *storm) goroutine(p *tracer.Program, t *tracer.Thread) (uint64, error) {
	g, err := s.copied.goroutine(p, t)
	if err != nil || g == 0 {
		return 0, err
	}
	m, err := p.Word(g + uint64(s.layout.m))
	if err != nil {
		return 0, err
	}
	g0, err := p.Word(m + uint64(s.layout.g0))
	if g0 == g {
		g = 0
	}
	return g, err
}

// guard sets what the next function that needs stack compares the stack pointer with.
func (s *storm) guard(p *tracer.Program, t *tracer.Thread, v uint64) error {
	g, err := s.goroutine(p, t)
	if err != nil || g == 0 {
		return err
	}
	return p.SetWord(g+uint64(s.layout.stackguard0), v)
}

// preempt asks the goroutine to leave its thread.
func (s *storm) preempt(p *tracer.Program, t *tracer.Thread) error {
	g, err := s.goroutine(p, t)
	if err != nil || g == 0 {
		return err
	}
	if err := p.Write(g+uint64(s.layout.preempt), []byte{1}); err != nil {
		return err
	}
	return p.SetWord(g+uint64(s.layout.stackguard0), stackPreempt)
}

func mix(x uint64) uint64 {
	x *= 0x9e3779b97f4a7c15
	return x >> 32
}

func (s *storm) String() string {
	n := 0
	for _, k := range s.stopped {
		n += k
	}
	return fmt.Sprintf("%d instructions of copies were interrupted, in %d functions: %d profiled, %d preempted, %d stacks moved, "+
		"%d left, %d faults, %d ticks; %d entered", n, len(s.begun), s.stopped[profiled], s.stopped[preempted], s.stopped[moved],
		s.stopped[left], s.stopped[faulted], s.stopped[ticked]+s.stopped[sampled], s.entered)
}

// readLayout reads from a program where package runtime has what, and the address of main.main.
func readLayout(name string) (l layout, main uint64, err error) {
	f, err := elf.Open(name)
	if err != nil {
		return l, 0, err
	}
	defer f.Close()
	syms, err := f.Symbols()
	if err != nil {
		return l, 0, err
	}
	for _, s := range syms {
		if s.Name == "main.main" {
			main = s.Value
		}
	}
	d, err := f.DWARF()
	if err != nil {
		return l, 0, err
	}
	wanted := map[string]*int64{"runtime.g.stackguard0": &l.stackguard0, "runtime.g.preempt": &l.preempt, "runtime.g.m": &l.m,
		"runtime.g.goid": &l.goid, "runtime.g.startpc": &l.startpc, "runtime.m.g0": &l.g0}
	found := 0
	r := d.Reader()
	for {
		e, err := r.Next()
		if err != nil || e == nil {
			if found != len(wanted) || main == 0 {
				err = errors.Join(err, errors.New("package runtime is not as expected"))
			}
			return l, main, err
		}
		structure, _ := e.Val(dwarf.AttrName).(string)
		if e.Tag != dwarf.TagStructType || structure != "runtime.g" && structure != "runtime.m" {
			if e.Tag != dwarf.TagCompileUnit {
				r.SkipChildren()
			}
			continue
		}
		for {
			m, err := r.Next()
			if err != nil {
				return l, main, err
			}
			if m.Tag == 0 {
				break
			}
			field, _ := m.Val(dwarf.AttrName).(string)
			if to := wanted[structure+"."+field]; to != nil {
				*to, _ = m.Val(dwarf.AttrDataMemberLoc).(int64)
				found++
			}
		}
	}
}

// A coverage is of what storms have interrupted.
type coverage struct {
	places, functions map[uint64]bool
	of                int
}

func newCoverage(c *copiedProgram) *coverage {
	return &coverage{places: make(map[uint64]bool), functions: make(map[uint64]bool), of: len(newStorm(c, 0).places)}
}

func (c *coverage) add(s *storm) {
	for f := range s.begun {
		c.functions[f] = true
	}
	for a := range s.seen {
		c.places[a] = true
	}
}

func (c *coverage) String() string {
	return fmt.Sprintf("all runs: %d of %d instructions of copies, in %d functions", len(c.places), c.of, len(c.functions))
}
