package rundata

import (
	"encoding/binary"

	"github.com/goprofinstr/goprofinstr/rt/runfile"
	"github.com/goprofinstr/goprofinstr/rt/strata"
)

// A Stream is how a run sampled events in strata. Counters and Hashes that were sampled hold messages, of which Sums tells
// what they stand for.
type Stream struct {
	Spec string // as the user gave it
	Rate uint64 // events that a message stands for; 0 if events are fed to compressors, whose messages tell
	Bits uint64 // there are 2^Bits strata

	// Held is how many events are in compressors, if HeldKnown: then they and all messages add up to what there were.
	Held      int64
	HeldKnown bool

	// Begun says of each stratum in how many threads it has had an event; the first event of each is a message. Since says how
	// many events it has had in all threads since its last messages.
	Begun, Since []uint64
}

// Events returns how many events a stratum has had, of which there are so many messages. The first message in each thread stands
// for itself, and others for Rate.
func (s *Stream) Events(stratum, messages uint64) uint64 {
	begun := min(s.Begun[stratum], messages) // one that is being counted may be in one of the numbers only
	return begun + (messages-begun)*s.Rate + s.Since[stratum]
}

// A strataAt is where the strata of a run are.
type strataAt struct {
	address uint64 // of stratum 0 in the process
	off     uint64 // in the file
}

// mostStrataBits bounds what a lying header can ask for.
const mostStrataBits = 16

func (d *decoder) streamRecord(off uint64) error {
	var r runfile.StreamRecord
	if err := d.fill(off, &r); err != nil {
		return err
	}
	head, region, size, bits, length := uint64(binary.Size(r)), r.Region, r.RegionSize, r.Bits, r.SpecLen
	if d.run.Stream != nil || bits > mostStrataBits || r.Rate > strata.MostRate || region < head+8 || length > region-head-8 {
		return d.errorf(off, "a stream with rate %d, 2^%d strata, and a specification of %d bytes before a region at %d",
			r.Rate, bits, length, region)
	}
	spec, err := d.hold(off+head, length)
	if err != nil {
		return err
	}
	address, err := d.words(off+region-8, 1)
	if err != nil {
		return err
	}
	first := r.Address - address[0]
	if r.Address < address[0] || first > size || 4<<bits > size-first {
		return d.errorf(off, "2^%d strata at %d in a region of %d bytes", bits, first, size)
	}
	d.run.Stream = &Stream{
		Spec: string(spec), Rate: r.Rate, Bits: bits, Held: int64(r.Held), HeldKnown: r.HeldKnown != 0,
		Begun: make([]uint64, 1<<bits), Since: make([]uint64, 1<<bits),
	}
	d.strata = strataAt{r.Address, off + region + first}
	return nil
}

// readStrata reads the strata of all threads.
func (d *decoder) readStrata() error {
	s := d.run.Stream
	if s == nil || s.Rate == 0 {
		return nil
	}
	if err := d.addStrata(d.strata.off); err != nil {
		return err
	}
	for _, b := range d.shards {
		at := d.strata.address - b.address
		if d.strata.address < b.address || at > b.size || 4<<s.Bits > b.size-at {
			continue
		}
		if err := d.addStrata(b.off + at); err != nil {
			return err
		}
	}
	return nil
}

func (d *decoder) addStrata(off uint64) error {
	s := d.run.Stream
	b, err := d.bytes(off, 4<<s.Bits)
	if err != nil {
		return err
	}
	for i := range s.Begun {
		left := uint64(binary.LittleEndian.Uint32(b[i*4:]))
		if left >= 1<<31 {
			// A probe as it once was wrote this, and the process was in the middle of it. The first event of the stratum is no
			// message yet.
			continue
		}
		if left > s.Rate {
			return d.errorf(off, "%d events up to the next message of stratum %d, of %d", left, i, s.Rate)
		}
		if left > 0 {
			s.Begun[i]++
			s.Since[i] += s.Rate - left
		}
	}
	return nil
}
