//go:build linux && amd64

package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/goprofinstr/goprofinstr/export/profiledir"
	"github.com/goprofinstr/goprofinstr/integration/internal/tracer"
	"github.com/goprofinstr/goprofinstr/rewrite/copies"
	"github.com/goprofinstr/goprofinstr/rt"
	rtcopies "github.com/goprofinstr/goprofinstr/rt/copies"
)

// Signals at each instruction of the copies of functions that begin cold: they run there outside of bursts, too.

// ledBytes are the addresses of originals over which a jump to a copy is written.
func (c *copiedProgram) ledBytes() map[uint64]bool {
	led := make(map[uint64]bool)
	for _, f := range c.copies.Cold {
		for a := range c.leadSize() {
			led[uint64(f.At)+a] = true
		}
	}
	return led
}

// coldSignals does all that runs do with functions that begin cold.
func (b *bench) coldSignals(c *copiedProgram, args []string) error {
	all := newCoverage(c)
	var differ error
	for run := range b.runs {
		for _, bound := range []uint64{noBound, b.bound} {
			r, s, err := b.coldStorm(c, run, bound, args)
			if err != nil {
				return fmt.Errorf("run %d, up to %d records: %w", run, bound, err)
			}
			all.add(s)
			fmt.Printf("run %d, up to %d records: %v\n%v\n%+v\n", run, bound, s, r, c.stats)
			for _, d := range r.differ {
				fmt.Println(" ", d)
				differ = errors.New("counts differ")
			}
		}
		s, err := b.coldFaults(c, run, args)
		if err != nil {
			return fmt.Errorf("run %d, faults: %w", run, err)
		}
		all.add(s)
		fmt.Printf("run %d, faults: %v\n%+v\n", run, s, c.stats)
		for _, counted := range []bool{false, true} {
			if s, err = b.coldEntries(c, run, counted, args); err != nil {
				return fmt.Errorf("run %d, counters: %w", run, err)
			}
			all.add(s)
			fmt.Printf("run %d, counters: %v, %v\n%+v\n", run, s, s.ofCounters(), c.stats)
		}
	}
	fmt.Println(all)
	if len(all.places) == 0 {
		return errors.New("no instruction was interrupted")
	}
	return differ
}

// noBound has no function fall.
const noBound = 1 << 40

// coldSettings have bursts begin at signals of a storm only.
func (b *bench) coldSettings() copies.Settings {
	const never, short = 1 << 50, 300_000 // ns
	return copies.Settings{Mode: rtcopies.Cold, Interval: never, Length: short}
}

// coldStorm compares all counts of functions that have not fallen with exact mode's. Functions fall that have more records than
// bound from tick to tick, and there are ticks all the time.
func (b *bench) coldStorm(c *copiedProgram, run int, bound uint64, args []string) (r comparison, s *storm, err error) {
	s = newStorm(c, run, profiled, preempted, moved, left, ticked)
	c.bound = bound
	r, err = b.compareUnder(s, b.coldSettings(), c, args)
	return r, s, err
}

// coldFaults has instructions fault, too, with a profile and a collector at work. The tests have to pass. Some records are lost: an
// injected fault does not come again in the original, which goes on there. A burst may then enter the copy behind edges of the
// path that were not noted. A fault of the program's own comes again, and the activation never gets back to its path.
func (b *bench) coldFaults(c *copiedProgram, run int, args []string) (*storm, error) {
	s := newStorm(c, run, profiled, preempted, moved, left, faulted, ticked)
	c.bound = noBound
	_, err := b.underStorm(s, b.coldSettings(), b.profile(args), "GOMAXPROCS=2", "GOGC=10")
	return s, err
}

// A counter is that of entries of a function which has fallen.
type counter struct {
	function uint64 // address of the original
	word     uint64 // address of what it adds to
	entered  uint64 // how often it was come to
	counted  uint64 // what the word was in the end
}

