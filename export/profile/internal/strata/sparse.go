package strata

import (
	"slices"

	"github.com/goprofinstr/goprofinstr/rt/rundata"
	"github.com/goprofinstr/goprofinstr/rt/runfile"
	rtstrata "github.com/goprofinstr/goprofinstr/rt/strata"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// A Sparse is a Package without what is 0.
type Sparse struct {
	*rundata.Sparse
	Table *table.Package // nil if it cannot be read
}

// EstimateSparse is Estimate for a run that was polled, and for a stream that has a Rate. An estimate may be 0 where there are
// messages.
func EstimateSparse(stream *rundata.Stream, packages []Sparse) (list []rundata.Sparse, err error) {
	s := strata{stream: stream, tuples: make([][]tuple, 1<<stream.Bits)}
	for _, p := range packages {
		q := *p.Sparse
		if p.Table != nil {
			s.addSparse(&q, p)
		}
		list = append(list, q)
	}
	return list, s.divide()
}

// addSparse adds the tuples of a package, and makes room for the estimates in q, a copy of it.
func (s *strata) addSparse(q *rundata.Sparse, p Sparse) {
	if p.Table.Counts == table.Strata {
		key := rtstrata.StreamKey(p.Path, -1)
		q.Size, q.Counters = 2*p.Size, make([]rundata.Entry, 2*len(p.Counters))
		for i, e := range p.Counters {
			pair := q.Counters[2*i : 2*i+2]
			pair[0].At, pair[1].At = 2*e.At, 2*e.At+1
			s.add(rtstrata.CountedStratum(key, e.At, s.stream.Bits), tuple{e.N, &pair[0].N, &pair[1].N})
		}
	}
	q.Hashes = slices.Clone(p.Hashes)
	for i := range p.Table.MessageHashes() {
		if i < 0 || i >= len(p.Hashes) {
			continue
		}
		key, messages := rtstrata.StreamKey(p.Path, i), p.Hashes[i]
		estimates := make([]rundata.Entry, 2*len(messages)) // and then samples, which have larger numbers
		for j, e := range messages {
			estimate, samples := &estimates[j], &estimates[len(messages)+j]
			estimate.At, samples.At = e.At, e.At|runfile.SamplesOf
			s.add(rtstrata.HashedStratum(key, e.At, s.stream.Bits), tuple{e.N, &estimate.N, &samples.N})
		}
		q.Hashes[i] = estimates
	}
}
