package windows

import (
	"maps"
	"math"

	"github.com/goprofinstr/goprofinstr/export/profile/internal/sums"
	"github.com/goprofinstr/goprofinstr/rt/rundata"
	"github.com/goprofinstr/goprofinstr/rt/runfile"
)

// Fill returns the packages of a run with estimates and samples in place of executions: what was counted has none of the
// latter. What windows say, which is returned too, is added to the estimates. Packages that isSampled is not true of
// stay as they are. Copies is as in Estimate.
func Fill(run *rundata.Run, isSampled func(*rundata.Package) bool, copies bool) (pkgs []*rundata.Package, paths []Path, err error) {
	filled := make(map[*rundata.Package]*rundata.Package)
	for _, p := range run.Packages {
		q := p
		if isSampled(p) {
			if q, err = inSampleUnits(p); err != nil {
				return nil, nil, err
			}
			filled[p] = q
		}
		pkgs = append(pkgs, q)
	}
	estimates, err := Estimate(run.Replicates, run.Controls, Counted, copies)
	if err != nil {
		return nil, nil, err
	}
	for i := range estimates {
		e := &estimates[i]
		if q := filled[e.Package]; q != nil {
			paths = append(paths, *e)
			if err := addEstimate(q, e); err != nil {
				return nil, nil, err
			}
		}
	}
	return pkgs, paths, nil
}

// inSampleUnits returns a package whose executions are in units of runfile.SampleUnit.
func inSampleUnits(p *rundata.Package) (*rundata.Package, error) {
	q := &rundata.Package{Path: p.Path, Table: p.Table, Counters: make([]uint64, len(p.Counters)),
		Hashes: make([]map[uint64]uint64, len(p.Hashes))}
	for i := 0; i+1 < len(p.Counters); i += 2 {
		if p.Counters[i] > math.MaxUint64/runfile.SampleUnit {
			return nil, sums.ErrOverflow
		}
		q.Counters[i] = p.Counters[i] * runfile.SampleUnit
	}
	for i, counts := range p.Hashes {
		q.Hashes[i] = maps.Clone(counts)
		for id, n := range counts {
			if n > math.MaxUint64/runfile.SampleUnit {
				return nil, sums.ErrOverflow
			}
			q.Hashes[i][id] = n * runfile.SampleUnit
		}
	}
	return q, nil
}

// Units returns Total in units of runfile.SampleUnit.
func (p *Path) Units() (uint64, error) {
	const most = math.MaxUint64 / runfile.SampleUnit / 2
	if !(p.Total < most) {
		return 0, sums.ErrOverflow
	}
	return uint64(p.Total * runfile.SampleUnit), nil
}

// addEstimate adds to the estimate of a path, and to its samples.
func addEstimate(q *rundata.Package, e *Path) error {
	estimate, err := e.Units()
	if err != nil {
		return err
	}
	if e.Hash < 0 {
		q.Counters[2*e.Number+1] += e.Samples
		return sums.Add(&q.Counters[2*e.Number], estimate)
	}
	if q.Hashes[e.Hash] == nil {
		q.Hashes[e.Hash] = make(map[uint64]uint64)
	}
	h := q.Hashes[e.Hash]
	h[e.Number|runfile.SamplesOf] += e.Samples
	sum := h[e.Number]
	err = sums.Add(&sum, estimate)
	h[e.Number] = sum
	return err
}
