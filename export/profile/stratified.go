package profile

import (
	"fmt"
	"maps"
	"math/bits"
	"slices"

	"github.com/goprofinstr/goprofinstr/rt"
	"github.com/goprofinstr/goprofinstr/rt/rundata"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// strata are what is known of a run whose events were sampled in strata: Sastry, Bodík & Smith, "Rapid profiling via stratified sampling". How many events a stratum
// has had is known, and so the estimates of its tuples are in the proportion of their messages and add up to that.
type strata struct {
	stream *rundata.Stream
	tuples [][]tuple // by stratum
}

// A tuple is a source of events and a value: what messages tell.
type tuple struct {
	messages uint64
	estimate *uint64 // where it goes
	samples  *uint64 // where the messages go
}

// estimate returns the packages of a run with estimates and samples in place of the messages of those that are stratified, as they are where paths are sampled
// otherwise: see rt/format.go. Tables are those that have been decoded, by their encoding.
func estimate(run *rundata.Run, tables map[string]*table.Package) ([]*rundata.Package, error) {
	if run.Stream == nil {
		return run.Packages, nil
	}
	s := strata{stream: run.Stream, tuples: make([][]tuple, 1<<run.Stream.Bits)}
	var pkgs []*rundata.Package
	var hashes []*hashed
	for _, p := range run.Packages {
		t, err := decodeOnce(p, tables)
		if err != nil {
			return nil, err
		}
		if t.Stratified {
			q := &rundata.Package{Path: p.Path, Table: p.Table, Counters: make([]uint64, 2*len(p.Counters))}
			s.addCounters(q, p)
			for i, messages := range p.Hashes {
				h := s.addHash(p.Path, i, messages)
				hashes = append(hashes, h)
				q.Hashes = append(q.Hashes, h.counts)
			}
			p = q
		}
		pkgs = append(pkgs, p)
	}
	if err := s.divide(); err != nil {
		return nil, err
	}
	for _, h := range hashes {
		h.fill()
	}
	return pkgs, nil
}

// decodeOnce decodes the table of a package, if that has not been done.
func decodeOnce(p *rundata.Package, tables map[string]*table.Package) (*table.Package, error) {
	if t := tables[string(p.Table)]; t != nil {
		return t, nil
	}
	t, err := table.Decode(p.Table)
	if err != nil {
		return nil, fmt.Errorf("package %s: %w", p.Path, err)
	}
	tables[string(p.Table)] = t
	return t, nil
}

// addCounters adds the tuples of a package's counters, whose estimates and samples go to pairs in q.
func (s *strata) addCounters(q, p *rundata.Package) {
	key := rt.StreamKey(p.Path, -1)
	for i, n := range p.Counters {
		if n > 0 {
			s.add(key, uint64(i), tuple{n, &q.Counters[2*i], &q.Counters[2*i+1]})
		}
	}
}

// hashed is a hash table whose estimates are not in a map yet.
type hashed struct {
	values []uint64
	sums   [][2]uint64
	counts map[uint64]uint64
}

// addHash adds the tuples of a hash table.
func (s *strata) addHash(path string, i int, messages map[uint64]uint64) *hashed {
	h := &hashed{values: slices.Sorted(maps.Keys(messages)), counts: make(map[uint64]uint64)}
	h.sums = make([][2]uint64, len(h.values))
	key := rt.StreamKey(path, i)
	for i, v := range h.values {
		s.add(key, v, tuple{messages[v], &h.sums[i][0], &h.sums[i][1]})
	}
	return h
}

func (h *hashed) fill() {
	for i, v := range h.values {
		h.counts[v], h.counts[v|rt.SamplesOf] = h.sums[i][0], h.sums[i][1]
	}
}

func (s *strata) add(key, value uint64, t tuple) {
	i := rt.StratumOf(key, value, s.stream.Bits)
	s.tuples[i] = append(s.tuples[i], t)
}

// divide sets the estimates.
func (s *strata) divide() error {
	for i, tuples := range s.tuples {
		var messages uint64
		for _, t := range tuples {
			if err := addCount(&messages, t.messages); err != nil {
				return err
			}
		}
		if messages > 1<<32 || s.stream.Since[i] > 1<<62 {
			return errOverflow
		}
		spread(s.stream.Events(uint64(i), messages), messages, tuples)
	}
	return nil
}

// spread divides the events of a stratum among its tuples, in whole ones: tuples up to any have, together, what is in proportion to their messages, rounded
// down. So nothing is lost to rounding.
func spread(events, messages uint64, tuples []tuple) {
	var seen, given uint64
	for _, t := range tuples {
		seen += t.messages
		hi, lo := bits.Mul64(events, seen)
		upTo, _ := bits.Div64(hi, lo, messages)
		*t.estimate, *t.samples = (upTo-given)*rt.SampleUnit, t.messages
		given = upTo
	}
}
