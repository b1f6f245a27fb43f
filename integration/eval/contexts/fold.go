package contexts

import (
	"errors"
	"iter"
	"slices"

	pprof "github.com/google/pprof/profile"

	"github.com/goprofinstr/goprofinstr/export/profile"
)

// None is the function of time that was spent with no instrumented function on the stack: in the garbage
// collector, for instance.
const None = ""

// Instrumented has the names of instrumented functions, as the runtime has them.
type Instrumented map[string]bool

// NewInstrumented returns all functions that p knows, executed or not.
func NewInstrumented(p *profile.Profile) Instrumented {
	names := make(Instrumented)
	for _, f := range p.Functions() {
		names[f.Table.Name] = true
	}
	return names
}

// nearest returns the first instrumented function of a stack, innermost first.
func (known Instrumented) nearest(stack iter.Seq[string]) string {
	for name := range stack {
		if known[name] {
			return name
		}
	}
	return None
}

// ByFunction returns the CPU time of p's calling contexts by their nearest instrumented function, in ns.
func (known Instrumented) ByFunction(p *profile.Profile) map[string]float64 {
	times := make(map[string]float64)
	for _, c := range p.Contexts {
		if c.Time == 0 {
			continue
		}
		times[known.nearest(func(yield func(string) bool) {
			for _, f := range c.Stack() {
				if !yield(f.Name) {
					return
				}
			}
		})] += float64(c.Time)
	}
	return times
}

// ByFunctionOf does the same for a CPU profile of runtime/pprof. It is an error if the profile has no CPU time.
func (known Instrumented) ByFunctionOf(p *pprof.Profile) (map[string]float64, error) {
	value, err := cpuTime(p)
	if err != nil {
		return nil, err
	}
	times := make(map[string]float64)
	for _, s := range p.Sample {
		times[known.nearest(names(s))] += float64(s.Value[value])
	}
	return times, nil
}

// cpuTime returns which values of p's samples are CPU time.
func cpuTime(p *pprof.Profile) (value int, err error) {
	value = slices.IndexFunc(p.SampleType, func(t *pprof.ValueType) bool { return t.Type == "cpu" && t.Unit == "nanoseconds" })
	if value < 0 {
		return 0, errors.New("no CPU profile")
	}
	return value, nil
}

// names returns the functions of a sample, innermost first.
func names(s *pprof.Sample) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, location := range s.Location {
			for _, line := range location.Line {
				if !yield(line.Function.Name) {
					return
				}
			}
		}
	}
}

// Overlap returns the sum of the lesser of the shares that functions have of two profiles. It is an error if
// one of them has no time.
func Overlap(a, b map[string]float64) (float64, error) {
	totalA, totalB := sum(a), sum(b)
	if totalA == 0 || totalB == 0 {
		return 0, errors.New("no overlap: no CPU time")
	}
	overlap := 0.0
	for name, time := range a {
		overlap += min(time/totalA, b[name]/totalB)
	}
	return overlap, nil
}
