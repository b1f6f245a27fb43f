package replicate

import (
	"unsafe"

	"github.com/goprofinstr/goprofinstr/rt/runfile"
	"github.com/goprofinstr/goprofinstr/rt/sys"
)

// Replicates are in hash tables, of which a full one is followed by another.

const (
	// fewestSlots is how many entries the first tables have, and mostSlots the others. Entries are all over a table, and each page
	// of the file that is touched for the first time costs a fault.
	fewestSlots = 1 << 7
	mostSlots   = 1 << 11
	// small is how many of the tables have fewestSlots.
	small = 2
	// mostReplicates is how many tables there can be.
	mostReplicates = 32
	// replicateProbes is how many entries are looked at in each.
	replicateProbes = 16
)

var replicates struct {
	tables [mostReplicates]uintptr
	n      int
}

// Add adds what some samples of a window stand for, each for a weight. At, path and group are as in runfile.Replicate;
// windows of a level are numbered.
//
//go:norace
func Add(at, path, group, window, samples, weight U) {
	r := Of(at, path, group)
	if r == nil {
		runfile.Lose()
		return
	}
	r.Samples += samples
	r.Sum[window%runfile.Replicates] += samples * weight
}

// Of returns the entry of a path, or nil if there is no room.
//
//go:norace
func Of(at, path, group U) *runfile.Replicate {
	w := &replicates
	hash := sys.Mix(at ^ sys.Mix(path^group<<40))
	for i := 0; ; i++ {
		if i == w.n && (first > 0 || !addTable()) {
			return nil
		}
		if r := inTable(w.tables[i], slotsOf(i), hash, at, path, group); r != nil {
			return r
		}
	}
}

// slotsOf returns how many slots a table has. The file says so, too, and may be taken back by the file system.
//
//go:norace
func slotsOf(table int) U {
	if table < small && first == 0 {
		return fewestSlots
	}
	return mostSlots
}

// inTable returns the entry of a path in a table of some slots, which is made if there is room, or nil.
//
//go:norace
func inTable(table uintptr, slots, hash, at, path, group U) *runfile.Replicate {
	record := (*runfile.ReplicateRecord)(sys.Pointer(table))
	for i := range U(replicateProbes) {
		r := (*runfile.Replicate)(unsafe.Add(unsafe.Pointer(record),
			unsafe.Sizeof(*record)+uintptr((hash+i)%slots)*unsafe.Sizeof(runfile.Replicate{})))
		switch {
		case r.At == at && r.Path == path && r.Group == group:
			return r
		case r.At == 0:
			r.Path, r.Group = path, group
			sys.Store64(&r.At, at)
			if record.Used++; record.Used == 1 {
				record.Publish()
			}
			return r
		}
	}
	return nil
}

// addTable adds a table, which is published when it has an entry, and reports whether there is room for it.
//
//go:norace
func addTable() bool {
	const head, each = U(unsafe.Sizeof(runfile.ReplicateRecord{})), U(unsafe.Sizeof(runfile.Replicate{}))
	w := &replicates
	if w.n == mostReplicates {
		return false
	}
	slots := slotsOf(w.n)
	words := runfile.NewChunk(runfile.KindReplicates, sys.RoundUp(head+slots*each, runfile.Page))
	if words == nil {
		return false
	}
	record := (*runfile.ReplicateRecord)(unsafe.Pointer(words))
	record.Region, record.RegionSize = head, slots*each
	record.Slots = slots
	w.tables[w.n] = uintptr(unsafe.Pointer(record))
	w.n++
	return true
}

// Start makes the tables of systems where none can be made later.
func Start() {
	for replicates.n < first && addTable() {
	}
}
