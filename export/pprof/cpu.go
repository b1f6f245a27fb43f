package pprof

import (
	"errors"
	"io"

	google "github.com/google/pprof/profile"

	"github.com/goprofinstr/goprofinstr/export/profile"
)

// WriteCPU writes the CPU time of a sampled profile as runtime/pprof would have: with its sample types and its frames. So
// pprof can compare and merge it with CPU profiles, which it does by the names of sample types. It is an error if p has no
// CPU time.
func WriteCPU(w io.Writer, p *profile.Profile) error {
	b := newBuilder(p, "samples")
	b.instances = true
	cpu := google.ValueType{Type: "cpu", Unit: "nanoseconds"}
	b.prof.SampleType = append(b.prof.SampleType, &cpu)
	b.prof.PeriodType, b.prof.DefaultSampleType = &cpu, cpu.Type
	for _, r := range p.Runs {
		if r.Sampling != nil {
			b.prof.Period = r.Sampling.Period.Nanoseconds()
		}
	}
	for _, c := range p.Contexts {
		if c.Time == 0 {
			continue
		}
		stack := c.Stack()
		if n := len(stack); n > 1 && stack[n-1].Name == "runtime.goexit" { // which CPU profiles leave out
			stack = stack[:n-1]
		}
		b.prof.Sample = append(b.prof.Sample, &google.Sample{
			Location: b.stack(stack), Value: []int64{c.Samples, c.Time}, Label: labelsOf(c),
		})
	}
	if len(b.prof.Sample) == 0 {
		return errors.New("the profile has no CPU time, which -mode sampled takes")
	}
	b.commentEstimates("CPU time of functions", b.timeComments())
	return b.write(w)
}
