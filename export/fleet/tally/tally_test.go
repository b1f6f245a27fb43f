package tally

import (
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/goprofinstr/goprofinstr/rt/rundata"
)

// random returns a run with some counts of two packages, or of one.
func random(r *rand.Rand) *rundata.Run {
	run := &rundata.Run{Lost: uint64(r.IntN(3))}
	for _, path := range []string{"b", "a"}[r.IntN(2):] {
		p := &rundata.Package{Path: path, Table: []byte("table of " + path), Counters: make([]uint64, 9), Hashes: make([]map[uint64]uint64, 2)}
		for range r.IntN(6) {
			p.Counters[r.IntN(9)] = uint64(r.IntN(4))
		}
		if r.IntN(2) == 0 {
			p.Hashes[1] = map[uint64]uint64{r.Uint64(): 1, 5: uint64(1 + r.IntN(4))}
		}
		run.Packages = append(run.Packages, p)
	}
	return run
}

// A key is what has a count, and dense is a tally as a map: the slower truth.
type key struct {
	path string
	hash int
	at   uint64
}

func dense(t *Tally) map[key]uint64 {
	counts := make(map[key]uint64)
	for _, p := range t.Packages {
		for _, e := range p.Counters {
			counts[key{p.Path, -1, e.At}] = e.N
		}
		for i, list := range p.Hashes {
			for _, e := range list {
				counts[key{p.Path, i, e.At}] = e.N
			}
		}
	}
	return counts
}

// TestSums holds sums and differences against those of maps.
func TestSums(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		x, y := Of(random(r)), Of(random(r))
		want := dense(x)
		for k, n := range dense(y) {
			want[k] += n
		}
		before := dense(x)
		sum := &Tally{}
		if err := errors.Join(sum.Add(x), sum.Add(y)); err != nil {
			t.Fatal(err)
		}
		if got := dense(sum); !reflect.DeepEqual(got, want) || sum.Lost != x.Lost+y.Lost {
			t.Fatalf("sum %v, want %v", got, want)
		}
		back, err := sum.Sub(y)
		if err != nil {
			t.Fatal(err)
		}
		if got := dense(back); !reflect.DeepEqual(got, before) || back.Lost != x.Lost {
			t.Fatalf("difference %v, want %v", got, before)
		}
		if got := dense(x); !reflect.DeepEqual(got, before) {
			t.Fatalf("what was added has changed from %v to %v", before, got)
		}
	}
}

// TestDense has a tally give the run back that it was made of.
func TestDense(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 200 {
		run := random(r)
		for _, p := range run.Packages {
			s := p.Sparse()
			if got := s.Dense(); !reflect.DeepEqual(got.Counters, p.Counters) || !reflect.DeepEqual(got.Hashes, p.Hashes) {
				t.Fatalf("got %v, want %v", got, p)
			}
		}
	}
}

// TestRefused adds what cannot be added: then nothing has changed.
func TestRefused(t *testing.T) {
	run := func(table string, n uint64) *Tally {
		other := &rundata.Package{Path: "a", Table: []byte("a"), Counters: []uint64{1}}
		p := &rundata.Package{Path: "b", Table: []byte(table), Counters: []uint64{n}}
		return Of(&rundata.Run{Packages: []*rundata.Package{other, p}})
	}
	sum := run("one", 2)
	for want, t2 := range map[error]*Tally{ErrBuilds: run("other", 1), ErrOverflow: run("one", math.MaxUint64)} {
		before := dense(sum)
		if err := sum.Add(t2); !errors.Is(err, want) {
			t.Errorf("error %v, want %v", err, want)
		}
		if got := dense(sum); !reflect.DeepEqual(got, before) {
			t.Errorf("%v: %v, want %v", want, got, before)
		}
	}
	if _, err := sum.Sub(run("other", 1)); !errors.Is(err, ErrBuilds) {
		t.Errorf("error %v", err)
	}
}

// TestCarry has estimates that shrink and grow. No delta may be negative. All must add up to the largest that was said, which is
// the last if it grows again.
func TestCarry(t *testing.T) {
	at := func(n uint64) *Tally {
		return Of(&rundata.Run{Packages: []*rundata.Package{{Path: "a", Counters: []uint64{n, 1}}}})
	}
	var c Carry
	sum := uint64(0)
	for _, step := range []struct{ now, delta, over uint64 }{{5, 5, 0}, {9, 4, 0}, {7, 0, 2}, {8, 0, 1}, {12, 3, 0}} {
		delta, err := c.Next(at(step.now))
		if err != nil {
			t.Fatal(err)
		}
		got := dense(delta)[key{"a", -1, 0}]
		if got != step.delta || c.Over(at(step.now)) != step.over {
			t.Errorf("at %d: delta %d, over %d, want %d, %d", step.now, got, c.Over(at(step.now)), step.delta, step.over)
		}
		sum += got
	}
	if sum != 12 {
		t.Errorf("sum of deltas %d, want 12", sum)
	}
}
