package strat

import (
	"math"
	"math/rand/v2"

	"github.com/goprofinstr/goprofinstr/sampler/stream"
)

// Share is how much of the streams of figure 4 is the tuple whose frequency is estimated (STRAT 3.3).
const Share = 0.3

// A MonteCarlo is the experiment of figure 4, with streams of a length that are permuted at random. Some
// events are of a tuple p. All others are of tuples that occur once, which STRAT says nothing about. How
// many events are p's is estimated from a sampler's messages.
type MonteCarlo struct {
	Samplers    []Estimator
	Lengths     []int // of streams
	Experiments int   // of each length
	Seed        uint64
}

// Run returns the mean of |t-EST|/EST, in percent, by sampler and length; t is how many events are p's. All
// samplers have the same streams.
func (m *MonteCarlo) Run() [][]float64 {
	errors := make([][]float64, len(m.Samplers))
	for i := range errors {
		errors[i] = make([]float64, len(m.Lengths))
	}
	random := rand.New(rand.NewPCG(m.Seed, 4))
	for l, length := range m.Lengths {
		events := population(length)
		for range m.Experiments {
			random.Shuffle(length, func(i, j int) { events[i], events[j] = events[j], events[i] })
			for i, e := range m.Samplers {
				estimate := e.estimate(events, random.Uint64())
				actual := math.Floor(Share * float64(length))
				errors[i][l] += 100 * math.Abs(actual-estimate) / estimate / float64(m.Experiments)
			}
		}
	}
	return errors
}

// population returns so many events, of which the first are those of p, tuple 0.
func population(length int) []stream.Tuple {
	events := make([]stream.Tuple, length)
	for i := int(Share * float64(length)); i < length; i++ {
		events[i].Value = uint64(i)
	}
	return events
}

// estimate returns how many events are p's, as it seems.
func (e *Estimator) estimate(events []stream.Tuple, seed uint64) float64 {
	c, p := stream.New(e.Spec, seed), stream.Tuple{}
	var ps, messages, sum, length float64
	for _, event := range events {
		t, n := c.Event(event)
		if n == 0 || e.substream(t) != e.substream(p) {
			continue
		}
		messages++
		length += float64(n)
		if t == p {
			ps++
			sum += float64(n)
		}
	}
	if e.ByLength {
		return length * ps / messages
	}
	return sum
}

// Length returns how long a stream has to be for an error. It is between the two lengths that have errors above and
// below, as errors fall with the square root of the length. Length returns 0 if there are no such two.
func Length(lengths []int, errors []float64, most float64) float64 {
	for i := 1; i < len(lengths); i++ {
		if errors[i-1] > most && errors[i] <= most {
			x, y := 1/math.Sqrt(float64(lengths[i-1])), 1/math.Sqrt(float64(lengths[i]))
			at := y + (x-y)*(most-errors[i])/(errors[i-1]-errors[i])
			return 1 / (at * at)
		}
	}
	return 0
}
