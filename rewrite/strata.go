package rewrite

import (
	"fmt"

	"github.com/goprofinstr/goprofinstr/rt"
	"github.com/goprofinstr/goprofinstr/sampler/stream"
	"github.com/goprofinstr/goprofinstr/ssacfg/pathnum"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// Stream says how the stream of events is compressed. The zero Stream says that it is not.
type Stream struct {
	Text string // how the user writes Spec
	Spec stream.Spec

	// Counted is how many paths a function may have for them to be counted, each in a counter of its own, rather than sampled. If it is 0, all are sampled.
	Counted uint64
	// PathsOnly says that other events are counted.
	PathsOnly bool
}

// On reports whether events are sampled.
func (s Stream) On() bool { return s.Spec != stream.Spec{} }

// Estimates reports whether all counts are estimates.
func (s Stream) Estimates() bool { return s.On() && s.Counted == 0 }

// InLine reports whether code in line samples events: H[P_r]_n and P_r, which is the same with one stratum. Others take calls.
func (s Stream) InLine() bool {
	return s.Spec == stream.Spec{Sampler: stream.Sampler{Kind: stream.KindPeriodic, Rate: s.Spec.Sampler.Rate}, Bits: s.Spec.Bits} && 1<<s.Spec.Bits <= rt.MostStrata
}

// streamer writes probes that feed events to the sampler: rt/strata.go.
type streamer struct {
	Stream
	rt  string // the runtime's import
	pkg string // import path of the package
}

// An eventValue is the value of an event: what a variable holds, if there is one, and a number.
type eventValue struct {
	register string
	number   uint64
	wide     bool // it can have more than 32 bits
}

func (v eventValue) String() string {
	if v.register == "" {
		return fmt.Sprint(v.number)
	}
	return v.register + signed(v.number, "+", "-")
}

// counted returns a call for an event whose counter is that of the value, from the first one on in the package's counters of the given name. With Count before its name it
// is an expression. It is for streams that are sampled in line.
func (s *streamer) counted(counters string, first uint64, v eventValue) string {
	key, bits := rt.StreamKey(s.pkg, -1)+first, uint64(s.Spec.Bits)
	stratum := fmt.Sprint(rt.CountedStratum(key, v.number, bits))
	if v.register != "" {
		mask := uint64(1)<<bits - 1
		stratum = fmt.Sprintf("%s.Counted(%s,%d,%d)", s.rt, v.register, (key+v.number)&mask, mask)
	}
	return fmt.Sprintf("Event(%s,&%s[%s.Pad+%d],%s,%d)", stratum, counters, s.rt, first, v, s.Spec.Sampler.Rate)
}

// hashed returns a call for an event of one of the package's hash tables, of the given name, and its stratum, "" for streams that are not sampled in line. The call is
// for events of which rt.Due says that they may be messages.
func (s *streamer) hashed(hash int, tables string, v eventValue) (call, stratum string) {
	if !s.InLine() {
		return fmt.Sprintf("Feed(&%s[%d],%s)", tables, hash, v), ""
	}
	key, bits := rt.StreamKey(s.pkg, hash), uint64(s.Spec.Bits)
	switch {
	case v.register == "":
		stratum = fmt.Sprint(rt.HashedStratum(key, v.number, bits))
	case v.wide:
		stratum = fmt.Sprintf("%s.Hashed(%s.Fold(%s),%d,%d)", s.rt, s.rt, v, key, 32-bits)
	default:
		stratum = fmt.Sprintf("%s.Hashed(%s,%d,%d)", s.rt, v.register, rt.HashedKey(key, v.number), 32-bits)
	}
	return fmt.Sprintf("EventPath(%s,&%s[%d],%s,%d)", stratum, tables, hash, v, s.Spec.Sampler.Rate), stratum
}

// registration returns what has to run before the package is registered.
func (s *streamer) registration() string {
	if s.InLine() {
		return fmt.Sprintf("var _=%s.UseStream(%q,%d,%d)\n", s.rt, s.Text, s.Spec.Sampler.Rate, s.Spec.Bits)
	}
	number := func(b bool) int {
		if b {
			return 1
		}
		return 0
	}
	spec := s.Spec
	return fmt.Sprintf("var _=%s.UseCompressor(%q,%d,%d,%d,%d,%d,%d,%d)\n", s.rt, s.Text,
		spec.Sampler.Kind, number(spec.Sampler.Counted), spec.Sampler.Rate, spec.Bits, spec.TagBits, number(spec.Fold), spec.Table)
}

// event returns the call at the end of a path, and the stratum if rt.Due has to be asked first.
func (em *emitter) event(p *plan, op pathnum.Op) (call, stratum string) {
	v := eventValue{number: op.Inc, wide: p.fn.Numbering.Values.NumPaths > 1<<32}
	if op.Count == pathnum.CountRegister {
		v.register = em.r(p)
	}
	if p.storage == table.StorageHash {
		return em.stream.hashed(p.hash, em.hashes, v)
	}
	return em.stream.counted(em.counters, p.first, v), ""
}

// eventStatement returns the code at the end of a path as a statement.
func (em *emitter) eventStatement(p *plan, op pathnum.Op) string {
	call, stratum := em.event(p, op)
	if stratum == "" {
		return em.rt + "." + call
	}
	return fmt.Sprintf("if %[1]s.Due(%[2]s){%[1]s.%[3]s}", em.rt, stratum, call)
}

// eventExpression returns it as an expression that is an untyped true.
func (em *emitter) eventExpression(p *plan, op pathnum.Op) string {
	call, stratum := em.event(p, op)
	if stratum == "" {
		return fmt.Sprintf("%s.Count%s==0", em.rt, call)
	}
	return fmt.Sprintf("(%[1]s.Due(%[2]s)==%[1]s.Passed||%[1]s.Count%[3]s==0)", em.rt, stratum, call)
}
