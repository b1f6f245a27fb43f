package strata

import (
	"unsafe"

	"github.com/goprofinstr/goprofinstr/rt/sys"
)

// Stratified sampling: Sastry, Bodík & Smith, "Rapid profiling via stratified sampling" (ISCA-28, 2001), here STRAT, as code in
// line. An event, such as the end of a path, is one of a stratum, which a hash tells: H[P_r]_n. Each stratum has a word that
// says how many of its events come up to the next message. Only messages are counted, where exact counting would count each
// event:
//
//	if strata.Due(strata.Hashed(r,1732,21)) { strata.EventPath(strata.Hashed(r,1732,21), &H[3], r, 256) }
//
// This is for functions of too many paths to have a counter for each. Where others are sampled, too, their messages have counters:
//
//	strata.Event(strata.Counted(r,1732,2047), &C[rt.Pad+5], r, 256)
//
// STRAT's counters are for hardware and lose who the rest of a stratum were when the program ends. Here the messages of a
// stratum stand for all its events. The reader of the run file computes for how many (STRAT's C: the length of the stream is
// known). Of a stratum with N events and M messages, m messages of a tuple mean N·m/M events. To that end the first event of a
// stratum is a message, too, so that no event is of a stratum without one. Then the estimates add up to the number of events.
//
// A departure in the hash: STRAT looks up bytes in a table of random ones, and allows for a cheaper hash in practice. Here the
// hash of what has counters is the number of the counter. So no two counters of a package with up to n of them share a stratum.
// Others have Knuth's multiplicative hash, of 32 bits. Neither takes an instruction where the path is known when the program is
// compiled. Elsewhere they take two and three.
//
// Each thread has strata of its own, and messages, in its shard (package exact). So no two processors write the same cache
// line, and nothing is lost. strata_shards.go and its twin have the probes.

const (
	// MostStrata is how many strata there can be.
	MostStrata = 1 << 16
	// MostRate is the most events that a message can stand for.
	MostRate = 1<<31 - 1

	// Passed is what Due says of an event that it has counted.
	Passed = false

	// Multiplier is 2³² divided by the golden ratio.
	Multiplier = 0x9e37_79b9
)

// strata has how many events there are up to the next message, that one included, of each stratum: two in a word. It is 0 where
// there has been none. Its length is that of whole pages within.
var strata [sys.Pad + MostStrata/2 + sys.Pad]U

// stratum returns the place of a stratum.
func stratum(i U) unsafe.Pointer { return unsafe.Add(unsafe.Pointer(&strata[sys.Pad]), i*4) }

// StreamKey returns what tells the events of a source apart from those of others: the counters of a package, -1, or one of its
// hash tables.
//
//go:norace
func StreamKey(path string, hash int) U {
	h := sys.Hash32(path)
	return U((h + uint32(hash+1)*0x85eb_ca6b) * Multiplier)
}

// Counted returns the stratum, one of mask+1, of an event that has a counter. The first two arguments add up to the number of
// the counter and its package's key.
func Counted(number, key, mask U) U { return (number + key) & mask }

// Hashed returns the stratum, one of 2^(32-shift), of an event that has a hash table: the upper bits of a product.
func Hashed(value, key, shift U) U { return U((uint32(value)*Multiplier + uint32(key)) >> shift) }

// HashedKey returns the key of an event whose value is more than the first argument of Hashed.
func HashedKey(key, more U) U { return U(uint32(key) + uint32(more)*Multiplier) }

// Fold has all bits of a value in the lower 32.
func Fold(value U) U { return value ^ value>>32 }

// CountedStratum returns the stratum, of 2^bits, of the events of a package's counter.
//
//go:norace
func CountedStratum(key, number, bits U) U { return Counted(number, key, 1<<bits-1) }

// HashedStratum returns the stratum, of 2^bits, of the events of a hash table with a value.
//
//go:norace
func HashedStratum(key, value, bits U) U { return Hashed(Fold(value), key, 32-bits) }
