package rundata

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/goprofinstr/goprofinstr/rt/audit"
	"github.com/goprofinstr/goprofinstr/rt/runfile"
)

// A Follower reads the audits of a run file while its process writes them.
type Follower struct {
	Pid    int
	Audits []*Audit // found so far, in the order in which their packages were initialised

	f   *os.File
	off uint64 // of the next record; 0 before the header was read
}

// An Audit is what a process records of an audited function. Arrays are indexed by version.
type Audit struct {
	Function string // or a timing point in one
	Versions []string
	Loop     bool   // it is a timing point: there are laps, and Calls are activations that came by
	Of       string // the function of a timing point

	Least      float64 // least time that the clock tells, in ns
	Nanosecond float64 // how many ticks are one
	Nested     uint64  // calls inside of others, which are not timed
	Calls      []uint64
	Returned   []uint64
	Panicked   []uint64 // or ended by runtime.Goexit
	Lost       uint64   // timings that were overwritten before they were read

	f             *os.File
	off           uint64 // of the record
	region, slots uint64
	next          uint64 // timing to be read
}

// Follow opens a run file. Poll finds what is in it.
func Follow(name string) (*Follower, error) {
	f, _, err := openAs(name, os.O_RDWR)
	if errors.Is(err, os.ErrPermission) { // of a run that is over, or of another user's
		f, _, err = Open(name)
	}
	if err != nil {
		return nil, err
	}
	return &Follower{f: f}, nil
}

// Close closes the file.
func (f *Follower) Close() error { return f.f.Close() }

// Ended reports whether the process is known to have ended. Its pid may be another process's then.
func (f *Follower) Ended() bool {
	alive, known := Locked(f.f)
	return known && !alive
}

// Poll looks for audits that have been registered since, and reads the counts of all.
func (f *Follower) Poll() error {
	info, err := f.f.Stat()
	if err != nil {
		return err
	}
	d := &decoder{r: f.f, size: uint64(info.Size())}
	if err := d.header(); err != nil {
		if errors.Is(err, ErrEmpty) || d.size < runfile.MinPage {
			return nil // its process is just starting
		}
		return fmt.Errorf("%s: %w", f.f.Name(), err)
	}
	if f.off == 0 {
		f.off, f.Pid = d.page, d.run.Pid
	}
	if err := f.scan(d); err != nil {
		return fmt.Errorf("%s: %w", f.f.Name(), err)
	}
	for _, a := range f.Audits {
		if err := a.refresh(); err != nil {
			return fmt.Errorf("%s: %w", f.f.Name(), err)
		}
	}
	return nil
}

// scan reads the heads of new records, up to one that is not finished.
func (f *Follower) scan(d *decoder) error {
	for d.size-min(f.off, d.size) >= d.page {
		var head runfile.Head
		if err := d.fill(f.off, &head); err != nil {
			return err
		}
		size := head.Size
		if head.Magic != runfile.RecordMagic || size == 0 || size%d.page != 0 || size > d.size-f.off {
			return nil
		}
		if head.Kind == runfile.KindAudit {
			a, err := d.audit(f.off)
			if err != nil {
				return err
			}
			a.f = f.f
			f.Audits = append(f.Audits, a)
		}
		f.off += size
	}
	return nil
}

// mostSlots is more timings than a ring has; a file may be of any size, and empty.
const mostSlots = 1 << 24

// audit reads the head of an audit record.
func (d *decoder) audit(off uint64) (*Audit, error) {
	var r runfile.AuditRecord
	if err := d.fill(off, &r); err != nil {
		return nil, err
	}
	a := &Audit{off: off, region: r.Region, slots: r.Slots}
	size := uint64(binary.Size(r))
	switch {
	case r.Versions < 2 || r.Versions > audit.MostVersions:
		return nil, d.errorf(off, "%d versions of a function", r.Versions)
	case a.region < runfile.MinPage || r.NamesLen > a.region-size:
		return nil, d.errorf(off, "names of %d bytes before a region at %d", r.NamesLen, a.region)
	case a.slots == 0 || a.slots > mostSlots || a.slots > r.RegionSize/8 || a.region > r.Size || r.RegionSize > r.Size-a.region:
		return nil, d.errorf(off, "%d timings in a region of %d bytes", a.slots, r.RegionSize)
	}
	text, err := d.hold(off+size, r.NamesLen)
	if err != nil {
		return nil, err
	}
	names := strings.Split(strings.TrimSuffix(string(text), "\x00"), "\x00")
	if uint64(len(names)) != r.Versions+1 {
		return nil, d.errorf(off, "%d names of %d versions", len(names)-1, r.Versions)
	}
	a.Function, a.Versions = names[0], names[1:]
	return a, nil
}

