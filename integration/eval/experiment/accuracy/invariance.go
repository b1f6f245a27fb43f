package accuracy

import (
	"fmt"

	"github.com/goprofinstr/goprofinstr/integration/eval/accuracy"
	"github.com/goprofinstr/goprofinstr/integration/eval/strat"
	"github.com/goprofinstr/goprofinstr/sampler/stream"
)

// invarianceError returns the error of a profile by STRAT's measure (5.3.1): sites are functions, and values
// their paths.
func invarianceError(actual, estimate *accuracy.Profile) (float64, error) {
	b := strat.NewBuilder()
	numbers := make(map[string]uint64)
	each(actual, numbers, func(t stream.Tuple, _ float64) { b.Add(t) })
	s := b.Stream(b.Len())
	ideal, estimated := s.NewCounts(), s.NewCounts()
	each(actual, numbers, func(t stream.Tuple, n float64) { s.Count(ideal, t, n) })
	each(estimate, numbers, func(t stream.Tuple, n float64) { s.Count(estimated, t, n) })
	return s.Error(strat.Usual, ideal, estimated)
}

// each calls f for each path of a profile as a tuple. Numbers has those of functions and paths.
func each(p *accuracy.Profile, numbers map[string]uint64, f func(t stream.Tuple, weight float64)) {
	number := func(name string) uint64 {
		n, ok := numbers[name]
		if !ok {
			n = uint64(len(numbers))
			numbers[name] = n
		}
		return n
	}
	for _, fn := range p.Functions {
		site := number(fn.Name)
		for i := range fn.Paths {
			path := &fn.Paths[i]
			f(stream.Tuple{Site: site, Value: number(fmt.Sprint(fn.Name, path.Start, path.Loop, path.Edges))},
				path.Weight)
		}
	}
}
