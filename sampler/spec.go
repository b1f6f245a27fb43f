//go:build !goprofinstr_std

package sampler

import (
	"embed"
	"fmt"
	"strconv"
	"strings"
)

// Files has the source of this package, to be linked into programs.
//
//go:embed *.go
var Files embed.FS

// Parse reads a policy as users write it: pep(SAMPLES,STRIDE), ag(SAMPLES,STRIDE) or timer.
func Parse(spec string) (Policy, error) {
	if spec == "timer" {
		return Timer, nil
	}
	name, args, ok := strings.Cut(strings.TrimSuffix(spec, ")"), "(")
	kinds := map[string]PolicyKind{"pep": Simplified, "ag": ArnoldGrove}
	kind, known := kinds[name]
	first, second, two := strings.Cut(args, ",")
	samples, err1 := strconv.ParseUint(strings.TrimSpace(first), 10, 32)
	stride, err2 := strconv.ParseUint(strings.TrimSpace(second), 10, 32)
	if !ok || !known || !two || !strings.HasSuffix(spec, ")") || err1 != nil || err2 != nil || samples == 0 || stride == 0 {
		return Policy{}, fmt.Errorf("sampler %q: want pep(SAMPLES,STRIDE), ag(SAMPLES,STRIDE) or timer", spec)
	}
	p := Policy{kind, samples, stride}
	if reach := p.Reach(); reach > MaxReach {
		return Policy{}, fmt.Errorf("sampler %q: takes in %d path ends after a tick, more than %d", spec, reach, MaxReach)
	}
	return p, nil
}

// String returns the policy as Parse reads it.
func (p Policy) String() string {
	switch {
	case p == Timer:
		return "timer"
	case p.Kind == ArnoldGrove:
		return fmt.Sprintf("ag(%d,%d)", p.Samples, p.Stride)
	}
	return fmt.Sprintf("pep(%d,%d)", p.Samples, p.Stride)
}
