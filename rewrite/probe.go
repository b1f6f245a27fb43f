package rewrite

import (
	"fmt"
	"slices"
	"time"

	"github.com/goprofinstr/goprofinstr/sampler"
	"github.com/goprofinstr/goprofinstr/ssacfg/pathnum"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// Sampling says how paths are sampled. The zero Sampling says that they are not.
type Sampling struct {
	Policy sampler.Policy
	Budget uint64        // share of CPU time, in millionths
	Period time.Duration // CPU time between ticks
	Native bool          // probes are markers, which are patched away after linking
	Frames uint64        // the most new frames of a calling context that a sample may find; 0 if no contexts are found
}

// On reports whether paths are sampled.
func (s Sampling) On() bool { return s.Policy.Samples > 0 }

// probe returns the probe at the end of a path: PEP 3.2. In place of the count it has a test whether there is a burst.
func (em *emitter) probe(p *plan, op pathnum.Op) string {
	if em.native {
		s := em.site(p, op)
		if op.Count == pathnum.CountRegister {
			return fmt.Sprintf("%s.R=%s", s, em.siteNumber(p, op))
		}
		return s + ".One=1"
	}
	return fmt.Sprintf("if %s.Burst.On!=0{%s.Sample%s}", em.rt, em.rt, em.path(p, op))
}

// marks reports whether activations of a function have a mark: those with loops, and those that may be on the stack many times. In all functions
// marks cost 2.8 points of instructions on 12 benchmarks.
func (em *emitter) marks(p *plan) bool {
	return em.sampled && !em.native && (p.fn.Recursive || slices.Contains(p.fn.Numbering.Cut, true))
}

// path returns the end of the name of a function of the runtime and its arguments, which say what path it is that ends.
func (em *emitter) path(p *plan, op pathnum.Op) string {
	name, mark := "", ""
	if em.marks(p) {
		name, mark = "Mark", ",&"+em.mark
	}
	if p.storage == table.StorageHash {
		return fmt.Sprintf("Path%s(&%s[%d],%s%s)", name, em.hashes, p.hash, em.number(p, op), mark)
	}
	if op.Count == pathnum.CountRegister {
		return fmt.Sprintf("%s(%s.Pair(&%s,%s)%s)", name, em.rt, em.counter(2*p.first), em.number(p, op), mark)
	}
	return fmt.Sprintf("%s(&%s%s)", name, em.counter(2*(p.first+op.Inc)), mark)
}

// site returns the marker at the end of a path.
func (em *emitter) site(p *plan, op pathnum.Op) string {
	if p.storage == table.StorageHash {
		return fmt.Sprintf("%sH[%d]", em.sites, p.hash)
	}
	k := p.first + op.Inc
	if int64(k) < 0 {
		k = p.first
	}
	return fmt.Sprintf("%s[%d]", em.sites, k)
}

// siteNumber returns what the marker keeps.
func (em *emitter) siteNumber(p *plan, op pathnum.Op) string {
	if p.storage == table.StorageHash || int64(p.first+op.Inc) < 0 {
		return em.number(p, op)
	}
	return em.r(p)
}
