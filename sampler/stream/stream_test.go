package stream

import (
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// events returns a stream in which few tuples are frequent.
func events(n int, seed uint64) []Tuple {
	random := rand.New(rand.NewPCG(seed, 1))
	zipf := rand.NewZipf(random, 1.3, 2, 400)
	list := make([]Tuple, n)
	for i := range list {
		site := zipf.Uint64() % 20
		list[i] = Tuple{site, zipf.Uint64()}
	}
	return list
}

func mustParse(t testing.TB, spec string) Spec {
	s, err := Parse(spec)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// exactSpecs are compressors that know how many events there have been, of all kinds.
var exactSpecs = []string{
	"P1", "P7", "S7", "F7", "B1", "B7", "CR7", "CD7", "A1", "A16", "P3+A2", "CR5+A16", "H[P7]16", "Hx[P7]16", "H[S7]16", "H[F7]16", "H[B7]16", "H[CR7]16", "H[CD7]16+A4", "H[P7]16+A4",
	"T1[P16]32", "T2[P16]32", "T2[P4]4", "T3[P64]256+A16", "T2[P1]4",
}

// TestConservation holds messages and what is held against the length of the stream, after each event.
func TestConservation(t *testing.T) {
	for _, text := range exactSpecs {
		for seed := range uint64(5) {
			c := New(mustParse(t, text), seed)
			sum := int64(0)
			for i, e := range events(20_000, seed) {
				_, n := c.Event(e)
				sum += int64(n)
				held, exact := c.Held()
				if !exact || sum+held != int64(i+1) {
					t.Fatalf("%s, seed %d: messages of %d and %d (%v) held after %d events", text, seed, sum, held, exact, i+1)
				}
			}
		}
	}
}

// TestInexact has those that promise nothing say so, also behind others.
func TestInexact(t *testing.T) {
	for _, text := range []string{"R7", "D7", "H[R7]16", "H[D7]16+A4", "R7+A4"} {
		if held, exact := New(mustParse(t, text), 1).Held(); exact || held != 0 {
			t.Errorf("%s says that it knows how many events there were", text)
		}
	}
}

// TestUnbiased has samplers whose estimates are right in the mean, at any time: here after 100 events, which is less than a rate.
func TestUnbiased(t *testing.T) {
	list := events(100, 3)
	want := count(list, list[0])
	for _, text := range []string{"S256", "B256", "R256", "H[S256]16", "H[B256]16", "H[R256]16"} {
		spec, sum := mustParse(t, text), 0.0
		const trials = 6000
		for seed := range uint64(trials) {
			sum += compress(New(spec, seed*0x1_0001), list)[list[0]]
		}
		// The deviation of one estimate is about √(want·256), whatever the sampler.
		if mean, most := sum/trials, 4*math.Sqrt(want*256/trials); math.Abs(mean-want) > most {
			t.Errorf("%s: %.2f in the mean of %v", text, mean, want)
		}
	}
	// Others are, when there are many.
	long := slices.Repeat(list, 100)
	for _, text := range []string{"P10", "B10", "D10", "CR10", "CD10", "H[P10]4", "T2[P16]64"} {
		total := 0.0
		for _, n := range compress(New(mustParse(t, text), 1), long) {
			total += n
		}
		if math.Abs(total/10_000-1) > 0.1 {
			t.Errorf("%s: messages for %v of 10000 events", text, total)
		}
	}
}

func count(list []Tuple, t Tuple) (n float64) {
	for _, e := range list {
		if e == t {
			n++
		}
	}
	return n
}

// compress returns the sums of a stream's messages.
func compress(c *Pipeline, list []Tuple) map[Tuple]float64 {
	sums := make(map[Tuple]float64)
	for _, e := range list {
		if t, n := c.Event(e); n != 0 {
			sums[t] += float64(n)
		}
	}
	for t, n := c.Flush(); n != 0; t, n = c.Flush() {
		sums[t] += float64(n)
	}
	return sums
}

// TestTableLossless has a table of any size give the exact profile; and behind a sampler change nothing but the number of
// messages.
func TestTableLossless(t *testing.T) {
	list := events(50_000, 7)
	want := make(map[Tuple]float64)
	for _, e := range list {
		want[e]++
	}
	for _, text := range []string{"A1", "A16", "A64"} {
		if got := compress(New(mustParse(t, text), 1), list); !maps.Equal(got, want) {
			t.Errorf("%s is not exact: %v, want %v", text, got, want)
		}
	}
	for _, text := range []string{"P16", "CR16", "H[P16]16", "T2[P16]16"} {
		alone, messages := run(t, text, list)
		behind, fewer := run(t, text+"+A16", list)
		for tuple, n := range alone {
			if behind[tuple] != n {
				t.Errorf("%s: A16 makes %v of %v for %v", text, behind[tuple], n, tuple)
			}
		}
		if len(alone) != len(behind) || fewer >= messages {
			t.Errorf("%s: A16 makes %d messages of %d tuples of %d of %d", text, fewer, len(behind), messages, len(alone))
		}
	}
}

// run returns the sums of messages, and how many messages there were.
func run(t *testing.T, spec string, list []Tuple) (map[Tuple]float64, int) {
	c, messages := New(mustParse(t, spec), 1), 0
	for _, e := range list {
		if _, n := c.Event(e); n != 0 {
			messages++
		}
	}
	return compress(New(mustParse(t, spec), 1), list), messages
}

func TestTable(t *testing.T) {
	a, b, c := Tuple{1, 0}, Tuple{2, 0}, Tuple{2, 1}
	table := NewTable(2, 10)
	for i, step := range []struct {
		tuple Tuple
		n     uint64
		out   Tuple
		count uint64
	}{
		{a, 3, Tuple{}, 0},
		{b, 4, Tuple{}, 0},
		{a, 3, Tuple{}, 0},
		{c, 1, b, 4},  // b was seen before a
		{a, 4, a, 10}, // the maximum
		{b, 2, Tuple{}, 0},
		{a, 12, a, 12}, // no place is taken for it
		{a, 1, c, 1},
	} {
		if out, n := table.Message(step.tuple, step.n); out != step.out || n != step.count {
			t.Errorf("step %d: %v %d, want %v %d", i, out, n, step.out, step.count)
		}
	}
	if held, _ := table.Held(); held != 3 {
		t.Errorf("%d held", held)
	}
}

// TestStrata holds strata against substreams that are sampled one by one.
func TestStrata(t *testing.T) {
	list := events(50_000, 9)
	const bits, rate = 5, 13
	for _, kind := range []SamplerKind{KindPeriodic, KindStart, KindFirst} {
		sampler := Sampler{Kind: kind, Rate: rate}
		one, other := Source(5), Source(5)
		strata := NewStrata(Hash{}, bits, rate, func() uint32 { return sampler.first(&one) })
		split := NewSplitter(Hash{}, bits, func() Compressor { return sampler.compressor(&other) })
		for i, e := range list {
			t1, n1 := strata.Event(e)
			t2, n2 := split.Event(e)
			h1, _ := strata.Held()
			h2, _ := split.Held()
			if t1 != t2 || n1 != n2 || h1 != h2 {
				t.Fatalf("event %d: %v %d (%d held), and %v %d (%d)", i, t1, n1, h1, t2, n2, h2)
			}
		}
	}
}

// TestExample is the example of the package.
func TestExample(t *testing.T) {
	const a, b, c = 0, 1, 2
	strata := NewStrata(Hash{}, 1, 4, func() uint32 { return 4 })
	tuples := make([]Tuple, 3)
	for i, stratum := range []uint32{0, 1, 0} {
		for tuples[i] = (Tuple{uint64(i), 0}); Index(tuples[i], 1) != stratum; {
			tuples[i].Value++
		}
	}
	var got []Tuple
	for _, i := range []int{a, b, a, a, b, b, c, a, b, a} {
		if tuple, n := strata.Event(tuples[i]); n == 4 {
			got = append(got, tuple)
		}
	}
	if held, _ := strata.Held(); !slices.Equal(got, []Tuple{tuples[c], tuples[b]}) || held != 2 {
		t.Errorf("messages %v, %d held", got, held)
	}
}

// TestPeriod has a stream with the period of the sampler: P sees one of its tuples only, B all.
func TestPeriod(t *testing.T) {
	var list []Tuple
	for i := range uint64(100_000) {
		list = append(list, Tuple{0, i % 10})
	}
	if sums := compress(New(mustParse(t, "P10"), 1), list); len(sums) != 1 {
		t.Errorf("P10: %v", sums)
	}
	for tuple, n := range compress(New(mustParse(t, "B10"), 1), list) {
		if n < 8500 || n > 11500 {
			t.Errorf("B10: %v of %v, want 10000", n, tuple)
		}
	}
}

func TestIntervals(t *testing.T) {
	source := Source(1)
	seen := make([]int, 20)
	for range 19_000 {
		seen[interval(10, &source)]++
	}
	for i, n := range seen {
		if i > 0 && (n < 850 || n > 1150) || i == 0 && n > 0 {
			t.Errorf("an interval of %d was drawn %d times of 19000", i, n)
		}
	}
}

func TestFlip(t *testing.T) {
	if got := flip(0x0102030405060708); got != 0x0807060504030201 {
		t.Errorf("%x", got)
	}
	if got := xorFold(0x12_345_678, 12); got != 0x012^0x345^0x678 {
		t.Errorf("%x", got)
	}
}

// TestHashes has the strata of many tuples hold about as many each.
func TestHashes(t *testing.T) {
	source := Source(1)
	for name, hash := range map[string]Hash{"Index": {}, "Fold": {NewFold(&source)}} {
		const bits = 8
		for _, step := range []uint64{1, 8, 1 << 20} { // of sites: numbers, addresses
			var load [1 << bits]int
			for site := range uint64(256) {
				for value := range uint64(256) {
					load[hash.Index(Tuple{0xc000_0000 + site*step, value}, bits)]++
				}
			}
			if least, most := slices.Min(load[:]), slices.Max(load[:]); least < 128 || most > 512 {
				t.Errorf("%s, sites %d apart: strata of %d to %d tuples, 256 in the mean", name, step, least, most)
			}
		}
	}
}

// TestSeeds has the same seed do the same, and another one something else, where something is drawn.
func TestSeeds(t *testing.T) {
	list := events(5000, 11)
	for _, text := range []string{"R7", "D7", "CR7", "H[S7]16", "Hx[P7]16"} {
		trace := func(seed uint64) (messages []Tuple) {
			c := New(mustParse(t, text), seed)
			for _, e := range list {
				if tuple, n := c.Event(e); n != 0 {
					messages = append(messages, tuple)
				}
			}
			return messages
		}
		if !slices.Equal(trace(1), trace(1)) || slices.Equal(trace(1), trace(2)) {
			t.Errorf("%s: the seed makes no difference, or not all of it", text)
		}
	}
}

func TestNoAllocation(t *testing.T) {
	list := events(1000, 13)
	for _, text := range append([]string{"R7", "D7", "H[R7]16"}, exactSpecs...) {
		c := New(mustParse(t, text), 1)
		if n := testing.AllocsPerRun(10, func() {
			for _, e := range list {
				c.Event(e)
			}
		}); n > 0 {
			t.Errorf("%s: %v allocations for 1000 events", text, n)
		}
	}
}

func BenchmarkEvent(b *testing.B) {
	list := events(1<<16, 13)
	for _, text := range []string{"P256", "R256", "D256", "CR256", "H[P256]2048", "Hx[P256]2048", "H[P256]2048+A16", "T2[P256]2048", "A16"} {
		b.Run(text, func(b *testing.B) {
			c := New(mustParse(b, text), 1)
			for i := range b.N {
				c.Event(list[i%len(list)])
			}
		})
	}
}
