package main

import (
	"encoding/binary"
	"fmt"
	"io"
	"maps"

	"github.com/goprofinstr/goprofinstr/rewrite/machine"
	"github.com/goprofinstr/goprofinstr/rewrite/pathmap"
)

// A function is one whose copy runs.
type function struct {
	machine *machine.Function
	targets []*pathmap.Target
	looks   map[*machine.Inst][]look
	stacks  bool // it is runtime.copystack
	walkers []*pathmap.Walker

	followers []*follower // if plans are followed, too

	entries int64
	reached []int64 // by machine block: how often a call at its end was
	back    []int64 // and how often control came back from it
	lost    bool    // control was where no edge leads

	returns map[*machine.Block]*machine.Block // by block that control comes back to from a call: the block of that
}

// A look is the value of a register, by its number in instructions, or whether a condition holds.
type look struct {
	reg, condition int
	site           site
}

// An activation is one of a function.
type activation struct {
	fn    *function
	at    []pathmap.Position
	plans []progress
	lost  bool // control is where no edge leads: behind a panic that was recovered
	fresh bool // nothing has been recorded since it was entered
}

// A decoder turns the log into counts of paths.
type decoder struct {
	sites  []site
	active map[uint32]*activation

	records, entries, orphans int64
	wrong                     map[string]int64
}

// decode reads the log to its end.
func (d *decoder) decode(log io.Reader) error {
	d.active, d.wrong = make(map[uint32]*activation), make(map[string]int64)
	var buf [24]byte
	for {
		if _, err := io.ReadFull(log, buf[:8]); err != nil {
			return err // the file is longer than what is written
		}
		k, frame := binary.LittleEndian.Uint32(buf[:]), binary.LittleEndian.Uint32(buf[4:])
		if k == 0 {
			return nil
		}
		if int(k) >= len(d.sites) {
			return fmt.Errorf("site %d of %d, in record %d", k, len(d.sites), d.records)
		}
		d.records++
		s := &d.sites[k]
		more := (s.kind.following() + 1) / 2 * 8
		if _, err := io.ReadFull(log, buf[8:8+more]); err != nil {
			return err
		}
		switch {
		case s.kind == copyStack:
			word := binary.LittleEndian.Uint32
			moveFrames(d.active, word(buf[8:]), word(buf[12:]), word(buf[16:]))
		case !s.fn.stacks:
			d.record(s, frame, binary.LittleEndian.Uint64(buf[8:]))
		}
	}
}

// record takes a record of a frame; value is the one that a look has.
func (d *decoder) record(s *site, frame uint32, value uint64) {
	a := d.active[frame]
	if s.kind == entered {
		d.enter(s.fn, frame)
		return
	}
	if a == nil || a.fn != s.fn {
		d.orphans++
		return
	}
	a.fresh = false
	if a.lost {
		return
	}
	if s.kind == cameBack {
		a.fn.back[s.block]++
		return
	}
	if s.kind == branched && a.fn.machine.Blocks[s.block].Calls() {
		a.fn.reached[s.block]++
	} else if s.kind == branched && a.fn.machine.Blocks[s.block].Passes(s.edge) {
		a.fn.back[s.block]++
	}
	if !a.walk(s, value) {
		a.lost, a.fn.lost = true, true
		d.wrong[fmt.Sprintf("%s: %d in block %d edge %d", s.fn.machine.Name, s.kind, s.block, s.edge)]++
	} else {
		a.follow(s, value)
	}
	switch s.kind {
	case returned:
		delete(d.active, frame)
	case panicked:
		a.lost = true // it may return yet, if it recovers
	}
}

// enter begins an activation.
func (d *decoder) enter(fn *function, frame uint32) {
	a := d.active[frame]
	d.entries++
	if a == nil || a.fn != fn || !a.fresh { // a stack that grows has the function entered once more
		fn.entries++
	}
	if a == nil {
		a = new(activation)
		d.active[frame] = a
	}
	a.fn, a.lost, a.fresh, a.at = fn, false, true, a.at[:0]
	for _, w := range fn.walkers {
		a.at = append(a.at, w.Begin())
	}
	a.plans = a.plans[:0]
	for _, f := range fn.followers {
		a.plans = append(a.plans, f.begin())
	}
}

// walk has the walkers of the function take a record, and reports whether it can follow what they know.
func (a *activation) walk(s *site, value uint64) bool {
	for k, w := range a.fn.walkers {
		ok := true
		switch s.kind {
		case branched:
			ok = w.Branch(&a.at[k], s.block, s.edge)
		case returned, panicked:
			ok = w.End(&a.at[k], s.block)
		case looked:
			w.Look(&a.at[k], s.inst, value)
		}
		if !ok {
			return false
		}
	}
	return true
}

// follow has the followers of plans take a record.
func (a *activation) follow(s *site, value uint64) {
	for k, f := range a.fn.followers {
		switch s.kind {
		case branched:
			f.branch(&a.plans[k], s.block, s.edge)
		case returned, panicked:
			f.branch(&a.plans[k], s.block, -1)
		case looked:
			f.look(&a.plans[k], s.inst, value)
		}
	}
}

// moveFrames has what is known of frames go with a stack that was copied.
func moveFrames[T any](known map[uint32]T, to, from, size uint32) {
	moved := make(map[uint32]T)
	for f, of := range known {
		if f-from < size {
			moved[f-from+to] = of
			delete(known, f)
		}
	}
	maps.Copy(known, moved)
}
