package strat

import (
	"math"
	"slices"

	"github.com/goprofinstr/goprofinstr/sampler/stream"
)

// A Point is how far a compressor has come in a stream.
type Point struct {
	Events, Messages int
	Error            float64 // STRAT's; NaN if no tuple is frequent enough
	Distance         float64
}

// Progress compresses a stream, and returns how well after some numbers of events, which increase. Each time
// the ideal profile is of the same events. What is held by a table is not known before the end, and then all
// of it is.
func (s *Stream) Progress(e Estimator, seed uint64, t Thresholds, after []int) []Point {
	c, scaler := stream.New(e.Spec, seed), newScaler(&e)
	ideal, sums := s.NewCounts(), s.NewCounts()
	var points []Point
	messages := 0
	message := func(tuple stream.Tuple, n uint64) {
		s.add(sums, s.index[tuple], float64(n))
		messages++
		if e.ByLength {
			scaler.messages[e.substream(tuple)] += float64(n)
		}
	}
	for i, event := range s.Events {
		s.add(ideal, event, 1)
		if e.ByLength {
			scaler.length[e.substream(s.Tuples[event])]++
		}
		if tuple, n := c.Event(s.Tuples[event]); n != 0 {
			message(tuple, n)
		}
		if len(points) == len(after) || i+1 != after[len(points)] {
			continue
		}
		if i+1 == len(s.Events) {
			for tuple, n := c.Flush(); n != 0; tuple, n = c.Flush() {
				message(tuple, n)
			}
		}
		estimate := sums
		if e.ByLength {
			estimate = scaler.scale(s, sums)
		}
		err, none := s.Error(t, ideal, estimate)
		if none != nil {
			err = math.NaN()
		}
		points = append(points, Point{i + 1, messages, err, s.Distance(ideal, estimate)})
	}
	return points
}

// Steps returns numbers of events, each twice the last, which end with most.
func Steps(least, most int) []int {
	var list []int
	for x := most; x >= least; x /= 2 {
		list = append(list, x)
	}
	slices.Reverse(list)
	return list
}
