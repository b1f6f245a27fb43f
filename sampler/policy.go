package sampler

// A Policy says which path ends after a tick are samples.
type Policy struct {
	Kind    PolicyKind
	Samples uint64 // after each tick, at least 1
	Stride  uint64 // at least 1
}

// PolicyKind is a way to choose samples.
type PolicyKind uint64

// The ways to choose samples: PEP figure 5.
const (
	Simplified  PolicyKind = iota // PEP's: the stride applies before the first sample only
	ArnoldGrove                   // a sample every stride path ends
)

// Default is the configuration that the paper recommends.
var Default = Policy{Simplified, 64, 17}

// Timer takes one sample at each tick.
var Timer = Policy{Simplified, 1, 1}

// MaxReach is the most path ends that package rt keeps after a tick.
const MaxReach = 2048

// Skip returns how many path ends are skipped before the first sample after tick number tick.
//
//go:norace
func (p Policy) Skip(tick uint64) uint64 { return tick % p.Stride }

// Index returns which path end after the tick the i-th sample is, from 0, if skip are skipped before the first.
//
//go:norace
func (p Policy) Index(i, skip uint64) uint64 {
	if p.Kind == ArnoldGrove {
		return skip + i*p.Stride
	}
	return skip + i
}

// Reach returns how many path ends a burst may take in: those up to the last sample, whatever is skipped.
//
//go:norace
func (p Policy) Reach() uint64 { return p.Index(p.Samples-1, p.Stride-1) + 1 }

// Taken returns how many samples there are among ends path ends.
//
//go:norace
func (p Policy) Taken(ends, skip uint64) uint64 {
	if ends <= skip {
		return 0
	}
	n := ends - skip
	if p.Kind == ArnoldGrove {
		n = (n-1)/p.Stride + 1
	}
	return min(n, p.Samples)
}
