package stream

// A Spec says what a compressor is made of. The zero value is none.
type Spec struct {
	Sampler Sampler // of the first level; of each stratum, if it is split
	Bits    uint    // there are 2ᵇⁱᵗˢ strata or tagged entries; 0: not split
	TagBits uint    // of tagged entries; 0: not tagged
	Fold    bool    // the hash is STRAT's own
	Table   int     // tuples of the second level, or of the only one; 0: none
}

// A Sampler says how events are selected.
type Sampler struct {
	Kind    SamplerKind // 0: no sampler
	Counted bool        // with C
	Rate    uint32
}

// SamplerKind is a way to select events, by the letter that stands for it.
type SamplerKind byte

// The ways to select events.
const (
	KindPeriodic  SamplerKind = 'P'
	KindStart     SamplerKind = 'S' // periodic with a start that is drawn
	KindFirst     SamplerKind = 'F' // periodic from the first event on
	KindBlock     SamplerKind = 'B' // one of each block of events
	KindRandom    SamplerKind = 'R'
	KindCountdown SamplerKind = 'D'
)

// Bounds of specifications.
const (
	MostRate    = 1 << 30 // twice as much has to fit into a counter
	MostStrata  = 1 << 20 // 4 MiB of counters
	MostTable   = 64      // searched one after the other
	MostTagBits = 16
)

// MostCount is what the sum of a tuple in a table comes to, at most or a little more, before it becomes a message. It is as much
// as 256 messages of the usual rate.
const MostCount = 1 << 16

// New makes a compressor. Whatever is drawn, is drawn from seed.
func New(s Spec, seed uint64) *Pipeline {
	source := new(Source)
	*source = Source(seed)
	var hash Hash
	if s.Fold {
		hash.fold = NewFold(source)
	}
	if s.Sampler.Kind == 0 { // the table alone is behind what passes every event on
		s.Sampler = Sampler{Kind: KindPeriodic, Rate: 1}
	}
	p := &Pipeline{First: s.first(hash, source)}
	if s.Table > 0 {
		p.Second = NewTable(s.Table, MostCount)
	}
	return p
}

// first makes the first level.
func (s *Spec) first(hash Hash, source *Source) Compressor {
	switch {
	case s.TagBits > 0:
		return NewTagged(hash, s.Bits, s.TagBits, s.Sampler.Rate)
	case s.Bits == 0:
		return s.Sampler.compressor(source)
	case s.Sampler.isPeriodic():
		return NewStrata(hash, s.Bits, s.Sampler.Rate, func() uint32 { return s.Sampler.first(source) })
	}
	return NewSplitter(hash, s.Bits, func() Compressor { return s.Sampler.compressor(source) })
}

// compressor makes a sampler.
func (s Sampler) compressor(source *Source) (c Compressor) {
	switch {
	case s.isPeriodic():
		c = NewPeriodic(s.Rate, s.first(source))
	case s.Kind == KindBlock:
		c = NewBlock(s.Rate, source)
	case s.Kind == KindRandom:
		c = NewRandom(s.Rate, source)
	case s.Kind == KindCountdown:
		c = NewCountdown(s.Rate, source)
	}
	if s.Counted {
		c = NewCounter(c)
	}
	return c
}

func (s Sampler) isPeriodic() bool {
	return s.Kind == KindPeriodic || s.Kind == KindStart || s.Kind == KindFirst
}

// first returns the first interval of a periodic sampler.
func (s Sampler) first(source *Source) uint32 {
	switch s.Kind {
	case KindStart:
		return 1 + source.Below(s.Rate)
	case KindFirst:
		return 1
	}
	return s.Rate
}
