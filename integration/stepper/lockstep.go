//go:build linux && amd64

package main

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/arch/x86/x86asm"

	"github.com/goprofinstr/goprofinstr/integration/internal/tracer"
	"github.com/goprofinstr/goprofinstr/rewrite/copies"
	"github.com/goprofinstr/goprofinstr/rewrite/machine"
	rtcopies "github.com/goprofinstr/goprofinstr/rt/copies"
)

// Lockstep runs a program twice: in its own code, and in copies all the time. Package tracer stops both at each instruction
// that a function and its copy have. Both have to come to the same instructions in the same order, and what an instruction
// reads has to be the same: registers as wide as it reads them, and the flags that a condition is about. So what it stores is
// the same.
//
// Addresses on the stack are held against each other by their distance from its end, and of other addresses the last three
// bits. The programs do the same as long as time and the scheduler leave them alone: there is one thread at a time, no
// collector and no preemption, time stands still, and random numbers are fixed. Goroutines are followed one by one, in the
// order of their creation.

func init() { inLockstep = (*bench).lockstep }

// A lockstep compares two runs.
type lockstep struct {
	copied *copiedProgram
	times  int    // how often each instruction is looked at, in each goroutine
	parts  uint64 // one in so many instructions is looked at
	tables map[uint64]bool
	insts  map[uint64]*machine.Inst
	names  map[*machine.Inst]string // of their functions
	// distances has which registers are the distance of an address from the stack pointer where an instruction reads them. An
	// address on the heap is somewhere else in the other run.
	distances map[*machine.Inst]uint16
	runs      [2]*steps // in the program's own code, and in copies
	same      int       // events that are
	wrong     []string
}

// Steps are those of a run.
type steps struct {
	*lockstep
	inCopy bool
	layout layout
	main   uint64
	fixed  map[uint64][]byte // code over functions that go by time
	points map[uint64]*machine.Inst
	code   [][2]uint64 // where code is

	events  map[goroutine][]event
	looked  map[visit]int
	total   map[*machine.Inst]int
	dropped map[uint64]bool             // instructions that some goroutine has executed too often
	last    map[goroutine]*machine.Inst // at which a goroutine was in a copy
}

// A goroutine is one of a run.
type goroutine struct{ startpc, id uint64 }

type visit struct {
	g goroutine
	i *machine.Inst
}

// An event is an instruction that is about to be executed.
type event struct {
	pc, hash uint64
	values   [3]uint64 // the first that it reads
}

// lockstep runs a program both ways.
func (b *bench) lockstep(args []string) error {
	c, err := copyProgram(b.program, b.pkg)
	if err != nil {
		return err
	}
	l, err := b.inStep(c, args)
	if err != nil {
		return err
	}
	fmt.Println(l)
	for _, w := range l.wrong {
		fmt.Println(" ", w)
	}
	if len(l.wrong) > 0 {
		return errors.New("the copies do something else")
	}
	return nil
}

func (b *bench) inStep(c *copiedProgram, args []string) (*lockstep, error) {
	l := &lockstep{copied: c, times: b.steps, parts: b.parts, tables: make(map[uint64]bool), insts: make(map[uint64]*machine.Inst),
		names: make(map[*machine.Inst]string), distances: make(map[*machine.Inst]uint16)}
	for _, fn := range c.all {
		f := fn.machine
		if _, ok := c.copies.Entries[f.Lo]; !ok {
			continue
		}
		for _, i := range f.Insts {
			l.insts[i.PC] = i
			l.names[i] = c.image.Names[f.Lo]
		}
		for _, b := range f.Blocks {
			l.tables[b.Table] = true
			l.noteDistances(b)
		}
	}
	for k, mode := range []uint64{rtcopies.Never, rtcopies.Always} {
		l.runs[k] = l.steps(mode == rtcopies.Always)
		if err := b.traceSteps(l.runs[k], copies.Settings{Mode: mode}, args); err != nil {
			return l, err
		}
	}
	l.compare()
	return l, nil
}

