package strat

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/goprofinstr/goprofinstr/sampler/stream"
)

// events returns a stream with some numbers of each tuple, one after the other.
func events(counts map[stream.Tuple]int) *Stream {
	b := NewBuilder()
	for site := range uint64(10) {
		for value := range uint64(10) {
			for range counts[stream.Tuple{Site: site, Value: value}] {
				b.Add(stream.Tuple{Site: site, Value: value})
			}
		}
	}
	return b.Stream(math.MaxInt)
}

func (s *Stream) counts(counts map[stream.Tuple]int) *Counts {
	c := s.NewCounts()
	for t, n := range counts {
		s.add(c, s.index[t], float64(n))
	}
	return c
}

// TestError is an example with a site of every kind: each of the thresholds excludes something that is all wrong.
func TestError(t *testing.T) {
	actual := map[stream.Tuple]int{
		{Site: 0, Value: 0}: 500, {Site: 0, Value: 1}: 450, {Site: 0, Value: 2}: 50, // 2 is less than a tenth
		{Site: 1, Value: 0}: 999,  // too rare a site
		{Site: 3, Value: 0}: 2000, // not in the estimate
	}
	for value := range uint64(10) { // 9 is a tenth, which is less than 40% of the site
		actual[stream.Tuple{Site: 2, Value: value}] = 99
	}
	actual[stream.Tuple{Site: 2, Value: 9}] = 109
	s := events(actual)
	estimate := map[stream.Tuple]int{{Site: 0, Value: 0}: 3, {Site: 0, Value: 1}: 7, {Site: 2, Value: 0}: 1}
	got, err := s.Error(Usual, s.counts(actual), s.counts(estimate))
	if want := (500*0.2 + 450*0.25 + 2000*1) / 2950; err != nil || math.Abs(got-want) > 1e-9 {
		t.Errorf("error %v (%v), want %v", got, err, want)
	}
	if _, err := s.Error(Thresholds{1e6, 0.1, 0.4}, s.counts(actual), s.counts(estimate)); !errors.Is(err, ErrNoTuple) {
		t.Errorf("an error of no tuples: %v", err)
	}
	if got, err := s.Error(Usual, s.counts(actual), s.counts(actual)); got != 0 || err != nil {
		t.Errorf("error %v (%v) of the ideal profile", got, err)
	}
}

func TestDistance(t *testing.T) {
	actual := map[stream.Tuple]int{{Site: 0, Value: 0}: 50, {Site: 0, Value: 1}: 30, {Site: 1, Value: 0}: 20}
	s := events(actual)
	estimate := s.counts(map[stream.Tuple]int{{Site: 0, Value: 0}: 10, {Site: 1, Value: 0}: 10})
	if got := s.Distance(s.counts(actual), estimate); math.Abs(got-0.3) > 1e-9 {
		t.Errorf("%v", got)
	}
	if got := s.Distance(s.counts(actual), s.NewCounts()); got != 1 {
		t.Errorf("%v from no messages", got)
	}
}

// TestProgress has a sampler that passes everything on be right at any time. One with a table is right in the end,
// and one that says nothing never.
func TestProgress(t *testing.T) {
	s := events(map[stream.Tuple]int{{Site: 0, Value: 0}: 3000, {Site: 0, Value: 1}: 3000})
	after := []int{500, 1500, 6000}
	for _, test := range []struct {
		spec     string
		messages []int
		errors   []float64
	}{
		{"P1", after, []float64{math.NaN(), 0, 0}},
		{"A2", []int{0, 0, 2}, []float64{math.NaN(), 1, 0}},
		{"P10000", []int{0, 0, 0}, []float64{math.NaN(), 1, 0.5}},
		{"P4000", []int{0, 0, 1}, []float64{math.NaN(), 1, 0.5}},
	} {
		points := s.Progress(estimator(t, test.spec), 1, Usual, after)
		for i, p := range points {
			same := p.Error == test.errors[i] || math.IsNaN(p.Error) && math.IsNaN(test.errors[i])
			if p.Events != after[i] || p.Messages != test.messages[i] || !same {
				t.Errorf("%s: %+v, want %d messages and an error of %v", test.spec, p, test.messages[i], test.errors[i])
			}
		}
	}
}

func TestSteps(t *testing.T) {
	if got := Steps(1000, 4000); !slices.Equal(got, []int{1000, 2000, 4000}) {
		t.Errorf("%v", got)
	}
}

// TestByLength has three strata with one tuple each. What the first one holds is known to be that tuple's,
// too, if the strata's lengths are looked at.
func TestByLength(t *testing.T) {
	s := events(map[stream.Tuple]int{{Site: 0, Value: 0}: 1500, {Site: 0, Value: 1}: 1000, {Site: 0, Value: 2}: 1000})
	for text, want := range map[string]float64{"H[P1000]256": 1500./3500 - 1./3, "H[P1000]256/length": 0} {
		if got := s.Progress(estimator(t, text), 1, Usual, []int{3500})[0].Distance; math.Abs(got-want) > 1e-9 {
			t.Errorf("%s: distance %v, want %v", text, got, want)
		}
	}
}

// TestStratified has strata halve the distance of as many random samples, on a stream in which few tuples are
// frequent. If the first intervals of strata are drawn, they do more.
func TestStratified(t *testing.T) {
	b := NewBuilder()
	zipf := rand.NewZipf(rand.New(rand.NewPCG(1, 2)), 1.5, 3, 300)
	for range 1 << 19 {
		tuple := zipf.Uint64()
		b.Add(stream.Tuple{Site: tuple % 50, Value: tuple})
	}
	s := b.Stream(math.MaxInt)
	last := func(text string) Point { return s.Progress(estimator(t, text), 1, Usual, []int{1 << 19})[0] }
	random, strata, drawn := last("R64"), last("H[P64]1024"), last("H[S64]1024")
	if strata.Messages > random.Messages*101/100 || strata.Distance > random.Distance/2 || strata.Error > random.Error*0.7 {
		t.Errorf("H[P64]1024 comes to %+v, R64 to %+v", strata, random)
	}
	if drawn.Distance > strata.Distance*0.9 {
		t.Errorf("H[S64]1024 comes to %+v, H[P64]1024 to %+v", drawn, strata)
	}
}
