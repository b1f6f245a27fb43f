package verdict

import (
	"math"
	"math/rand/v2"
	"testing"
)

// placed runs a trial of two versions with copies, whose times differ by a deviation that places make. The second takes factor
// times as long.
func placed(seed uint64, copies int, deviation, factor float64) Result {
	random := rand.New(rand.NewPCG(seed, 11))
	o := Defaults(10)
	o.Copies = copies
	t := New(2, o)
	means := make([][2]float64, copies)
	for i := range means {
		means[i] = [2]float64{1000 * (1 + deviation*random.NormFloat64()), 1000 * factor * (1 + deviation*random.NormFloat64())}
	}
	for n := 0; n < 20_000; n++ {
		version, copy := random.IntN(2), random.IntN(copies)
		t.AddCopy(version, copy, means[copy][version]*(1+0.02*random.NormFloat64()))
		if n%1000 == 999 && t.Decided() {
			break
		}
	}
	return t.Result()
}

// TestPlaced: what placement makes is no difference. Without copies it is one, nearly always.
func TestPlaced(t *testing.T) {
	wrong, alone, runs := 0, 0, 200
	for seed := range runs {
		if r := placed(uint64(seed), 6, 0.03, 1); r.Outcome == Faster {
			wrong++
		} else if p := r.Pairs[0]; r.Outcome != Placed || p.Low > 0 || p.High < 0 || !p.ByPlacement() || r.Best != 0 {
			t.Errorf("run %d: %s, %+v", seed, r.Outcome, p)
		}
		if placed(uint64(seed), 1, 0.03, 1).Outcome == Faster {
			alone++
		}
	}
	t.Logf("%d of %d are wrong, without copies %d", wrong, runs, alone)
	if wrong > 6 {
		t.Error("that is more than 1% and chance")
	}
	if alone < runs/2 {
		t.Error("placement makes no difference that copies could do away with")
	}
}

// TestPlacedFound: a difference beyond what placement makes is one, and so is none at all.
func TestPlacedFound(t *testing.T) {
	for seed := range uint64(20) {
		if r := placed(seed, 6, 0.01, 1.1); r.Outcome != Faster || r.Best != 0 || r.Pairs[0].Low < 0.05 {
			t.Errorf("run %d, 10%% slower: %s, %+v", seed, r.Outcome, r.Pairs[0])
		}
		if r := placed(seed, 6, 0.0001, 1); r.Outcome != Same {
			t.Errorf("run %d, no difference: %s, %+v", seed, r.Outcome, r.Pairs[0])
		}
	}
}

// A copy that has hardly been called leaves the pair open.
func TestPlacedCalled(t *testing.T) {
	o := Defaults(10)
	o.Copies = 2
	trial := New(2, o)
	for n := range 4000 {
		trial.AddCopy(n%2, n/2%2*n/3980, 1000+float64(n%2)*100)
	}
	if r := trial.Result(); r.Outcome != Undecided || r.Pairs[0].Known {
		t.Errorf("%s, %+v", r.Outcome, r.Pairs[0])
	}
}

// A few copies of six tell a large difference. That what is left is placement is known with all of them only.
func TestPlacedFew(t *testing.T) {
	for _, test := range []struct {
		called, copies int // copies that are called, and that there are
		factor         float64
		want           Outcome
	}{
		{2, 6, 1.5, Undecided}, {3, 6, 1.5, Faster}, {5, 6, 0.985, Undecided}, {6, 6, 0.985, Placed},
	} {
		random := rand.New(rand.NewPCG(uint64(test.called), 13))
		o := Defaults(10)
		o.Copies = test.copies
		trial := New(2, o)
		for range 6000 {
			version, copy := random.IntN(2), random.IntN(test.called)
			mean := []float64{1000, 1000*test.factor + 10*float64(copy)}[version]
			trial.AddCopy(version, copy, mean*(1+0.01*random.NormFloat64()))
		}
		if r := trial.Result(); r.Outcome != test.want {
			t.Errorf("%d of %d copies are called: %s, want %s; %+v", test.called, test.copies, r.Outcome, test.want, r.Pairs)
		}
	}
}

// Laps of copies are compared as calls are.
func TestPlacedLaps(t *testing.T) {
	o := Options{Confidence: 0.99, Margin: 0.005, Copies: 3}
	random := rand.New(rand.NewPCG(3, 12))
	laps := NewLaps(2, o)
	for range 600 {
		version, copy := random.IntN(2), random.IntN(3)
		mean := 1000.0
		if version == 1 {
			mean = []float64{1100, 1120, 1300}[copy]
		}
		for i := range 20 {
			laps.AddCopy(version, copy, 4, mean*(1+0.01*random.NormFloat64()), i == 0)
		}
	}
	if r := laps.Result(); r.Outcome != Placed || r.Pairs[0].Low > 0 || r.Pairs[0].Effect < 0.1 {
		t.Errorf("%s, %+v", r.Outcome, r.Pairs[0])
	}
}

// TestStudent has values of tables.
func TestStudent(t *testing.T) {
	for _, test := range []struct{ freedom, alpha, want float64 }{{1, 0.05, 12.7062}, {3, 0.01, 5.84091}, {5, 0.01, 4.03214}, {30, 0.1, 1.69726}} {
		if got := student(test.freedom, test.alpha); math.Abs(got/test.want-1) > 1e-5 {
			t.Errorf("%v degrees of freedom, %v: %v, want %v", test.freedom, test.alpha, got, test.want)
		}
	}
}