// steps finds the instructions that are looked at in a run.
func (l *lockstep) steps(inCopy bool) *steps {
	s := &steps{lockstep: l, inCopy: inCopy, points: make(map[uint64]*machine.Inst), events: make(map[goroutine][]event),
		looked: make(map[visit]int), total: make(map[*machine.Inst]int), dropped: make(map[uint64]bool),
		last: make(map[goroutine]*machine.Inst)}
	k, text := l.copied.copies, l.copied.image.File.Section(".text")
	s.code = [][2]uint64{{text.Addr, text.Addr + text.Size}, {k.Base, k.Base + uint64(len(k.Code))}}
	out := make(map[*machine.Inst]bool)
	for _, fn := range l.copied.all {
		for _, b := range fn.machine.Blocks {
			if b.Skips { // the copy knows the outcome of the test
				out[b.Succs[0].Last()] = true
			}
			if growsStack(b) || slices.ContainsFunc(b.Insts, l.copied.arch().IsExclusive) {
				for _, i := range b.Insts {
					out[i] = true
				}
			}
		}
	}
	for _, o := range k.Origins {
		i := l.insts[uint64(o.At&rtcopies.AddressMask)]
		if o.At>>rtcopies.KindShift != rtcopies.Instruction || i == nil || out[i] || mix(i.PC)%max(l.parts, 1) != 0 {
			continue
		}
		s.points[i.PC] = i
		if inCopy {
			s.points[k.Base+uint64(o.Copy)] = i
		}
	}
	if inCopy { // there are jumps over the beginnings of the originals
		size := l.copied.leader.size()
		for _, fn := range l.copied.all {
			if f := fn.machine; k.Entries[f.Lo] != 0 && l.copied.leader.may(f) {
				for a := f.Lo; a < f.Lo+size; a++ {
					delete(s.points, a)
				}
			}
		}
	}
	return s
}

// noteDistances notes which registers are distances from the stack pointer. Code compares an address with the size of the frame
// so, to find out whether what a slice has is there.
func (l *lockstep) noteDistances(b *machine.Block) {
	var are uint16
	for _, i := range b.Insts {
		if are != 0 {
			l.distances[i] = are
		}
		to, ok := i.Args[0].(x86asm.Reg)
		n := machine.Register(to) - 1
		switch {
		case !ok || n < 0 || i.Op == x86asm.CMP || i.Op == x86asm.TEST:
		case i.Op == x86asm.SUB && i.Args[1] == x86asm.RSP:
			are |= 1 << n
		default:
			are &^= 1 << n
		}
	}
}

// growsStack reports whether a block tests whether the stack is large enough, or has it grow. Stacks grow more often in copies:
// nobody knows how large their frames are.
func growsStack(b *machine.Block) bool {
	grows := func(b *machine.Block) bool {
		return slices.ContainsFunc(b.Insts, func(i *machine.Inst) bool { return strings.HasPrefix(i.Callee, "runtime.morestack") })
	}
	return grows(b) || slices.ContainsFunc(b.Succs, grows)
}

// compare compares the steps of all goroutines.
func (l *lockstep) compare() {
	plain, inCopies := l.runs[0].streams(), l.runs[1].streams()
	if len(plain) != len(inCopies) {
		l.wrong = append(l.wrong, fmt.Sprintf("%d goroutines, and %d in copies", len(plain), len(inCopies)))
	}
	for k := range min(len(plain), len(inCopies)) {
		was, is := plain[k], inCopies[k]
		n := 0
		for n < min(len(was), len(is)) && was[n] == is[n] {
			n++
		}
		if l.same += n; n == len(was) && n == len(is) {
			continue
		}
		text := func(list []event) string {
			if n == len(list) {
				return "nothing"
			}
			e := list[n]
			i := l.insts[e.pc]
			return fmt.Sprintf("%s, %#x %s, which reads %#x", l.names[i], e.pc, i.Text(), e.values)
		}
		l.wrong = append(l.wrong, fmt.Sprintf("goroutine %d, step %d: %s; in the copy %s", k, n, text(was), text(is)))
	}
}

