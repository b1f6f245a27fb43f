package stream

// Index returns the hash of a tuple, with the number of bits that are asked for, 1 to 32: Knuth's multiplicative hash,
// twice. The upper bits of a product depend on all bits of its factors. Where the site is a constant so is its product, and
// what remains is an exclusive or, a multiplication and a shift.
//
//go:norace
func Index(t Tuple, bits uint) uint32 {
	return uint32((SiteHash(t.Site) ^ t.Value) * multiplier >> (64 - bits))
}

// SiteHash returns what a site contributes to Index.
//
//go:norace
func SiteHash(site uint64) uint64 { return site * siteMultiplier }

// Odd numbers whose bits look random. The first is 2⁶⁴ divided by the golden ratio. The second is a multiplier that L'Ecuyer
// found good for lattices ("Tables of linear congruential generators of different sizes and good lattice structure", 1999).
// The two differ, lest site and value cancel out.
const (
	multiplier     = 0x9e37_79b9_7f4a_7c15
	siteMultiplier = 0xd134_2543_de82_ef95
)

// A Fold is STRAT's own hash (3.5). Bytes are looked up in a table of random ones, those of the site reversed, and the
// words are folded with exclusive or. Words are of 64 bits where STRAT's are of 32, and the table is a permutation, so
// that no byte is lost to another.
type Fold struct {
	random [256]uint8
}

// NewFold returns a Fold with a table from source.
func NewFold(source *Source) *Fold {
	f := new(Fold)
	for i := range f.random { // Fisher and Yates
		j := source.Below(uint32(i) + 1)
		f.random[i] = f.random[j]
		f.random[j] = uint8(i)
	}
	return f
}

// Index returns the hash of a tuple, with the number of bits that are asked for.
//
//go:norace
func (f *Fold) Index(t Tuple, bits uint) uint32 {
	return xorFold(flip(f.randomize(t.Site))^f.randomize(t.Value), bits)
}

//go:norace
func (f *Fold) randomize(w uint64) (r uint64) {
	for i := 0; i < 64; i += 8 {
		r |= uint64(f.random[uint8(w>>i)]) << i
	}
	return r
}

// flip reverses the bytes of w.
//
//go:norace
func flip(w uint64) uint64 {
	w = w>>8&0x00ff_00ff_00ff_00ff | w&0x00ff_00ff_00ff_00ff<<8
	w = w>>16&0x0000_ffff_0000_ffff | w&0x0000_ffff_0000_ffff<<16
	return w>>32 | w<<32
}

// xorFold splits w into pieces of some bits, and combines them with exclusive or.
//
//go:norace
func xorFold(w uint64, bits uint) (r uint32) {
	for ; w != 0; w >>= bits {
		r ^= uint32(w)
	}
	return r & (1<<bits - 1)
}

// A Hash is one of the two. The zero value is Index.
type Hash struct{ fold *Fold }

// Index returns the hash of a tuple, with the number of bits that are asked for.
//
//go:norace
func (h Hash) Index(t Tuple, bits uint) uint32 {
	if h.fold != nil {
		return h.fold.Index(t, bits)
	}
	return Index(t, bits)
}
