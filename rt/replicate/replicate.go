package replicate

import (
	"unsafe"

	"github.com/goprofinstr/goprofinstr/rt/runfile"
	"github.com/goprofinstr/goprofinstr/rt/sys"
)

// Replicates are in tables, of which a full one is followed by another. Entries are behind each other, in the order in which they
// were made: each page of the file that is touched for the first time costs a fault. An index in memory says where they are.

const (
	// fewestSlots is how many entries the first table has, and mostSlots the others.
	fewestSlots = 1 << 9
	mostSlots   = 1 << 11
	// mostReplicates is how many tables there can be.
	mostReplicates = 32
	// indexSlots is how many slots the index of a table has. At least half of them are free.
	indexSlots = 2 * mostSlots
)

var replicates struct {
	tables [mostReplicates]uintptr
	used   [mostReplicates]U                  // entries of each; the file says so, too
	index  [mostReplicates][indexSlots]uint16 // the number of an entry and 1, at some slots from its hash on; 0: free
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
		if r := inTable(i, hash, at, path, group); r != nil {
			return r
		}
	}
}

// slotsOf returns how many slots a table has. The file says so, too, and may be taken back by the file system.
//
//go:norace
func slotsOf(table int) U {
	if table == 0 && first == 0 {
		return fewestSlots
	}
	return mostSlots
}

// inTable returns the entry of a path in a table, which is made if there is room, or nil.
//
//go:norace
func inTable(table int, hash, at, path, group U) *runfile.Replicate {
	w := &replicates
	index := &w.index[table]
	record := (*runfile.ReplicateRecord)(sys.Pointer(w.tables[table]))
	slot := hash % indexSlots
	for ; index[slot] != 0; slot = (slot + 1) % indexSlots {
		if r := entryOf(record, U(index[slot])-1); r.At == at && r.Path == path && r.Group == group {
			return r
		}
	}
	n := w.used[table]
	if n == slotsOf(table) {
		return nil
	}
	r := entryOf(record, n)
	r.Path, r.Group = path, group
	sys.Store64(&r.At, at)
	w.used[table] = n + 1
	index[slot] = uint16(n + 1)
	if record.Used++; n == 0 {
		record.Publish()
	}
	return r
}

// entryOf returns an entry of a table.
//
//go:norace
func entryOf(record *runfile.ReplicateRecord, n U) *runfile.Replicate {
	const size = unsafe.Sizeof(runfile.Replicate{})
	return (*runfile.Replicate)(unsafe.Add(unsafe.Pointer(record), unsafe.Sizeof(*record)+uintptr(n)*size))
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
