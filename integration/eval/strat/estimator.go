package strat

import (
	"strings"

	"github.com/goprofinstr/goprofinstr/sampler/stream"
)

// An Estimator is a compressor and a way to estimate from its messages.
type Estimator struct {
	stream.Spec
	// ByLength takes the share that a tuple has of the messages of its substream, and the length of the
	// substream. The counts of all its messages and what is held add up to the length. Otherwise the counts
	// of the tuple's messages are added up, as STRAT has it.
	//
	// They differ where counts do, and where something is held. STRAT has CR_r equivalent to P_r, since both
	// know the length. But the sum of counts that vary as a memoryless sampler's do has twice the variance of
	// that of equal counts. ByLength, it is equivalent.
	ByLength bool
}

// byLength is what the name of an estimator ends with that is ByLength.
const byLength = "/length"

// ParseEstimator reads an estimator: a specification, with "/length" behind it if it is ByLength.
func ParseEstimator(text string) (Estimator, error) {
	spec, length := strings.CutSuffix(text, byLength)
	s, err := stream.Parse(spec)
	return Estimator{s, length}, err
}

// substream returns the number of the substream of a tuple.
func (e *Estimator) substream(t stream.Tuple) uint32 {
	if e.Bits == 0 {
		return 0
	}
	return stream.Index(t, e.Bits)
}

// A scaler turns sums of messages into estimates ByLength.
type scaler struct {
	*Estimator
	length, messages []float64 // by substream
}

func newScaler(e *Estimator) *scaler {
	return &scaler{e, make([]float64, 1<<e.Bits), make([]float64, 1<<e.Bits)}
}

// scale returns the estimate that follows from what messages add up to.
func (c *scaler) scale(s *Stream, sums *Counts) *Counts {
	scaled := s.NewCounts()
	for i, n := range sums.tuples {
		if n > 0 {
			sub := c.substream(s.Tuples[i])
			s.add(scaled, uint32(i), n*c.length[sub]/c.messages[sub])
		}
	}
	return scaled
}
