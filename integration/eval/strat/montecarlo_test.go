package strat

import (
	"math"
	"testing"
)

func estimator(t *testing.T, text string) Estimator {
	e, err := ParseEstimator(text)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// TestFigure4 has the three classes of STRAT 3.3. R_10 needs a stream almost three times as long as H[P_10]_n for an
// error of 4%.
func TestFigure4(t *testing.T) {
	names := []string{"R10", "H[R10]4", "P10", "CR10/length", "H[P10]4", "H[CR10]4/length"}
	m := MonteCarlo{nil, []int{2000, 4000, 8000, 16000}, 600, 1}
	for _, name := range names {
		m.Samplers = append(m.Samplers, estimator(t, name))
	}
	errors := m.Run()
	mean := make([]float64, len(names)) // of all lengths, with the error of each of √N times the same
	for i := range names {
		for l, length := range m.Lengths {
			mean[i] += errors[i][l] * math.Sqrt(float64(length)/4000) / float64(len(m.Lengths))
		}
		t.Logf("%-8s %.2f%% at 4000, %.2f in all", names[i], mean[i], errors[i])
	}
	for i := 0; i < len(names); i += 2 {
		if ratio := mean[i] / mean[i+1]; ratio < 0.95 || ratio > 1.05 {
			t.Errorf("%s has %.3f times the error of %s, and should have the same", names[i], ratio, names[i+1])
		}
	}
	for i := 2; i < len(names); i += 2 {
		if ratio := mean[i-2] / mean[i]; ratio < 1.1 {
			t.Errorf("%s has %.3f times the error of %s, and should have more", names[i-2], ratio, names[i])
		}
	}
	random, strata := Length(m.Lengths, errors[0], 4), Length(m.Lengths, errors[4], 4)
	if ratio := random / strata; strata == 0 || ratio < 2.2 || ratio > 3.2 {
		t.Errorf("for an error of 4%% R10 needs %.0f events and H[P10]4 %.0f: %.2f times as many", random,
			strata, ratio)
	}
}

// TestCounts has what STRAT does not say: the sums of counts that vary are worse than those of equal ones. They are
// so by √2 where they are a memoryless sampler's, and by √(4/3) where intervals are even.
func TestCounts(t *testing.T) {
	m := MonteCarlo{[]Estimator{estimator(t, "P10"), estimator(t, "CR10"), estimator(t, "CD10")}, []int{8000}, 1500, 2}
	errors := m.Run()
	for i, want := range []float64{1, math.Sqrt2, math.Sqrt(4. / 3)} {
		if ratio := errors[i][0] / errors[0][0]; math.Abs(ratio-want) > 0.07 {
			t.Errorf("%v has %.3f times the error of P10, want %.3f", m.Samplers[i].Spec, ratio, want)
		}
	}
}

func TestLength(t *testing.T) {
	lengths, errors := []int{1000, 4000, 16000}, []float64{8, 4, 2}
	for _, test := range []struct{ most, want float64 }{{4, 4000}, {3, 64000. / 9}, {2, 16000}, {9, 0}, {1, 0}} {
		if got := Length(lengths, errors, test.most); math.Abs(got-test.want) > 1 {
			t.Errorf("%v%%: %v, want %v", test.most, got, test.want)
		}
	}
}
