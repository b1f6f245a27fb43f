package strat

import "github.com/goprofinstr/goprofinstr/sampler/stream"

// Count adds n occurrences of a tuple to counts of the stream. A tuple that is not in it counts for nothing.
func (s *Stream) Count(c *Counts, t stream.Tuple, n float64) {
	if i, ok := s.index[t]; ok {
		s.add(c, i, n)
	}
}
