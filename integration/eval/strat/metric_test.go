package strat

import (
	"errors"
	"math"
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

// TestProgress has a sampler that passes everything on be right at any time, one with a table in the end, and one that says nothing never.
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
	} {
		spec, err := stream.Parse(test.spec)
		if err != nil {
			t.Fatal(err)
		}
		points := s.Progress(spec, 1, Usual, after)
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
