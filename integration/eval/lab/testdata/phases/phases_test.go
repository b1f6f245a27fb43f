package phases

import (
	"math/rand/v2"
	"testing"
)

// A phase takes a few milliseconds, which is less than the time between ticks and no divisor of it.
const (
	textSize = 1 << 20
	numItems = 20_000
)

func BenchmarkPhases(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	text := newText(r)
	items := newItems(r)
	b.ResetTimer()
	for range b.N {
		words, quoted = Scan(text)
		total, sum = Price(items)
	}
}

// What is counted is kept: the compiler would leave out what nothing uses, and with it most branches of Scan.
var (
	words, quoted int
	total         float64
	sum           byte
)

func newText(r *rand.Rand) []byte {
	text := make([]byte, textSize)
	for i := range text {
		text[i] = "etaoin shrdlu cmfwyp vbgkjqxz \n\""[r.IntN(32)]
	}
	return text
}

func newItems(r *rand.Rand) []Item {
	items := make([]Item, numItems)
	for i := range items {
		it := &items[i]
		it.Rate, it.Years, it.Fixed = r.Float64()/20, 40*r.Float64(), r.IntN(3) == 0
		for j := range it.Name {
			it.Name[j] = byte(r.Uint32())
		}
	}
	return items
}
