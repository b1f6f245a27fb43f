package method

import (
	"github.com/goprofinstr/goprofinstr/rewrite/internal/emit"
	rtevent "github.com/goprofinstr/goprofinstr/rt/event"
	"github.com/goprofinstr/goprofinstr/ssacfg/pathnum"
)

// fed samples events with a compressor of any kind, which is fed by calls. See rt/strata/feed.go.
type fed struct{ streamed }

func init() {
	register("fed", func(o Options, n *emit.Names, pkg string) Method { return &fed{newStreamed(o, n, pkg)} })
}

func (*fed) DeclineNosplit() string {
	return "marked go:nosplit, and this -sampler takes calls; H[P256]2048 does not"
}

// Paths gives all functions whose paths are sampled hash tables.
func (s *fed) Paths(paths, most uint64) (p Paths, array bool) {
	if p, array := s.few(paths, most); array {
		return p, array
	}
	s.used = true
	return s, false
}

// Event samples events, unless only paths are a stream.
func (s *fed) Event(hash int) Event {
	if s.PathsOnly {
		return s.counted.Event(hash)
	}
	s.used = true
	return Event{Rate: rtevent.FedRate, Mode: rtevent.Atomic}
}

// Start says what compressor there is.
func (s *fed) Start(p Package) string {
	start := s.counted.Start(p)
	if !s.used {
		return start
	}
	number := func(b bool) int {
		if b {
			return 1
		}
		return 0
	}
	spec := s.Spec
	return start + s.Sprintf("var _=$strata.UseCompressor(&$strata.Compressor{Spec:%q,"+
		"Kind:%d,Counted:%d,Rate:%d,Bits:%d,TagBits:%d,Fold:%d,Table:%d})\n",
		s.Text, spec.Sampler.Kind, number(spec.Sampler.Counted), spec.Sampler.Rate,
		spec.Bits, spec.TagBits, number(spec.Fold), spec.Table)
}

// End makes an event of the end of a path.
func (s *fed) End(f *Function, op pathnum.Op) Code {
	return call(s.Names, "$strata.Feed", f.hashed(s.Names)+","+f.value(op).String())
}
