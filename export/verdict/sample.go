package verdict

import (
	"math"
	"math/rand/v2"
	"slices"
)

// reservoir is how many timings of a version are kept, each with the same probability: enough for its distribution to be drawn.
const reservoir = 4096

// A sample is what is known of the timings of one version.
type sample struct {
	n            float64
	mean, square float64 // of all, and the sum of squared deviations
	excess       float64 // sum of what outliers have above the cap
	perturb      float64 // sum of what section 6.1 of the paper divides by their number
	kept         []float64
	random       *rand.Rand
}

func newSample() *sample { return &sample{random: rand.New(rand.NewPCG(6, 1))} }

func (s *sample) add(time, least float64) {
	s.n++
	d := time - s.mean
	s.mean += d / s.n
	s.square += d * (time - s.mean)
	s.perturb += 100 / max(time-(least-0.1), 0.1)
	if len(s.kept) < reservoir {
		s.kept = append(s.kept, time)
	} else if i := s.random.Int64N(int64(s.n)); i < reservoir {
		s.kept[i] = time
	}
}

// Summary describes the timings of a version, in their unit.
type Summary struct {
	Timings    int     `json:"timings"`
	Mean       float64 `json:"mean"`
	Deviation  float64 `json:"deviation"`
	Capped     float64 `json:"capped_mean"` // with outliers at what is the most for others
	Median     float64 `json:"median"`
	Percentile struct {
		P1  float64 `json:"p1"`
		P5  float64 `json:"p5"`
		P25 float64 `json:"p25"`
		P75 float64 `json:"p75"`
		P95 float64 `json:"p95"`
		P99 float64 `json:"p99"`
	} `json:"percentiles"`
	// Outliers is the share of the time that outliers have above the most for others.
	Outliers float64 `json:"outliers"`
	Converge float64 `json:"converge_score"` // the paper's, in its unit, 1/ticks²
	Perturb  float64 `json:"perturb_score"`
	// Kept are some of the timings, each with the same probability, in order of their size.
	Kept []float64 `json:"-"`
}

// quantile returns the least of some sorted values that a share p of them does not exceed.
func quantile(sorted []float64, p float64) float64 {
	return sorted[max(0, int(math.Ceil(p*float64(len(sorted))))-1)]
}

// summary describes s.
func (s *sample) summary() Summary {
	out := Summary{Timings: int(s.n)}
	if s.n == 0 {
		return out
	}
	sorted := slices.Sorted(slices.Values(s.kept))
	at := func(p float64) float64 { return quantile(sorted, p) }
	out.Mean, out.Capped = s.mean, s.mean-s.excess/s.n
	if s.n > 1 {
		out.Deviation = math.Sqrt(s.square / (s.n - 1))
	}
	out.Median = at(0.5)
	p := &out.Percentile
	p.P1, p.P5, p.P25, p.P75, p.P95, p.P99 = at(0.01), at(0.05), at(0.25), at(0.75), at(0.95), at(0.99)
	if s.mean > 0 {
		out.Outliers = s.excess / (s.n * s.mean)
	}
	if s.square > 0 {
		out.Converge = s.n / (s.square / (s.n - 1))
	}
	out.Perturb = s.perturb / s.n
	out.Kept = sorted
	return out
}
