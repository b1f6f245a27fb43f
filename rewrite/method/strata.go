package method

import (
	"fmt"

	"github.com/goprofinstr/goprofinstr/rewrite/internal/emit"
	rtevent "github.com/goprofinstr/goprofinstr/rt/event"
	rtstrata "github.com/goprofinstr/goprofinstr/rt/strata"
	"github.com/goprofinstr/goprofinstr/ssacfg/pathnum"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// strata samples events in strata, by code in line: H[P_r]_n. See package rt/strata.
type strata struct{ streamed }

func init() {
	register("strata", func(o Options, n *emit.Names, pkg string) Method { return &strata{newStreamed(o, n, pkg)} })
}

func (s *strata) DeclineNosplit() string { return s.counted.DeclineNosplit() }

func (s *strata) Paths(paths, most uint64) (p Paths, array bool) {
	if p, array := s.few(paths, most); array {
		return p, array
	}
	s.used = true
	return s, s.Counted == 0 && paths <= most
}

// Event samples events, unless only paths are a stream.
func (s *strata) Event(hash int) Event {
	if s.PathsOnly {
		return s.counted.Event(hash)
	}
	s.used = true
	return Event{
		Key:   rtstrata.StreamKey(s.pkg, hash),
		Shift: 32 - uint64(s.Spec.Bits),
		Rate:  s.Spec.Sampler.Rate,
		Mode:  rtevent.Atomic,
	}
}

// Start says what strata there are. Their messages are counted in shards.
func (s *strata) Start(p Package) string {
	if !s.used {
		return s.counted.Start(p)
	}
	return shards{s.Names}.start() +
		s.Sprintf("var _=$strata.UseStream(%q,%d,%d)\n", s.Text, s.Spec.Sampler.Rate, s.Spec.Bits)
}

// End makes an event of the end of a path.
func (s *strata) End(f *Function, op pathnum.Op) Code {
	if f.Storage == table.StorageHash {
		return s.hashed(f.Hash, f.value(op))
	}
	return s.arrayed(f.First, f.value(op))
}

// arrayed returns an event whose counter is that of the value, from the first one on in the package's counters.
func (s *strata) arrayed(first uint64, v eventValue) Code {
	key, bits := rtstrata.StreamKey(s.pkg, -1)+first, uint64(s.Spec.Bits)
	stratum := fmt.Sprint(rtstrata.CountedStratum(key, v.number, bits))
	if v.register != "" {
		mask := uint64(1)<<bits - 1
		stratum = s.Sprintf("$strata.Counted(%s,%d,%d)", v.register, (key+v.number)&mask, mask)
	}
	args := fmt.Sprintf("%s,&%s,%s,%d", stratum, CounterOf(s.Names, first), v, s.Spec.Sampler.Rate)
	return call(s.Names, "$strata.Event", args)
}

// hashed returns an event of one of the package's hash tables. It is a call for events of which rtstrata.Due says that
// they may be messages.
func (s *strata) hashed(hash int, v eventValue) Code {
	key, bits := rtstrata.StreamKey(s.pkg, hash), uint64(s.Spec.Bits)
	var stratum string
	switch {
	case v.register == "":
		stratum = fmt.Sprint(rtstrata.HashedStratum(key, v.number, bits))
	case v.wide:
		stratum = s.Sprintf("$strata.Hashed($strata.Fold(%s),%d,%d)", v, key, 32-bits)
	default:
		stratum = s.Sprintf("$strata.Hashed(%s,%d,%d)", v.register, rtstrata.HashedKey(key, v.number), 32-bits)
	}
	args := fmt.Sprintf("%s,&%s[%d],%s,%d", stratum, s.Hashes, hash, v, s.Spec.Sampler.Rate)
	event := call(s.Names, "$strata.EventPath", args)
	return Code{
		s.Sprintf("if $strata.Due(%s){%s}", stratum, event.Statement),
		s.Sprintf("($strata.Due(%s)==$strata.Passed||%s)", stratum, event.Expression),
	}
}