// streams returns the events of goroutines, by what they began with and in the order in which they were made.
func (s *steps) streams() (list [][]event) {
	all := slices.SortedFunc(maps.Keys(s.events), func(a, b goroutine) int {
		return cmp.Or(cmp.Compare(a.startpc, b.startpc), cmp.Compare(a.id, b.id))
	})
	for _, g := range all {
		list = append(list, slices.DeleteFunc(s.events[g], func(e event) bool {
			return s.runs[0].dropped[e.pc] || s.runs[1].dropped[e.pc]
		}))
	}
	return list
}

// traceSteps runs the program once.
func (b *bench) traceSteps(l *steps, s copies.Settings, args []string) error {
	traced, counters := filepath.Join(b.work, "copied.test"), filepath.Join(b.work, "counters")
	err := l.copied.write(b.labelled, traced, counters, s)
	if err != nil {
		return err
	}
	if l.layout, l.main, err = readLayout(b.labelled); err != nil {
		return err
	}
	l.fixed = make(map[uint64][]byte)
	code := l.copied.returning()
	for a, name := range l.copied.image.Names {
		switch name {
		case "runtime.preemptone": // sysmon would have goroutines leave their threads, now in this run and then in the other one
			l.fixed[a] = code.no
		case "time.Now": // when certificates of tests are valid, and no deadline is the zero time
			l.fixed[a] = code.now
		case "runtime.buildTypeAssertCache", "runtime.buildInterfaceSwitchCache": // a miss fills the cache now and then, at random
			l.fixed[a] = code.nothing // with the cache that there is
		}
	}
	return b.underTracer(traced, args, tracer.Handlers{
		Begin: func(p *tracer.Program) error {
			for a, code := range l.fixed {
				if err := p.Write(a, code); err != nil {
					return err
				}
			}
			return p.Arm([]uint64{l.main})
		},
		Break: l.stop,
	}, "GOMAXPROCS=1", "GOGC=off", "GODEBUG=asyncpreemptoff=1,randautoseed=0")
}

// goroutines is in how many each instruction is looked at, about.
const goroutines = 8

// A noter notes threads without a stop of the whole machine for each.
type noter interface {
	Note(list []uint64, vectors []uint32, most int) error
}

// stop looks at an instruction that is about to be executed.
func (l *steps) stop(p *tracer.Program, t *tracer.Thread) (none tracer.Signal, err error) {
	if t.PC == l.main {
		var list []uint64
		var vectors []uint32
		for a, i := range l.points {
			list, vectors = append(list, a), append(vectors, l.copied.arch().Vectors(i))
		}
		if n, ok := p.Control.(noter); ok {
			return none, n.Note(list, vectors, goroutines*l.times+2) // one more than what is looked at is enough to drop it
		}
		for _, a := range list {
			p.Keep(a)
		}
		return none, p.Arm(list)
	}
	i := l.points[t.PC]
	if l.dropped[i.PC] {
		return none, nil
	}
	g, stack, err := l.goroutine(p, t)
	if err != nil {
		return none, err
	}
	again := l.inCopy && l.last[g] == i && t.PC == i.PC // the copy has left it to the original: it faults
	l.last[g] = nil
	if t.PC != i.PC {
		l.last[g] = i
	}
	if again {
		return none, nil
	}
	if l.total[i]++; l.total[i] > goroutines*l.times {
		l.dropped[i.PC] = true
		p.Drop(t.PC)
		return none, nil
	}
	if l.looked[visit{g, i}]++; l.looked[visit{g, i}] > l.times {
		return none, nil
	}
	e, err := l.event(p, i, t, stack)
	l.events[g] = append(l.events[g], e)
	return none, err
}

