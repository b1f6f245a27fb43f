// Package strata makes estimates of the events of a run that were sampled in strata: Sastry, Bodík & Smith, "Rapid
// profiling via stratified sampling". How many events a stratum has had is known. So the estimates of its tuples are in
// the proportion of their messages and add up to the events.
package strata

import (
	"maps"
	"slices"

	"github.com/goprofinstr/goprofinstr/export/profile/internal/method"
	"github.com/goprofinstr/goprofinstr/export/profile/internal/sums"
	"github.com/goprofinstr/goprofinstr/rt/rundata"
	"github.com/goprofinstr/goprofinstr/rt/runfile"
	rtstrata "github.com/goprofinstr/goprofinstr/rt/strata"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// A Package is one of a run, with its table.
type Package struct {
	*rundata.Package
	Table *table.Package // nil if it cannot be read
}

// strata are what is known of a run.
type strata struct {
	stream *rundata.Stream
	tuples [][]tuple // by stratum
	hashes []*hashed
}

// A tuple is a source of events and a value: what messages tell.
type tuple struct {
	messages uint64
	estimate *uint64 // where it goes
	samples  *uint64 // where the messages go
}

// Estimate returns packages of a run with estimates and samples in place of messages, as they are where paths are
// sampled otherwise: see rt/runfile/format.go. A package without a table stays as it is.
func Estimate(stream *rundata.Stream, packages []Package) ([]*rundata.Package, error) {
	s := strata{stream: stream, tuples: make([][]tuple, 1<<stream.Bits)}
	var pkgs []*rundata.Package
	for _, p := range packages {
		q := p.Package
		if p.Table != nil {
			q = s.addPackage(p)
		}
		pkgs = append(pkgs, q)
	}
	if stream.Rate == 0 {
		return pkgs, s.addHeld()
	}
	if err := s.divide(); err != nil {
		return nil, err
	}
	for _, h := range s.hashes {
		h.fill()
	}
	return pkgs, nil
}

// addPackage adds the tuples of a package and returns it with room for the estimates.
func (s *strata) addPackage(of Package) *rundata.Package {
	p := of.Package
	q := &rundata.Package{Path: p.Path, Table: p.Table, Counters: p.Counters, Hashes: slices.Clone(p.Hashes)}
	if of.Table.Counts == table.Strata {
		q.Counters = make([]uint64, 2*len(p.Counters))
		s.addCounters(q, p)
	}
	for i := range of.Table.MessageHashes() {
		if i >= 0 && i < len(p.Hashes) {
			q.Hashes[i] = s.addHash(p.Path, i, p.Hashes[i])
		}
	}
	return q
}

// addCounters adds the tuples of a package's counters, whose estimates and samples go to pairs in q.
func (s *strata) addCounters(q, p *rundata.Package) {
	key := rtstrata.StreamKey(p.Path, -1)
	for i, n := range p.Counters {
		if n > 0 {
			s.add(rtstrata.CountedStratum(key, uint64(i), s.stream.Bits), tuple{n, &q.Counters[2*i], &q.Counters[2*i+1]})
		}
	}
}

// hashed is a hash table whose estimates are not in a map yet.
type hashed struct {
	values []uint64
	sums   [][2]uint64
	counts map[uint64]uint64
}

// addHash adds the tuples of a hash table, and returns where their estimates will be.
func (s *strata) addHash(path string, i int, messages map[uint64]uint64) map[uint64]uint64 {
	h := &hashed{counts: make(map[uint64]uint64)}
	s.hashes = append(s.hashes, h)
	if s.stream.Rate == 0 { // the messages tell what they stand for
		maps.Copy(h.counts, messages)
		return h.counts
	}
	h.values = slices.Sorted(maps.Keys(messages))
	h.sums = make([][2]uint64, len(h.values))
	key := rtstrata.StreamKey(path, i)
	for i, v := range h.values {
		s.add(rtstrata.HashedStratum(key, v, s.stream.Bits), tuple{messages[v], &h.sums[i][0], &h.sums[i][1]})
	}
	return h.counts
}

func (h *hashed) fill() {
	for i, v := range h.values {
		h.counts[v], h.counts[v|runfile.SamplesOf] = h.sums[i][0], h.sums[i][1]
	}
}

func (s *strata) add(stratum uint64, t tuple) { s.tuples[stratum] = append(s.tuples[stratum], t) }

// divide sets the estimates.
func (s *strata) divide() error {
	for i, tuples := range s.tuples {
		var messages uint64
		for _, t := range tuples {
			if err := sums.Add(&messages, t.messages); err != nil {
				return err
			}
		}
		if messages > sums.MostEvents/s.stream.Rate || s.stream.Since[i] > sums.MostEvents {
			return sums.ErrOverflow
		}
		spread(s.stream.Events(uint64(i), messages), messages, tuples)
	}
	return nil
}

// spread divides the events of a stratum among its tuples, in proportion to their messages.
func spread(events, messages uint64, tuples []tuple) {
	if messages == 0 {
		return
	}
	d := sums.Division{Number: events, Weights: messages}
	for _, t := range tuples {
		*t.estimate, *t.samples = method.Of(table.Strata).Count(d.Next(t.messages)), t.messages
	}
}

// addHeld adds what compressors held when the program ended to the estimates, in proportion.
func (s *strata) addHeld() error {
	if !s.stream.HeldKnown {
		return nil
	}
	var sum uint64
	var tuples []tuple
	for _, h := range s.hashes {
		for _, v := range slices.Sorted(maps.Keys(h.counts)) {
			if v < runfile.SamplesOf {
				n := method.Of(table.Strata).Executions(h.counts[v])
				h.values = append(h.values, v)
				tuples = append(tuples, tuple{n, new(uint64), new(uint64)})
				if err := sums.Add(&sum, n); err != nil {
					return err
				}
			}
		}
	}
	events := int64(sum) + s.stream.Held
	if sum == 0 || sum > sums.MostEvents || events < 0 || events > sums.MostEvents {
		return nil // nobody to add it to, or damaged
	}
	spread(uint64(events), sum, tuples)
	for _, h := range s.hashes {
		for _, v := range h.values {
			h.counts[v] = *tuples[0].estimate
			tuples = tuples[1:]
		}
	}
	return nil
}
