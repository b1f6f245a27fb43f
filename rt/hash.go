package rt

import "unsafe"

// A Hash counts the paths of a function that has too many for an array. The
// zero value is ready. Rewritten code declares var H [k]rt.Hash and hands the
// array to Register, before or after the first use.
//
// It is a chain of open-addressing tables, each a record of the run file and
// twice as large as the one before. An entry once claimed never moves and never
// goes away, so counting needs no lock and a file cut off at any moment holds
// every count made so far.
//
// A path is looked for in window neighbouring entries of each table in turn and
// takes the first free one. Entries are only ever filled, so a free entry proves
// that the path is not further on, and two threads that bring the same new path
// contend for the same entry: a path is in one place only.
type Hash struct {
	_    [HashSize - unsafe.Sizeof(uintptr(0))]byte // makes it HashSize bytes on 32-bit systems too
	head unsafe.Pointer                             // first table, nil until a path is counted
}

const (
	// window is how many entries are tried per table: 8 entries of 16 bytes
	// are two or three cache lines.
	window = 8
	// maxTable bounds the size of a table in bytes, and a Hash to twice that:
	// about two million paths. It is for functions whose path number is as
	// good as random data (an interpreter's loop body), which would otherwise
	// fill the disk.
	maxTable = 16 << 20
)

// Path counts one execution of a path. It takes no lock and allocates nothing
// on the Go heap; when the table cannot grow, the execution is added to the
// run's lost ones. A path number must be less than 2⁶⁴-1.
//
//go:norace
func Path(h *Hash, path U) {
	if c := count(h, path+1); c != nil {
		add64(c, 1)
	} else {
		lose()
	}
}

// count returns the address of key's count, or nil when there is no room.
//
//go:norace
func count(h *Hash, key U) *U { return countUpTo(h, key, maxTable) }

// countUpTo is count in tables that are no larger than most.
//
//go:norace
func countUpTo(h *Hash, key, most U) *U {
	link, size := &h.head, U(firstTable)
	for x := mix(key); ; x = mix(x) { // another place in every table
		t := loadp(link)
		if t == nil {
			if size > most && most < maxTable {
				return nil
			}
			if t = grow(h, link, size); t == nil {
				return nil
			}
		}
		table := (*U)(t)
		entries := *Word(table, TabEntries)
		if entries == 0 {
			return nil // the file has been truncated: see revoked
		}
		i := ((x >> 32) * (entries - window + 1)) >> 32
		e := Word(table, TabWords+2*i)
		for range window {
			k := load64(e)
			if k == 0 {
				if cas64(e, 0, key) {
					return Word(e, 1)
				}
				k = load64(e) // another thread has claimed it: for the same path?
			}
			if k == key {
				return Word(e, 1)
			}
			e = Word(e, 2)
		}
		link, size = (*unsafe.Pointer)(unsafe.Pointer(Word(table, TabNext))), 2**Word(table, RecSize)
	}
}

// grow hangs a new table of size bytes on link and returns it, or the one that
// another thread hung there first, or nil.
//
//go:norace
func grow(h *Hash, link *unsafe.Pointer, size U) unsafe.Pointer {
	t := newTable(size)
	if t == nil {
		return nil
	}
	table := (*U)(t)
	*Word(table, RecKind) = KindTable
	*Word(table, RecSize) = size
	*Word(table, RecRegion) = TabWords * 8
	*Word(table, RecRegionSize) = size - TabWords*8
	*Word(table, TabHash) = U(uintptr(unsafe.Pointer(h)))
	*Word(table, TabEntries) = (size - TabWords*8) / EntrySize
	if !casp(link, nil, t) {
		freeTable(t, size)
		return loadp(link)
	}
	store64(Word(table, RecMagic), RecordMagic)
	return t
}

// mix spreads path numbers, which are dense and regular, over 64 bits: the
// finaliser of MurmurHash3 (Austin Appleby, public domain). The high half
// picks the entry.
//
//go:norace
func mix(x U) U {
	x ^= x >> 33
	x *= 0xff51afd7ed558ccd
	x ^= x >> 33
	x *= 0xc4ceb9fe1a85ec53
	x ^= x >> 33
	return x
}