// goroutine returns the one that a thread runs, and where its stack ends.
func (l *steps) goroutine(p *tracer.Program, t *tracer.Thread) (g goroutine, stack [2]uint64, err error) {
	at, err := l.copied.goroutine(p, t)
	if err != nil {
		return g, stack, err
	}
	var data [1 << 9]byte
	err = p.Read(at, data[:])
	word := func(at int64) uint64 { return binary.LittleEndian.Uint64(data[at:]) }
	return goroutine{word(l.layout.startpc), word(l.layout.goid)}, [2]uint64{word(0), word(8)}, err
}

// event returns what an instruction reads.
func (l *steps) event(p *tracer.Program, i *machine.Inst, t *tracer.Thread, stack [2]uint64) (e event, err error) {
	e.pc = i.PC
	n := 0
	note := func(v uint64) {
		v = l.likened(v, stack)
		if n < len(e.values) {
			e.values[n] = v
		}
		n++
		e.hash = (e.hash ^ v) * 0x9e3779b97f4a7c15
		e.hash ^= e.hash >> 29
	}
	for _, r := range l.copied.arch().Of(i) {
		if l.distances[i]>>r.Register&1 != 0 && !r.Vector {
			continue
		}
		if r.Vector {
			low, high, err := p.Vector(t, r.Register)
			if err != nil {
				return e, err
			}
			note(low & r.Mask)
			if r.Wide {
				note(high)
			}
			continue
		}
		note(t.General[r.Register] & r.Mask)
	}
	if mask := l.copied.arch().Flags(i); mask != 0 {
		note(t.Flags & mask)
	}
	return e, nil
}

// likened returns what a value is held against that the other run has: addresses differ from run to run. Stack has where that
// begins and ends. Another object may begin where it ends.
func (l *steps) likened(v uint64, stack [2]uint64) uint64 {
	const low, high = 1 << 32, 1 << 47
	switch {
	case l.isCode(v):
		return 1 // one is in one run, and another in the other
	case stack[0] <= v && v < stack[1]:
		return v - stack[1]
	case low <= v && v < high:
		return low | v&7
	case low <= -v && -v < high: // how far an address is from the end of all memory
		return ^uint64(0)&^7 | v&7
	}
	return v
}

// isCode reports whether a value may be an address of code, or of a table of such.
func (l *steps) isCode(v uint64) bool {
	return l.tables[v] && v != 0 || slices.ContainsFunc(l.code, func(r [2]uint64) bool { return r[0] <= v && v < r[1] })
}

// functions returns how many functions were executed whose copies were looked at.
func (l *lockstep) functions() (n int) {
	for _, fn := range l.copied.all {
		if slices.ContainsFunc(fn.machine.Insts, func(i *machine.Inst) bool { return l.runs[1].total[i] > 0 }) {
			n++
		}
	}
	return n
}

func (l *lockstep) String() string {
	return fmt.Sprintf("%d instructions were looked at, of %d, in %d functions; %d times all is the same", len(l.runs[1].total),
		len(l.runs[0].points), l.functions(), l.same)
}

// underTracer runs a program of the package under a tracer.
func (b *bench) underTracer(name string, args []string, h tracer.Handlers, env ...string) error {
	if m, ok := b.machine.(*board); ok {
		return m.trace(name, args, &h, env...)
	}
	cmd := b.pkg.command(name, args, env...)
	output := filepath.Join(b.work, "output")
	out, err := os.Create(output)
	if err != nil {
		return err
	}
	defer out.Close()
	cmd.Stdout, cmd.Stderr = out, out
	if err := tracer.Run(cmd, h); err != nil {
		text, _ := os.ReadFile(output)
		return fmt.Errorf("%w\n%s", err, text[:min(len(text), 6000)]) // what it ended of is first
	}
	return nil
}
