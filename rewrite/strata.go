package rewrite

import (
	"fmt"

	"github.com/goprofinstr/goprofinstr/rt"
	"github.com/goprofinstr/goprofinstr/ssacfg/pathnum"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// Stream says how events are sampled in strata. The zero Stream says that they are not.
type Stream struct {
	Spec string // as the user gave it
	Rate uint64 // events that a message stands for
	Bits uint64 // there are 2^Bits strata
}

// On reports whether events are sampled in strata.
func (s Stream) On() bool { return s.Rate > 0 }

// streamer writes probes that feed events to the sampler: rt/strata.go.
type streamer struct {
	Stream
	rt  string // the runtime's import
	pkg string // import path of the package
}

// counted returns the arguments of rt.Event for the event that a counter of the package counts: which, at the address, is as
// an expression what register holds, which is "" if there is none, and a number.
func (s *streamer) counted(address, register string, number uint64) string {
	return fmt.Sprintf("(%s,%s,%d)", s.stratum(rt.StreamKey(s.pkg, -1), register, number, false), address, s.Rate)
}

// hashed returns the arguments of rt.EventPath for an event of a hash table, whose value is the same, and as an expression value. Wide tells that
// it can have more than 32 bits.
func (s *streamer) hashed(hash int, table, value, register string, number uint64, wide bool) string {
	return fmt.Sprintf("(%s,&%s,%s,%d)", s.stratum(rt.StreamKey(s.pkg, hash), register, number, wide), table, value, s.Rate)
}

// stratum returns the stratum of an event.
func (s *streamer) stratum(key uint64, register string, number uint64, wide bool) string {
	switch {
	case register == "":
		return fmt.Sprint(rt.StratumOf(key, number, s.Bits))
	case wide:
		return fmt.Sprintf("%s.Stratum(%s.Fold(%s%s),%d,%d)", s.rt, s.rt, register, signed(number, "+", "-"), key, 32-s.Bits)
	}
	return fmt.Sprintf("%s.Stratum(%s,%d,%d)", s.rt, register, rt.StratumAdd(key, number), 32-s.Bits)
}

// event returns what is called at the end of a path, behind the runtime's name.
func (em *emitter) event(p *plan, op pathnum.Op) string {
	register := ""
	if op.Count == pathnum.CountRegister {
		register = em.r(p)
	}
	if p.storage == table.StorageHash {
		wide := p.fn.Numbering.Values.NumPaths > 1<<32
		return "EventPath" + em.stream.hashed(p.hash, fmt.Sprintf("%s[%d]", em.hashes, p.hash), em.number(p, op), register, op.Inc, wide)
	}
	return "Event" + em.stream.counted(address(em.pathCounter(p, op)), register, p.first+op.Inc)
}
