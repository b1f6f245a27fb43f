//go:build linux && amd64

package main

import (
	"errors"
	"fmt"

	"github.com/goprofinstr/goprofinstr/rewrite/copies"
	rtcopies "github.com/goprofinstr/goprofinstr/rt/copies"
)

// Signals at each instruction of the copies of functions that begin cold: they run there outside of bursts, too.

// ledBytes are the addresses of originals over which a jump to a copy is written.
func ledBytes(k *copies.Copied) map[uint64]bool {
	led := make(map[uint64]bool)
	for _, f := range k.Cold {
		for a := range uint64(rtcopies.LeadSizeAMD64) {
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

// coldFaults has instructions fault, too, with a profile and a collector at work. The tests have to pass.
func (b *bench) coldFaults(c *copiedProgram, run int, args []string) (*storm, error) {
	s := newStorm(c, run, profiled, preempted, moved, left, faulted, ticked)
	c.bound = noBound
	_, err := b.underStorm(s, b.coldSettings(), b.profile(args), "GOMAXPROCS=2", "GOGC=10")
	return s, err
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
