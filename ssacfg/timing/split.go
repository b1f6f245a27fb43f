package timing

// Merged is a timing of several passes of a point.
type Merged struct {
	Time   float64
	Passes uint64
}

// Split is AUDIT 5.4: a merged timing T of N passes becomes N timings of T/N, so that timings of versions can be compared
// of which the compiler has unrolled one, or whose strides differ. One of no passes is left out.
//
// The result has the mean time of a pass. Its variance is not that of a pass, nor is there N times as much evidence in it: N equal
// timings are one. Whatever asks how sure a mean is must count merged timings.
func Split(merged []Merged) []float64 {
	var timings []float64
	for _, m := range merged {
		for range m.Passes {
			timings = append(timings, m.Time/float64(m.Passes))
		}
	}
	return timings
}
