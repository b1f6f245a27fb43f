package rewrite

import (
	"fmt"
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
	Frames uint64        // the most new frames of a calling context that a sample may find; 0 if no contexts are found
}

// On reports whether paths are sampled.
func (s Sampling) On() bool { return s.Policy.Samples > 0 }

// probe returns the probe at the end of a path: PEP 3.2. In place of the count it has a test whether there is a burst.
func (em *emitter) probe(p *plan, op pathnum.Op) string {
	return fmt.Sprintf("if %s.Burst.On!=0{%s.Sample%s}", em.rt, em.rt, em.path(p, op))
}

// path returns the end of the name of a function of the runtime and its arguments, which say what path it is that ends.
func (em *emitter) path(p *plan, op pathnum.Op) string {
	if p.storage == table.StorageHash {
		return fmt.Sprintf("Path(&%s[%d],%s)", em.hashes, p.hash, em.number(p, op))
	}
	if op.Count == pathnum.CountRegister {
		return fmt.Sprintf("(%s.Pair(&%s,%s))", em.rt, em.counter(2*p.first), em.number(p, op))
	}
	return fmt.Sprintf("(&%s)", em.counter(2*(p.first+op.Inc)))
}