// refresh reads the counts.
func (a *Audit) refresh() error {
	r, err := a.record()
	if err != nil {
		return err
	}
	n := len(a.Versions)
	a.Calls, a.Returned, a.Panicked = r.Begun[:n], r.Returned[:n], r.Panicked[:n]
	a.Nested, a.Loop = r.Nested, r.Passes != 0
	if a.Loop {
		a.Of, _, _ = strings.Cut(a.Function, audit.LoopMark)
	}
	a.Nanosecond = 1
	if nanos := r.Nanos1 - r.Nanos0; nanos > 0 {
		a.Nanosecond = float64(r.Ticks1-r.Ticks0) / float64(nanos)
	}
	a.Least = float64(r.Least) / a.Nanosecond
	return nil
}

// Drain calls each for the timings, in ticks, that have been recorded since the last time, in their order. It stops at one that
// is just being written. In a process that has ended nothing is.
func (a *Audit) Drain(ended bool, each func(version int, ticks uint64)) error {
	return a.drain(ended, func(version int, slot uint64) { each(version, slot&(1<<52-1)) })
}

// A Lap is a timing of passes through a loop.
type Lap struct {
	Ticks, Passes uint64
	First         bool // of its activation
}

// DrainLaps is Drain for a timing point.
func (a *Audit) DrainLaps(ended bool, each func(version int, l Lap)) error {
	return a.drain(ended, func(version int, slot uint64) {
		each(version, Lap{Ticks: slot & (1<<46 - 1), Passes: 1 << (slot >> 46 & 31), First: slot>>51&1 != 0})
	})
}

func (a *Audit) drain(ended bool, each func(version int, slot uint64)) error {
	r, err := a.record()
	if err != nil {
		return err
	}
	end := r.Taken
	if end > a.next+a.slots { // these are gone
		a.Lost += end - a.slots - a.next
		a.next = end - a.slots
	}
	for a.next < end {
		first := a.next % a.slots
		n := min(end-a.next, a.slots-first)
		slots, err := a.words(a.region/8+first, n)
		if err != nil {
			return err
		}
		for _, slot := range slots {
			lap, version := byte(slot>>56), int(slot>>52&15)
			switch want := byte(a.next/a.slots + 1); {
			case lap == want && version < len(a.Versions):
				each(version, slot)
			case !ended && (lap == want-1 || slot == 0):
				return nil
			default:
				a.Lost++ // overwritten meanwhile
			}
			a.next++
		}
	}
	return nil
}

// Settle has the process call one version from now on, and time none.
func (a *Audit) Settle(version int) error {
	word := binary.LittleEndian.AppendUint64(nil, uint64(version)+1)
	_, err := a.f.WriteAt(word, int64(a.off+uint64(runfile.SettledAt)))
	return err
}

// record reads what stands before the names.
func (a *Audit) record() (*runfile.AuditRecord, error) {
	r := new(runfile.AuditRecord)
	return r, a.fill(0, r)
}

// words reads words of the record.
func (a *Audit) words(first, n uint64) ([]uint64, error) {
	words := make([]uint64, n)
	return words, a.fill(first*8, words)
}

// fill reads numbers at a place of the record. What is behind the end of the file is 0.
func (a *Audit) fill(at uint64, numbers any) error {
	b := make([]byte, binary.Size(numbers))
	if _, err := a.f.ReadAt(b, int64(a.off+at)); err != nil && err != io.EOF {
		return err
	}
	_, err := binary.Decode(b, binary.LittleEndian, numbers)
	return err
}
