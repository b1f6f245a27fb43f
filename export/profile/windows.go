package profile

import (
	"maps"
	"math"

	"github.com/goprofinstr/goprofinstr/export/profile/internal/windows"
	"github.com/goprofinstr/goprofinstr/rt/rundata"
	"github.com/goprofinstr/goprofinstr/rt/runfile"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// A windowed count is what windows say of a path: how often it was executed and not counted.
type windowed struct {
	total      float64
	selections []float64 // what it might have been: see package windows
}

// addWindows returns the packages of a run with estimates and samples in place of executions: what was counted has none
// of the latter. What windows say is added to the estimates.
func (b *builder) addWindows(run *rundata.Run) ([]*rundata.Package, error) {
	pkgs := make(map[*rundata.Package]*rundata.Package)
	var list []*rundata.Package
	for _, p := range run.Packages {
		q := p
		if t, err := b.table(p); err == nil && t.Counts == table.Ticks {
			if q, err = inSampleUnits(p); err != nil {
				return nil, err
			}
			pkgs[p] = q
		}
		list = append(list, q)
	}
	estimates, err := windows.Estimate(run)
	if err != nil {
		return nil, err
	}
	for i := range estimates {
		e := &estimates[i]
		if q := pkgs[e.Package]; q != nil {
			b.addWindowed(e)
			if err := addEstimate(q, e); err != nil {
				return nil, err
			}
		}
	}
	return list, nil
}

// addWindowed adds what windows say of a path.
func (b *builder) addWindowed(e *windows.Path) {
	key := pathKey{e.Package.Path, e.Hash, e.Number}
	m := b.windowed[key]
	if m == nil {
		m = &windowed{selections: make([]float64, len(e.Selections))}
		b.windowed[key] = m
	}
	m.total += e.Total
	for k, s := range e.Selections {
		m.selections[k] += s
	}
}

// inSampleUnits returns a package whose executions are in units of runfile.SampleUnit.
func inSampleUnits(p *rundata.Package) (*rundata.Package, error) {
	q := &rundata.Package{Path: p.Path, Table: p.Table, Counters: make([]uint64, len(p.Counters)), Hashes: make([]map[uint64]uint64, len(p.Hashes))}
	for i := 0; i+1 < len(p.Counters); i += 2 {
		if p.Counters[i] > math.MaxUint64/runfile.SampleUnit {
			return nil, errOverflow
		}
		q.Counters[i] = p.Counters[i] * runfile.SampleUnit
	}
	for i, counts := range p.Hashes {
		q.Hashes[i] = maps.Clone(counts)
		for id, n := range counts {
			if n > math.MaxUint64/runfile.SampleUnit {
				return nil, errOverflow
			}
			q.Hashes[i][id] = n * runfile.SampleUnit
		}
	}
	return q, nil
}

// addEstimate adds to the estimate of a path, and to its samples.
func addEstimate(q *rundata.Package, e *windows.Path) error {
	const most = math.MaxUint64 / runfile.SampleUnit / 2
	if !(e.Total < most) {
		return errOverflow
	}
	estimate := uint64(e.Total * runfile.SampleUnit)
	if e.Hash < 0 {
		q.Counters[2*e.Number+1] += e.Samples
		return addCount(&q.Counters[2*e.Number], estimate)
	}
	if q.Hashes[e.Hash] == nil {
		q.Hashes[e.Hash] = make(map[uint64]uint64)
	}
	h := q.Hashes[e.Hash]
	h[e.Number|runfile.SamplesOf] += e.Samples
	sum := h[e.Number]
	err := addCount(&sum, estimate)
	h[e.Number] = sum
	return err
}
