package push

import (
	"io"
	"slices"
	"strings"

	"github.com/google/pprof/profile"
)

// Limits of Pyroscope for one profile. Its 4 MiB are gRPC's limit for OTLP behind a Collector, too. There a profile takes up to
// 30 bytes a sample more than pprof's format: half a MiB.
const (
	MaxSamples = 16000
	MaxBytes   = 4<<20 - 512<<10 // uncompressed pprof
)

// Fold returns a profile within limits that has the same totals: the coldest paths of each function become one sample,
// "m.F {other paths}". Where even one sample for each function is too many, the coldest samples become one,
// "{other functions}". The profile has no numeric labels. It may be changed.
func Fold(p *profile.Profile, samples, bytes int) *profile.Profile {
	for {
		p = foldTo(p, max(samples, 1))
		size := Size(p)
		if size <= bytes || len(p.Sample) <= 1 {
			return p
		}
		// Most of a profile are names of paths. A tenth less than in proportion, for what is not.
		samples = min(int(float64(len(p.Sample))*float64(bytes)/float64(size)*0.9), len(p.Sample)-1)
	}
}

// Size returns how many bytes a profile has uncompressed.
func Size(p *profile.Profile) int {
	var n counter
	if err := p.WriteUncompressed(&n); err != nil {
		panic("BUG: " + err.Error())
	}
	return int(n)
}

type counter int

func (c *counter) Write(b []byte) (int, error) {
	*c += counter(len(b))
	return len(b), nil
}

var _ io.Writer = (*counter)(nil)

// foldTo folds samples until at most so many are left.
func foldTo(p *profile.Profile, most int) *profile.Profile {
	if len(p.Sample) <= most {
		return p
	}
	what := "{other " + strings.TrimPrefix(p.PeriodType.Type, "goprofinstr_") + "}"
	names := newFrames(p)
	kept, folded := coldest(p, most, functionOf)
	for function, s := range folded {
		s.Location = []*profile.Location{
			names.below(function, what, function.StartLine), names.below(function, "", function.StartLine),
		}
	}
	if len(kept)+len(folded) > most {
		all := &profile.Function{}
		kept, folded = coldest(p, most, func(*profile.Sample) *profile.Function { return all })
		folded[all].Location = []*profile.Location{names.below(all, "{other functions}", 0)}
	}
	p.Sample = kept
	for _, function := range inOrder(p, folded) {
		p.Sample = append(p.Sample, folded[function])
	}
	sum, err := profile.Merge([]*profile.Profile{p}) // leaves out the frames that are not needed any more
	if err != nil {
		panic("BUG: " + err.Error())
	}
	return sum
}

// coldest adds up the coldest samples of a profile by a property until at most so many are left, or all are added up. What
// is alone with its property stays as it is.
func coldest(p *profile.Profile, most int, by func(*profile.Sample) *profile.Function) (
	kept []*profile.Sample, sums map[*profile.Function]*profile.Sample,
) {
	kept = byHeat(p)
	sums = make(map[*profile.Function]*profile.Sample)
	members := make(map[*profile.Function][]*profile.Sample)
	for len(kept) > 0 && len(kept)+len(sums) > most {
		s := kept[len(kept)-1]
		kept = kept[:len(kept)-1]
		key := by(s)
		members[key] = append(members[key], s)
		if sums[key] == nil {
			sums[key] = &profile.Sample{Value: make([]int64, len(p.SampleType))}
		}
		for i, v := range s.Value {
			sums[key].Value[i] += v
		}
	}
	for _, key := range inOrder(p, sums) {
		if len(members[key]) == 1 {
			kept = append(kept, members[key][0])
			delete(sums, key)
		}
	}
	return kept, sums
}

// byHeat returns samples by their share of the total, in the sample type where it is largest, the largest first.
func byHeat(p *profile.Profile) []*profile.Sample {
	totals := make([]float64, len(p.SampleType))
	for _, s := range p.Sample {
		for i, v := range s.Value {
			totals[i] += float64(v)
		}
	}
	heat := make(map[*profile.Sample]float64, len(p.Sample))
	for _, s := range p.Sample {
		for i, v := range s.Value {
			if totals[i] > 0 {
				heat[s] = max(heat[s], float64(v)/totals[i])
			}
		}
	}
	order := slices.Clone(p.Sample)
	slices.SortStableFunc(order, func(a, b *profile.Sample) int {
		switch {
		case heat[a] > heat[b]:
			return -1
		case heat[a] < heat[b]:
			return 1
		}
		return 0
	})
	return order
}

// functionOf returns the function that a sample is of. It is the leaf, or what calls it if the leaf is a path or an edge of its
// caller.
func functionOf(s *profile.Sample) *profile.Function {
	if len(s.Location) == 0 {
		return unknown
	}
	leaf := topLine(s.Location[0]).Function
	if len(s.Location) > 1 {
		if caller := topLine(s.Location[1]).Function; strings.HasPrefix(leaf.Name, caller.Name+" {") {
			return caller
		}
	}
	return leaf
}

// inOrder returns the keys of sums as the profile has these functions, so that the same samples make the same profile.
func inOrder(p *profile.Profile, sums map[*profile.Function]*profile.Sample) []*profile.Function {
	var order []*profile.Function
	for _, f := range p.Function {
		if sums[f] != nil {
			order = append(order, f)
		}
	}
	for f := range sums {
		if f.ID == 0 {
			order = append(order, f) // unknown, or what stands for all functions: there is one of them
		}
	}
	return order
}
