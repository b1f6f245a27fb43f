package rundata

import (
	"encoding/binary"

	"github.com/goprofinstr/goprofinstr/rt/event"
	"github.com/goprofinstr/goprofinstr/rt/runfile"
)

// A Name is what a value of an event is called.
type Name struct {
	Text    string // the linker's name of a function, or the beginning of a string
	ByValue bool   // of a method: it is called with a receiver that is no pointer, maybe by a wrapper that has this name
}

// namesRecord reads the names in a record. One that is half-made is left out.
func (d *decoder) namesRecord(off uint64) error {
	var r runfile.NamesRecord
	if err := d.fill(off, &r); err != nil {
		return err
	}
	if r.Region < uint64(binary.Size(r)) || r.Used < r.Region {
		return d.errorf(off, "names at %d, which end at %d", r.Region, r.Used)
	}
	b, err := d.hold(off+r.Region, r.RegionSize)
	if err != nil {
		return err
	}
	b = b[:min(uint64(len(b)), r.Used-r.Region)]
	if d.run.Names == nil {
		d.run.Names = make(map[uint64]Name)
	}
	for len(b) >= 16 {
		value, length := binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:])
		flags := length >> 32
		length &= 1<<32 - 1
		size := 16 + (length+7)&^7
		if size > uint64(len(b)) || length == 0 && value == 0 {
			break // it is not known where the next one is
		}
		if value != 0 {
			d.run.Names[value] = Name{string(b[16 : 16+length]), flags&event.ByValue != 0}
		}
		b = b[size:]
	}
	return nil
}
