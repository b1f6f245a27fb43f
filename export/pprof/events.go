package pprof

import (
	"fmt"
	"io"

	google "github.com/google/pprof/profile"

	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/internal/show"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// WriteEvents writes a gzipped pprof profile of the events of one kind, with a sample for each value at each place.
// For calls it is the function that was called, whose caller is the function with the call. For others it is a frame
// such as "pkg.Func {len(x) 12}" called by pkg.Func. Labels: value.
func WriteEvents(w io.Writer, p *profile.Profile, kind string) error {
	b := newBuilder(p, kind)
	for _, e := range p.Events() {
		if e.Name() != kind {
			continue
		}
		for _, v := range e.Values {
			if v.Count == 0 {
				continue
			}
			b.prof.Sample = append(b.prof.Sample, &google.Sample{
				Location: []*google.Location{b.valueLocation(e, v), b.location(e.Function, "", e.Line)},
				Value:    []int64{v.Count},
				Label:    map[string][]string{"value": {show.Printable(v.Name)}},
			})
		}
	}
	return b.write(w)
}

// valueLocation returns the leaf of a sample.
func (b *builder) valueLocation(e profile.FunctionEvents, v profile.Value) *google.Location {
	if e.Kind != table.Calls {
		return b.location(e.Function, fmt.Sprintf(" {%s %s}", e.Text, e.Show(v)), e.Line)
	}
	key := frame{name: v.Name}
	if b.functions[key] == nil {
		b.functions[key] = b.newFunction(v.Name, "", 0)
	}
	return b.locationOf(key, b.functions[key])
}
