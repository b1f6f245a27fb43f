package main

import (
	"encoding/binary"
	"fmt"

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
	lost  bool // control is where no edge leads: behind a panic that was recovered
	sides []uint32
}

// A decoder turns the log into counts of paths.
type decoder struct {
	sites  []site
	active map[uint32]*activation
	free   []*activation

	records, entries, orphans int64
	wrong                     map[string]int64
}

// decode reads the log to its end.
func (d *decoder) decode(log []byte) error {
	d.active, d.wrong = make(map[uint32]*activation), make(map[string]int64)
	for o := 0; o+8 <= len(log); o += 8 {
		k, frame := binary.LittleEndian.Uint32(log[o:]), binary.LittleEndian.Uint32(log[o+4:])
		if k == 0 {
			return nil
		}
		if int(k) >= len(d.sites) {
			return fmt.Errorf("site %d of %d at byte %d", k, len(d.sites), o)
		}
		d.records++
		s := &d.sites[k]
		if s.kind == copyStack {
			d.moveStack(binary.LittleEndian.Uint32(log[o+8:]), binary.LittleEndian.Uint32(log[o+12:]), binary.LittleEndian.Uint32(log[o+16:]))
			o += 16
			continue
		}
		var value uint32
		if s.kind == looked {
			value = binary.LittleEndian.Uint32(log[o+8:])
			o += 8
		}
		if s.fn.stacks {
			continue
		}
		d.record(s, frame, value)
	}
	return nil
}

func (d *decoder) record(s *site, frame, value uint32) {
	a := d.active[frame]
	if s.kind == entered {
		d.entries++
		if a == nil {
			a = new(activation)
			d.active[frame] = a
		}
		a.fn, a.lost, a.at = s.fn, false, a.at[:0]
		for _, w := range s.fn.walkers {
			a.at = append(a.at, w.Begin())
		}
		return
	}
	if a == nil || a.fn != s.fn {
		d.orphans++
		return
	}
	if a.lost {
		return
	}
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
			a.lost = true
			d.wrong[fmt.Sprintf("%s: %d in block %d edge %d", s.fn.machine.Name, s.kind, s.block, s.edge)]++
			break
		}
	}
	switch s.kind {
	case returned:
		delete(d.active, frame)
	case panicked:
		a.lost = true // it may return yet, if it recovers
	}
}

// moveStack has the frames of a stack that was copied go with it.
func (d *decoder) moveStack(to, from, size uint32) {
	moved := make(map[uint32]*activation)
	for f, a := range d.active {
		if f-from < size {
			moved[f-from+to] = a
			delete(d.active, f)
		}
	}
	for f, a := range moved {
		d.active[f] = a
	}
}
