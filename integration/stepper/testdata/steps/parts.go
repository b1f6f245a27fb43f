package steps

// Packed compares with constants that have no room in an instruction, and does nothing behind.
//
//go:noinline
func Packed(list []uint64) (bytes int) {
	for _, n := range list {
		bytes += packedSize(n) * 3
	}
	return bytes
}

func packedSize(n uint64) int {
	if n < 1<<8 {
		return 1
	} else if n < 1<<32 {
		return 4
	} else if n < 1<<56 {
		return 7
	}
	return 8
}

// Sum makes a number of a bool, which it reads from memory.
//
//go:noinline
func Sum(n *node, text []byte) uint64 {
	if len(text) == 0 {
		return 0
	}
	return sum(n, text)
}

type node struct {
	size  int
	final bool
}

func sum(n *node, text []byte) uint64 {
	var final uint64
	if n.final {
		final = 1
	}
	var h uint64 = 14695981039346656037
	h = (h ^ final) * 1099511628211
	for _, c := range text {
		h = (h ^ uint64(c)) * 1099511628211
	}
	return h
}

// Words asks for what an inlined call returns that asks for what another one returns.
//
//go:noinline
func Words(text string) (n int) {
	for k := range text {
		if isWord(text[k], true) {
			n++
			continue
		}
		n += 5 * k
	}
	return n
}

func isWord(c byte, tail bool) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_' || tail && isNumber(c)
}

func isNumber(c byte) bool { return '0' <= c && c <= '9' }

// Emptied has a loop that the compiler leaves out: nothing uses what it clears. An array tells how often it goes round.
//
//go:noinline
func Emptied(f *filter) int {
	f.reset()
	return f.size
}

type filter struct {
	bits [20]byte
	size int
}

func (f *filter) reset() {
	f.size++
	bits := f.bits
	for i := range bits {
		bits[i] = 0
	}
}

// Named compares strings with constants where they are inlined. All parts have to be equal.
//
//go:noinline
func Named(list []string) (n int) {
	for k, name := range list {
		if !isKnown(name) {
			n += k
		}
	}
	return n
}

func isKnown(name string) bool { return name == "eval" || name == "arguments" }

// Kinds asks for types of which several are one case.
//
//go:noinline
func Kinds(list []expr, of *node) {
	for k, x := range list {
		if isPlain(x) {
			continue
		}
		of.size += k
	}
}

func isPlain(x expr) bool {
	switch x.(type) {
	case *name, *leaf, *branch:
		return true
	}
	return false
}

type leaf struct{ n int }
type branch struct{ n int }

func (l *leaf) weight() int   { return l.n }
func (b *branch) weight() int { return -b.n }

// Many asks for so many types that a table is for their hashes.
//
//go:noinline
func Many(list []expr, of *node) {
	for k, x := range list {
		if isOfMany(x) {
			of.size += k
		}
	}
}

func isOfMany(x expr) bool {
	switch x.(type) {
	case *name, *leaf, *branch, *call, *dots, *twig, *root:
		return true
	}
	return false
}

type twig struct{ n int }
type root struct{ n int }

func (t *twig) weight() int { return t.n }
func (r *root) weight() int { return -r.n }

// Notes appends in a loop, and the first elements have room in the frame. That is cleared where the function begins.
//
//go:noinline
func Notes(list []*node, limit int) []noted {
	notes, n := []noted{}, -1
	for {
		if n++; n == len(list) {
			break
		}
		if list[n].final {
			continue
		}
		if n > limit {
			notes = append(notes, noted{list[0], n - limit})
		}
		notes = append(notes, noted{list[n], n})
	}
	return notes
}

type noted struct {
	of *node
	at int
}

// Zoned has a range whose bounds have no room in an instruction, and a conditional move for both (archive/zip's timeZone).
//
//go:noinline
func Zoned(offset int64) int64 {
	const least, most = -12 * 3600e9, 14 * 3600e9
	if offset < least || most < offset {
		offset = 0
	}
	return offset / 1e9
}

// Refers compares structs of two numbers, by a jump for each (esbuild's recordDeclaredSymbol).
//
//go:noinline
func Refers(known map[string]reference, names []string, to reference) (n int) {
	for _, name := range names {
		is := len(name) == 1
		if !is {
			if known[name] == to {
				is = true
			}
		}
		n = n*3 + numbered(is)
	}
	return n
}

type reference struct{ outer, inner uint32 }

//go:noinline
func numbered(is bool) int {
	if is {
		return 1
	}
	return 2
}

// Sorted counts pairs in order. Two jumps ask for what one compare has compared.
//
//go:noinline
func Sorted(list []reference) (n int) {
	for k := 1; k < len(list); k++ {
		n += numbered(precedes(list[k-1], list[k]))
	}
	return n
}

//go:noinline
func precedes(a, b reference) bool {
	return a.inner < b.inner || a.inner == b.inner && a.outer < b.outer
}

// Signs asks twice for the same: nothing but the first time tells how the second came out.
//
//go:noinline
func Signs(text string, escaped bool, by *[256]int) (n int) {
	for i, c := range []byte(text) {
		isSpace := c == ' ' || c == '\t'
		isSign := signs[c] == 1
		if isSign && !escaped || isSpace || i == 0 {
			as := c
			if isSpace || i == 0 && !isSign {
				as = ' '
			}
			if n += by[as]; n > 1000 {
				n -= 10
			}
		}
	}
	return n
}

var signs = [256]uint8{'!': 1, ',': 1, '.': 1, '-': 2}
