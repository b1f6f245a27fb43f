package push

import (
	"fmt"
	"slices"
	"strings"

	"github.com/google/pprof/profile"
)

// Prepare returns a batch as servers take it. The batch and its profile stay as they are. An error is a mistake of who made
// the batch: it cannot be sent at all.
//
//   - The period type is the name, with period 1. Pyroscope names what comes by OTLP by it, and refuses what has none or
//     period 0. The pprof receiver of OpenTelemetry dereferences it.
//   - Samples have no numeric labels, on which that receiver panicked. They have no label path, which is another one
//     for each sample: that makes the receiver quadratic, and a series of each path in Pyroscope.
//   - An edge is told by its frame in place of its labels, for the same reason.
//   - Flow is not sent: it is executions × branches.
//   - Comments are left out. They are of one interval, and would add up.
//   - Labels and sizes are within limits; see Fold. Names are valid UTF-8.
func (b Batch) Prepare() (Batch, error) {
	if b.Name != Paths && b.Name != Calls && b.Name != Edges {
		return Batch{}, fmt.Errorf("%q is no profile that is sent", b.Name)
	}
	if b.Profile == nil {
		return Batch{}, fmt.Errorf("%s has no profile", b.Name)
	}
	if err := b.Profile.CheckValid(); err != nil {
		return Batch{}, fmt.Errorf("%s: %w", b.Name, err)
	}
	p := b.Profile.Copy()
	p.Comments = nil
	p.PeriodType = &profile.ValueType{Type: b.Name, Unit: "count"}
	p.Period = 1
	dropType(p, "flow")
	if len(p.SampleType) == 0 {
		return Batch{}, fmt.Errorf("%s has no values", b.Name)
	}
	validNames(p)
	nameEdges(p)
	for _, s := range p.Sample {
		s.NumLabel, s.NumUnit = nil, nil
	}
	b.Labels = limitLabels(b.Labels, p)
	// Without these labels some samples may be the same.
	p, err := profile.Merge([]*profile.Profile{p})
	if err != nil {
		return Batch{}, fmt.Errorf("%s: %w", b.Name, err)
	}
	b.Profile = Fold(p, MaxSamples, MaxBytes)
	return b, nil
}

// validNames makes names valid UTF-8, for Pyroscope refuses a profile in which one is not.
func validNames(p *profile.Profile) {
	for _, f := range p.Function {
		for _, name := range []*string{&f.Name, &f.SystemName, &f.Filename} {
			*name = strings.ToValidUTF8(*name, "\uFFFD")
		}
	}
	for _, m := range p.Mapping {
		m.File = strings.ToValidUTF8(m.File, "\uFFFD")
		m.BuildID = strings.ToValidUTF8(m.BuildID, "\uFFFD")
	}
}

// dropType takes the values of a type out of a profile.
func dropType(p *profile.Profile, name string) {
	i := slices.IndexFunc(p.SampleType, func(t *profile.ValueType) bool { return t.Type == name })
	if i < 0 {
		return
	}
	p.SampleType = slices.Delete(p.SampleType, i, i+1)
	for _, s := range p.Sample {
		s.Value = slices.Delete(s.Value, i, i+1)
	}
	if p.DefaultSampleType == name {
		p.DefaultSampleType = ""
	}
}

// nameEdges gives samples of edges a frame of their own, "m.F {edge 5: 13→14 for i < n}", as those of paths have.
func nameEdges(p *profile.Profile) {
	names := newFrames(p)
	for _, s := range p.Sample {
		title, ids := s.Label["edge"], s.NumLabel["edge_id"]
		if len(title) != 1 || len(ids) != 1 || len(s.Location) == 0 {
			continue
		}
		delete(s.Label, "edge")
		delete(s.Label, "kind")
		line := topLine(s.Location[0])
		leaf := names.below(line.Function, fmt.Sprintf("{edge %d: %s}", ids[0], title[0]), line.Line)
		s.Location = slices.Insert(s.Location, 0, leaf)
	}
}

// unknown is the function of samples that have none.
var unknown = &profile.Function{Name: "unknown"}

// topLine returns the innermost line of a location.
func topLine(l *profile.Location) profile.Line {
	if len(l.Line) == 0 || l.Line[0].Function == nil {
		return profile.Line{Function: unknown}
	}
	return l.Line[0]
}

// frames makes locations in a profile, each once.
type frames struct {
	p         *profile.Profile
	made      map[frame]*profile.Location
	functions map[frame]*profile.Function // of line 0
	lastFunc  uint64
	lastLoc   uint64
}

type frame struct {
	of   *profile.Function
	what string // "": the function itself
	line int64
}

func newFrames(p *profile.Profile) *frames {
	f := &frames{p: p, made: make(map[frame]*profile.Location), functions: make(map[frame]*profile.Function)}
	for _, fn := range p.Function {
		f.lastFunc = max(f.lastFunc, fn.ID)
	}
	for _, l := range p.Location {
		f.lastLoc = max(f.lastLoc, l.ID)
	}
	return f
}

// below returns the location of a frame called as a function and what it is of it.
func (f *frames) below(of *profile.Function, what string, line int64) *profile.Location {
	key := frame{of, what, line}
	if f.made[key] == nil {
		f.lastLoc++
		f.made[key] = &profile.Location{ID: f.lastLoc, Line: []profile.Line{{Function: f.function(of, what), Line: line}}}
		if len(f.p.Mapping) > 0 {
			f.made[key].Mapping = f.p.Mapping[0]
		}
		f.p.Location = append(f.p.Location, f.made[key])
	}
	return f.made[key]
}

func (f *frames) function(of *profile.Function, what string) *profile.Function {
	key := frame{of: of, what: what}
	if f.functions[key] == nil {
		if what == "" && of.ID != 0 {
			return of
		}
		f.lastFunc++
		name := strings.TrimSpace(of.Name + " " + what)
		f.functions[key] = &profile.Function{
			ID: f.lastFunc, Name: name, SystemName: name, Filename: of.Filename, StartLine: of.StartLine,
		}
		f.p.Function = append(f.p.Function, f.functions[key])
	}
	return f.functions[key]
}
