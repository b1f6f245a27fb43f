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
	for {
		var e runfile.NameEntry
		n, err := binary.Decode(b, binary.LittleEndian, &e)
		if err != nil {
			break // there is no room for another one
		}
		text := b[n:]
		length, flags := e.Length&(1<<32-1), e.Length>>32
		size := (length + 7) &^ 7
		if size > uint64(len(text)) || e.Length == 0 && e.Value == 0 {
			break // it is not known where the next one is
		}
		if e.Value != 0 {
			d.run.Names[e.Value] = Name{string(text[:length]), flags&event.ByValue != 0}
		}
		b = text[size:]
	}
	return nil
}
