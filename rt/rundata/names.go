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
func (d *decoder) namesRecord(off uint64) error { return d.addNames(&namesAt{off: off}) }

// A namesAt is a record with names.
type namesAt struct {
	off  uint64 // of the record
	read uint64 // bytes of its region that have names which are known
}

// addNames reads the names in a record that are not known yet. One that is half-made is left out.
func (d *decoder) addNames(at *namesAt) error {
	var r runfile.NamesRecord
	if err := d.fill(at.off, &r); err != nil {
		return err
	}
	if r.Region < uint64(binary.Size(r)) || r.Used < r.Region {
		return d.errorf(at.off, "names at %d, which end at %d", r.Region, r.Used)
	}
	if d.run.Names == nil {
		d.run.Names = make(map[uint64]Name)
	}
	used := min(r.RegionSize, r.Used-r.Region)
	if used <= at.read {
		return nil
	}
	b, err := d.hold(at.off+r.Region+at.read, used-at.read)
	if err != nil {
		return err
	}
	for whole := true; ; {
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
		if whole = whole && e.Value != 0; whole {
			at.read += uint64(n) + size
		}
		if e.Value != 0 {
			d.run.Names[e.Value] = Name{string(text[:length]), flags&event.ByValue != 0}
		}
		b = text[size:]
	}
	return nil
}
