package replicate

import (
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/goprofinstr/goprofinstr/rt/runfile"
)

// TestTable fills a table, and holds its entries against a map. They are to be behind each other.
func TestTable(t *testing.T) {
	type key struct{ at, path, group U }
	slots := slotsOf(0)
	const head, each = unsafe.Sizeof(runfile.ReplicateRecord{}), unsafe.Sizeof(runfile.Replicate{})
	memory := make([]U, (head+uintptr(slots+1)*each)/8)
	record := (*runfile.ReplicateRecord)(unsafe.Pointer(&memory[0]))
	was := replicates
	defer func() { replicates = was }()
	replicates.tables[0], replicates.n = uintptr(unsafe.Pointer(record)), 1

	random := rand.New(rand.NewPCG(1, 2))
	known := make(map[key]*runfile.Replicate)
	refused := 0
	for range 20 * slots {
		k := key{8 + 8*random.Uint64N(16), random.Uint64N(16), random.Uint64N(4)}
		r := inTable(0, k.at*k.path%7, k.at, k.path, k.group) // which many have in common
		switch {
		case r == nil && (known[k] != nil || U(len(known)) < slots):
			t.Fatalf("there is no room for %v after %d others", k, len(known))
		case r == nil:
			refused++
			continue
		case known[k] == nil && U(len(known)) == slots:
			t.Fatalf("there is room for more than %d entries", slots)
		case known[k] == nil:
			if r != entryOf(record, U(len(known))) {
				t.Fatalf("entry %d is elsewhere", len(known))
			}
			known[k] = r
		case known[k] != r:
			t.Fatalf("%v has two entries", k)
		}
		if r.At != k.at || r.Path != k.path || r.Group != k.group {
			t.Fatalf("the entry of %v is of %+v", k, *r)
		}
	}
	if record.Used != slots || record.Magic == 0 || refused == 0 {
		t.Errorf("%d of %d entries are in use, magic %#x, %d refused", record.Used, slots, record.Magic, refused)
	}
}
