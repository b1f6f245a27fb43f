package pprof

import (
	"io"

	google "github.com/google/pprof/profile"

	"github.com/goprofinstr/goprofinstr/export/profile"
)

// WriteCalls writes a gzipped pprof profile with a sample for each
// function that was entered: value call_execs, its activations.
//
// Where calling contexts are known there is a sample for each context that a function was entered in. There is also
// CPU time by the line of the innermost function, which need not be an instrumented one. Both have the goroutine's
// labels.
func WriteCalls(w io.Writer, p *profile.Profile) error {
	b := newBuilder(p, "call_execs")
	for _, c := range p.Contexts {
		if c.Time > 0 {
			b.prof.Sample = append(b.prof.Sample, &google.Sample{
				Location: b.stack(c.Stack()), Value: []int64{0, c.Time}, Label: labelsOf(c),
			})
		}
	}
	if len(p.Contexts) > 0 {
		b.addTime()
		b.prof.DefaultSampleType = "time"
	}
	for _, f := range p.Functions() {
		if f.Entries > 0 {
			b.callSamples(f)
		}
	}
	b.commentEstimates("calls of functions", b.callComments())
	return b.write(w)
}

// callSamples adds the samples of the activations of a function: each begins with a path that starts at its entry.
func (b *builder) callSamples(f *profile.Function) {
	add := func(count int64, labels map[string][]string, callers []*google.Location) {
		values := []int64{count, 0}
		b.prof.Sample = append(b.prof.Sample, &google.Sample{
			Location: append([]*google.Location{b.location(f, "", f.Table.Line)}, callers...),
			Value:    values[:len(b.prof.SampleType)],
			Label:    labels,
		})
	}
	rest := f.Entries
	for _, c := range f.Calls {
		add(c.Count, labelsOf(c.Context), b.stack(b.known.CallerFrames(f, c.Context)))
		rest -= c.Count
	}
	if rest > 0 {
		add(rest, nil, nil)
	}
}
