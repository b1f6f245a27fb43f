package strat

import "github.com/goprofinstr/goprofinstr/sampler/stream"

// A Stream is a stream of events.
type Stream struct {
	Tuples []stream.Tuple // distinct ones
	Events []uint32       // indices in Tuples
	Sites  []uint32       // of each of Tuples: sites are numbered, too
	sites  int
	index  map[stream.Tuple]uint32
}

// A Builder makes a stream.
type Builder struct {
	s     Stream
	sites map[uint64]uint32
}

// NewBuilder returns a builder of an empty stream.
func NewBuilder() *Builder {
	return &Builder{Stream{index: make(map[stream.Tuple]uint32)}, make(map[uint64]uint32)}
}

// Add adds an event.
func (b *Builder) Add(t stream.Tuple) {
	i, ok := b.s.index[t]
	if !ok {
		i = uint32(len(b.s.Tuples))
		b.s.index[t] = i
		b.s.Tuples = append(b.s.Tuples, t)
		site, ok := b.sites[t.Site]
		if !ok {
			site = uint32(len(b.sites))
			b.sites[t.Site] = site
		}
		b.s.Sites = append(b.s.Sites, site)
	}
	b.s.Events = append(b.s.Events, i)
}

// Len returns how many events there are.
func (b *Builder) Len() int { return len(b.s.Events) }

// Stream returns the stream of the first events, most of them.
func (b *Builder) Stream(most int) *Stream {
	b.s.Events = b.s.Events[:min(most, len(b.s.Events))]
	b.s.sites = len(b.sites)
	return &b.s
}
