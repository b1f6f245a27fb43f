package main

import (
	"fmt"
	"slices"
	"strings"
)

// A mode is a way to build a test binary.
type mode struct {
	name  string
	wrap  []string // flags of goprofinstr wrap; nil without it
	cover string   // -covermode, or ""
	rare  bool     // built only if it is named: without one of the optimisations, or of the things that are sampled
	same  string   // the mode whose binary this one runs, too; "" builds its own
	pgo   string   // built with a profile, of CPU time or of calls: see pgo.go; wrap is then how the calls are counted
	mute  bool     // the program is told no directory for its data, and neither records nor samples anything
}

// The first is what the others are compared with; the second is the first again, and shows what a ratio means at all.
var modes = []mode{
	{name: "plain"},
	{name: "A/A", same: "plain"},
	{name: "exact", wrap: []string{"-mode=exact"}},
	{name: "atomic", wrap: []string{"-mode=exact", "-atomic"}},
	{name: "sampled", wrap: []string{"-mode=sampled"}},
	{name: "probes", same: "sampled", mute: true},
	{name: "portable", wrap: []string{"-mode=sampled", "-backend=portable"}, rare: true},
	{name: "portable-probes", same: "portable", mute: true, rare: true},
	{name: "timer", wrap: []string{"-mode=sampled", "-sampler=timer"}, rare: true},
	{name: "pep16", wrap: []string{"-mode=sampled", "-sampler=pep(16,17)"}, rare: true},
	{name: "pep256", wrap: []string{"-mode=sampled", "-sampler=pep(256,17)"}, rare: true},
	{name: "pep1024", wrap: []string{"-mode=sampled", "-sampler=pep(1024,17)"}, rare: true},
	{name: "noframes", wrap: []string{"-mode=sampled", "-frames=0"}, rare: true},
	{name: "stratified", wrap: []string{"-mode=stratified"}, rare: true},
	{name: "counted-0", wrap: []string{"-mode=stratified", "-count-up-to=0"}, rare: true},
	{name: "counted-512", wrap: []string{"-mode=stratified", "-count-up-to=512"}, rare: true},
	{name: "counted-4096", wrap: []string{"-mode=stratified", "-count-up-to=4096"}, rare: true},
	{name: "counted-131072", wrap: []string{"-mode=stratified", "-count-up-to=131072"}, rare: true},
	{name: "stratified-16", wrap: []string{"-mode=stratified", "-sampler=H[P16]2048"}, rare: true},
	{name: "compressors", wrap: []string{"-mode=stratified", "-sampler=H[P256]2048+A16"}, rare: true},
	{name: "kinds", wrap: []string{"-mode=exact", "-kinds=calls"}, rare: true},
	{name: "stratified-kinds", wrap: []string{"-mode=stratified", "-kinds=calls"}, rare: true},
	{name: "pgo-cpu", pgo: cpuProfile, rare: true},
	{name: "pgo-paths", pgo: callsProfile, wrap: []string{"-mode=exact", "-tests"}, rare: true},
	{name: "pgo-calls", pgo: callsProfile, wrap: []string{"-mode=exact", "-tests", "-kinds=calls"}, rare: true},
	{name: "-inlining", wrap: []string{"-without=inlining"}, rare: true},
	{name: "-lines", wrap: []string{"-without=lines"}, rare: true},
	{name: "-entries", wrap: []string{"-without=entries"}, rare: true},
	{name: "-counted", wrap: []string{"-without=counted"}, rare: true},
	{name: "-arrays", wrap: []string{"-without=arrays"}, rare: true},
	{name: "-arrays+strata", wrap: []string{"-without=arrays", "-sampler=H[P256]2048"}, rare: true},
	{name: "-words", wrap: []string{"-without=words"}, rare: true},
	{name: "-weights", wrap: []string{"-without=weights"}, rare: true},
	{name: "-conditions", wrap: []string{"-without=conditions"}, rare: true},
	{name: "cover-set", cover: "set"},
	{name: "cover-count", cover: "count"},
	{name: "cover-atomic", cover: "atomic"},
}

// samples reports whether programs of the mode sample their paths.
func (m *mode) samples() bool { return slices.Contains(m.wrap, "-mode=sampled") }

// The modes that others are compared with.
const (
	plain = "plain"
	exact = "exact"
)

// buildCommand returns the command that builds the test binary of t into the file out. The same packages are instrumented
// in every mode: the one under test, which is what go test -cover takes by default, unless the list says otherwise.
func (m *mode) buildCommand(goprofinstr string, t *target, out string) []string {
	var command []string
	if m.wrap != nil {
		command = append([]string{goprofinstr, "wrap", "-pkg=" + t.instrument}, m.wrap...)
	}
	// Without vet, which wrap leaves out, too: it is no part of building.
	command = append(command, "go", "test", "-c", "-vet=off", "-o", out)
	if m.cover != "" {
		command = append(command, "-covermode="+m.cover, "-coverpkg="+t.instrument)
	}
	return append(append(command, t.BuildFlags...), t.pkg)
}

// selectModes returns the modes to build, by their names separated by commas; "" is all of them. The first two are always among them.
func selectModes(names string) ([]mode, error) {
	if names == "" {
		return slices.DeleteFunc(slices.Clone(modes), func(m mode) bool { return m.rare }), nil
	}
	selected := modes[:2:2]
	for name := range strings.SplitSeq(names, ",") {
		m := findMode(name)
		if m == nil {
			return nil, unknownMode(name)
		}
		for _, needed := range []*mode{findMode(m.same), m} {
			if needed != nil && !slices.ContainsFunc(selected, func(s mode) bool { return s.name == needed.name }) {
				selected = append(selected, *needed)
			}
		}
	}
	return selected, nil
}

func findMode(name string) *mode {
	for i := range modes {
		if modes[i].name == name {
			return &modes[i]
		}
	}
	return nil
}

func unknownMode(name string) error {
	var names []string
	for _, m := range modes {
		names = append(names, m.name)
	}
	return fmt.Errorf("no mode %q; there are %s", name, strings.Join(names, ", "))
}