// counters returns those of a program, by the addresses of their first instructions behind what adds to the word. A window that
// begins before has the thread go on in the copy, and the entry is not counted.
func (c *copiedProgram) counters() map[uint64]*counter {
	k := c.copies
	list := make(map[uint64]*counter)
	for i, f := range k.Cold {
		if f.Counter == 0 {
			continue
		}
		n, _ := slices.BinarySearchFunc(k.Origins, f.Counter, func(o rtcopies.Origin, counter uint32) int {
			return cmp.Compare(o.Copy, counter)
		})
		for k.Origins[n].At>>rtcopies.KindShift != rtcopies.Instruction {
			n++
		}
		list[k.Base+uint64(k.Origins[n].Copy)] = &counter{function: uint64(f.At), word: k.Counts + 8*uint64(i)}
	}
	return list
}

// coldEntries has functions fall that are entered by counters then, and windows begin at each instruction of copies and of these.
// If entries are noted they are so behind what counts them, where nothing else happens. Each counter has to be what was noted.
func (b *bench) coldEntries(c *copiedProgram, run int, counted bool, args []string) (*storm, error) {
	s := newStorm(c, run, profiled, preempted, moved, sampled)
	c.bound = fewRecords
	if counted {
		s.entries = c.counters()
		for a := range s.entries {
			delete(s.places, a)
		}
		var ok bool
		if s.exit, ok = c.image.Address("os.runtime_beforeExit"); !ok {
			return nil, errors.New("package os is not as expected")
		}
	}
	data := filepath.Join(b.work, "windows.out")
	if err := errors.Join(os.RemoveAll(data), os.MkdirAll(data, 0o777)); err != nil {
		return nil, err
	}
	_, err := b.underStorm(s, copies.Settings{Mode: rtcopies.Sampled}, args, profiledir.Var+"="+data, "GOMAXPROCS=1", "GOGC=off")
	if err != nil {
		return nil, err
	}
	for _, e := range s.entries {
		if e.entered != e.counted {
			err = fmt.Errorf("%s was entered %d times, and its counter is %d", c.image.Names[e.function], e.entered, e.counted)
		}
	}
	return s, err
}

// hideTracer has the program not know that it is traced: otherwise no function of programs that sample is cold.
func (s *storm) hideTracer(p *tracer.Program) error {
	at, ok := s.copied.image.Address(rt.ImportPath + "/copies.traced")
	if !ok {
		return errors.New("package copies is not as expected")
	}
	return p.Write(at, s.copied.returning().no)
}

// fewRecords has most functions fall.
const fewRecords = 100

// readCounters reads what counters are.
func (s *storm) readCounters(p *tracer.Program) (err error) {
	for _, e := range s.entries {
		if e.counted, err = p.Word(e.word); err != nil {
			return err
		}
	}
	return nil
}

// ofCounters says how many instructions of counters were interrupted, and how often those were entered that were noted.
func (s *storm) ofCounters() string {
	insts, in, entered := 0, 0, uint64(0)
	k := s.copied.copies
	for _, f := range k.Cold {
		for a := k.Base + uint64(f.Counter); f.Counter != 0 && a < k.Base+uint64(f.Copy+f.Size); a++ {
			if s.seen[a] {
				insts++
			}
		}
	}
	for _, e := range s.entries {
		if entered += e.entered; e.entered > 0 {
			in++
		}
	}
	return fmt.Sprintf("%d instructions of counters; %d entered %d times", insts, in, entered)
}

// afterInit returns the address of what package runtime calls when all packages have begun, and before main. Main's page may be
// one of those that are mapped anew, where a breakpoint is lost.
func (c *copiedProgram) afterInit() (uint64, error) {
	for a, name := range c.image.Names {
		if name == "runtime.unlockOSThread" {
			return a, nil
		}
	}
	return 0, errors.New("package runtime is not as expected")
}
