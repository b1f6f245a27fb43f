package accuracy

import (
	"fmt"
	"slices"
	"strings"

	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/integration/eval/accuracy"
	"github.com/goprofinstr/goprofinstr/integration/eval/lab"
	"github.com/goprofinstr/goprofinstr/sampler/stream"
)

// What -samplers says if it is not given: PEP's figures 8 and 9, with Arnold and Grove's sampling beside, counting copies, and
// what edges alone would tell.
const (
	allSamplers = "timer pep(16,17) pep(64,17) pep(256,17) pep(1024,17) ag(64,17) " +
		"portable/pep(64,17) samples/pep(64,17) edges/pep(64,17) copy"
	convergeSampler = "pep(64,17)"
)

// edgesOf is what a column's name begins with if its paths are predicted from the edges that another one has.
const edgesOf = "edges/"

// samplesOf is what a column's name begins with if samples are taken as they are, as the paper does. How many
// executions each stands for is then of no account.
const samplesOf = "samples/"

// portably is what the rest of a column's name begins with if its probes are portable ones, whatever is the default.
const portably = "portable/"

// inCopies is the column of counting copies, which sample in their own way.
const inCopies = "copy"

// A sampler makes profiles that are compared with exact ones.
type sampler struct {
	name  string // column
	mode  string // of the binary that is run
	edges bool   // only the edges of the profile are used
	plain bool   // only the numbers of samples are used
}

// paths returns what the sampler makes of a profile.
func (s *sampler) paths(p *profile.Profile) *accuracy.Profile {
	if s.plain {
		return accuracy.Samples(p)
	}
	return accuracy.New(p)
}

// parseSamplers returns the samplers of a list, which are separated by spaces. They are those of
// goprofinstr's -sampler, and "exact", which shows whether a workload does the same each time. Any of these
// may be behind "portable/", and any of all these behind "edges/" or "samples/".
func parseSamplers(list string) ([]sampler, error) {
	var all []sampler
	for name := range strings.FieldsSeq(list) {
		if slices.ContainsFunc(all, func(s sampler) bool { return s.name == name }) {
			return nil, fmt.Errorf("sampler %s is there twice", name)
		}
		mode, edges := strings.CutPrefix(name, edgesOf)
		mode, plainly := strings.CutPrefix(mode, samplesOf)
		if spec := strings.TrimPrefix(mode, portably); spec == "" || spec == lab.Plain {
			return nil, fmt.Errorf("no sampler %q", name)
		}
		all = append(all, sampler{name, mode, edges, plainly})
	}
	return all, nil
}

// samplerModes returns the modes that are built to compare samplers: the plain program, the exact one, and
// one for each sampler that is run.
func samplerModes(samplers []sampler) []lab.Mode {
	modes := []lab.Mode{*lab.FindMode(lab.Plain), *lab.FindMode(lab.Exact)}
	for _, s := range samplers {
		if !slices.ContainsFunc(modes, func(m lab.Mode) bool { return m.Name == s.mode }) {
			modes = append(modes, samplerMode(s.mode))
		}
	}
	return modes
}

func samplerMode(name string) lab.Mode {
	if name == inCopies {
		return *lab.FindMode(inCopies)
	}
	spec, portable := strings.CutPrefix(name, portably)
	flags := []string{"-mode=sampled", "-sampler=" + spec}
	if _, err := stream.Parse(spec); err == nil { // which is compared, not the exact counts beside it
		flags = []string{"-mode=stratified", "-count-up-to=0", "-sampler=" + spec}
	}
	if portable {
		flags = append(flags, "-backend=portable")
	}
	return lab.Mode{Name: name, Wrap: flags}
}
