package strata

import (
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/goprofinstr/goprofinstr/rt/rundata"
	"github.com/goprofinstr/goprofinstr/rt/runfile"
	rtstrata "github.com/goprofinstr/goprofinstr/rt/strata"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// simulation is what probes do (rtstrata.Event), for one thread after the other, and the truth.
type simulation struct {
	stream *rundata.Stream
	left   []uint64
	truth  map[[3]uint64]uint64 // events by package, hash table + 1, and value
	run    *rundata.Run
}

func newSimulation(rate, bits uint64, pkgs ...*rundata.Package) *simulation {
	s := &simulation{stream: &rundata.Stream{Spec: "test", Rate: rate, Bits: bits}, truth: make(map[[3]uint64]uint64)}
	s.stream.Begun, s.stream.Since = make([]uint64, 1<<bits), make([]uint64, 1<<bits)
	s.run = &rundata.Run{Packages: pkgs, Stream: s.stream}
	s.left = make([]uint64, 1<<bits)
	return s
}

// endThread adds what the strata of a thread hold, as rundata does, and begins another one.
func (s *simulation) endThread() {
	for i, left := range s.left {
		if left > 0 {
			s.stream.Begun[i]++
			s.stream.Since[i] += s.stream.Rate - left
		}
		s.left[i] = 0
	}
}

func (s *simulation) event(pkg, hash int, value uint64) {
	p := s.run.Packages[pkg]
	key := rtstrata.StreamKey(p.Path, hash)
	stratum := rtstrata.HashedStratum(key, value, s.stream.Bits)
	if hash < 0 {
		stratum = rtstrata.CountedStratum(key, value, s.stream.Bits)
	}
	s.truth[[3]uint64{uint64(pkg), uint64(hash + 1), value}]++
	if s.left[stratum] > 1 {
		s.left[stratum]--
		return
	}
	s.left[stratum] = s.stream.Rate
	if hash < 0 {
		p.Counters[value]++
	} else {
		p.Hashes[hash][value]++
	}
}

// strataPackages returns two packages with 300 counters and a hash table each, and tables that say that they are stratified.
func strataPackages() ([]*rundata.Package, map[string]*table.Package) {
	tables := make(map[string]*table.Package)
	var pkgs []*rundata.Package
	for _, path := range []string{"example.com/a", "example.com/b"} {
		p := &rundata.Package{Path: path, Table: []byte(path), Counters: make([]uint64, 300), Hashes: []map[uint64]uint64{{}}}
		pkgs = append(pkgs, p)
		tables[path] = &table.Package{Path: path, Counts: table.Strata, Events: table.Strata, Functions: []table.Function{{Counts: table.Strata, Storage: table.StorageHash}}}
	}
	return pkgs, tables
}

// estimate returns the estimates of a simulation, whose packages have tables by their encodings.
func (s *simulation) estimate(tables map[string]*table.Package) ([]*rundata.Package, error) {
	var list []Package
	for _, p := range s.run.Packages {
		list = append(list, Package{p, tables[string(p.Table)]})
	}
	return Estimate(s.stream, list)
}

// TestStrata feeds random events of several threads, and holds the estimates against what was fed. All of it must be there,
// whatever the rate and the number of strata. Each stratum must have what it had, and what has a stratum for itself must be
// exact.
func TestStrata(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, test := range []struct{ rate, bits uint64 }{{1, 4}, {2, 0}, {7, 3}, {64, 6}, {256, 11}, {1000, 16}} {
		pkgs, tables := strataPackages()
		s := newSimulation(test.rate, test.bits, pkgs...)
		for range 3 {
			for range 20_000 {
				value := min(uint64(r.ExpFloat64()*20), 299)
				s.event(r.IntN(2), r.IntN(2)-1, value)
			}
			s.endThread()
		}
		estimates, err := s.estimate(tables)
		if err != nil {
			t.Fatal(err)
		}
		s.check(t, estimates)
		s.checkSparse(t, tables, estimates)
	}
}

// checkSparse holds the estimates of the run as it is polled against others.
func (s *simulation) checkSparse(t *testing.T, tables map[string]*table.Package, want []*rundata.Package) {
	t.Helper()
	var list []Sparse
	for _, p := range s.run.Packages {
		sparse := p.Sparse()
		list = append(list, Sparse{&sparse, tables[string(p.Table)]})
	}
	got, err := EstimateSparse(s.stream, list)
	if err != nil {
		t.Fatal(err)
	}
	for i := range got {
		if diff := cmp.Diff(want[i], got[i].Dense()); diff != "" {
			t.Errorf("rate %d, 2^%d strata (-dense +sparse):\n%s", s.stream.Rate, s.stream.Bits, diff)
		}
	}
}

func (s *simulation) check(t *testing.T, estimates []*rundata.Package) {
	t.Helper()
	want, got, tuples := make(map[uint64]uint64), make(map[uint64]uint64), make(map[uint64]int)
	for at, n := range s.truth {
		pkg, hash, value := estimates[at[0]], int(at[1])-1, at[2]
		stratum, estimate := rtstrata.CountedStratum(rtstrata.StreamKey(pkg.Path, -1), value, s.stream.Bits), uint64(0)
		if hash < 0 {
			estimate = pkg.Counters[2*value]
		} else {
			stratum, estimate = rtstrata.HashedStratum(rtstrata.StreamKey(pkg.Path, hash), value, s.stream.Bits), pkg.Hashes[hash][value]
		}
		if estimate%runfile.SampleUnit != 0 {
			t.Errorf("estimate of %d/%d executions", estimate, runfile.SampleUnit)
		}
		want[stratum] += n
		got[stratum] += estimate / runfile.SampleUnit
		tuples[stratum]++
		if s.stream.Rate == 1 && estimate/runfile.SampleUnit != n {
			t.Errorf("rate 1: %d estimated, %d executed", estimate/runfile.SampleUnit, n)
		}
	}
	for stratum, n := range want {
		if got[stratum] != n {
			t.Errorf("rate %d, 2^%d strata: stratum %d has %d events for its %d tuples, want %d", s.stream.Rate, s.stream.Bits, stratum, got[stratum], tuples[stratum], n)
		}
	}
}

// TestStrataKilled has processes killed in the middle of a probe: a stratum that has begun, without its message, and damaged
// counts.
func TestStrataKilled(t *testing.T) {
	pkgs, tables := strataPackages()
	s := newSimulation(10, 2, pkgs...)
	s.stream.Begun[1], s.stream.Since[1] = 1, 5
	if _, err := s.estimate(tables); err != nil {
		t.Errorf("events of a stratum without messages: %v", err)
	}
	pkgs[0].Counters[0] = 1 << 60
	if _, err := s.estimate(tables); err == nil {
		t.Error("2^60 messages are believed")
	}
	pkgs, tables = strataPackages()
	s = newSimulation(10, 2, pkgs...)
	for i := range s.stream.Since {
		s.stream.Begun[i], s.stream.Since[i] = 1, 5
	}
	pkgs[0].Hashes[0][7] = 0
	estimates, err := s.estimate(tables)
	if err != nil || estimates[0].Hashes[0][7] != 0 {
		t.Errorf("a value without messages: %v, %v", estimates, err)
	}
}

// TestHeld adds what compressors hold to what their messages tell, in proportion.
func TestHeld(t *testing.T) {
	pkgs, tables := strataPackages()
	s := newSimulation(0, 0, pkgs...)
	s.stream.Held, s.stream.HeldKnown = 10, true
	pkgs[0].Hashes[0] = map[uint64]uint64{3: 60 * runfile.SampleUnit, 3 | runfile.SamplesOf: 6}
	pkgs[1].Hashes[0] = map[uint64]uint64{4: 40 * runfile.SampleUnit, 4 | runfile.SamplesOf: 5}
	estimates, err := s.estimate(tables)
	if err != nil {
		t.Fatal(err)
	}
	a, b := estimates[0].Hashes[0], estimates[1].Hashes[0]
	if a[3] != 66*runfile.SampleUnit || b[4] != 44*runfile.SampleUnit || a[3|runfile.SamplesOf] != 6 || b[4|runfile.SamplesOf] != 5 {
		t.Errorf("60 and 40 and 10 held are %v and %v", a, b)
	}
	if pkgs[0].Hashes[0][3] != 60*runfile.SampleUnit {
		t.Error("the run was changed")
	}
}
