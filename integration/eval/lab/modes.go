package lab

import (
	"fmt"
	"slices"
	"strings"
)

// A Mode is a way to build a test binary.
type Mode struct {
	Name  string
	Wrap  []string // flags of goprofinstr wrap; nil without it
	cover string   // -covermode, or ""
	rare  bool     // built only if it is named: without one of the optimisations, or of the things that are sampled
	same  string   // the mode whose binary this one runs, too; "" builds its own
	// profile writes a profile to a file, with which the binary is built; wrap is then how profile counts, if
	// it does. Nil for none.
	Profile func(w *Workshop, b *Build, t *Target, m *Mode, file string) error
	run     []string // more flags of the test binary where it is timed
	mute    bool     // the program is told no directory for its data, and neither records nor samples anything
}

// The first is what the others are compared with; the second is the first again, and shows what a ratio means at all.
var Modes = []Mode{
	{Name: "plain"},
	{Name: "A/A", same: "plain"},
	{Name: "exact", Wrap: []string{"-mode=exact"}},
	{Name: "atomic", Wrap: []string{"-mode=exact", "-atomic"}},
	{Name: "sampled", Wrap: []string{"-mode=sampled"}},
	{Name: "probes", same: "sampled", mute: true},
	{Name: "portable", Wrap: []string{"-mode=sampled", "-backend=portable"}, rare: true},
	{Name: "portable-probes", same: "portable", mute: true, rare: true},
	{Name: "copy", Wrap: []string{"-mode=sampled", "-backend=copy"}, rare: true},
	{Name: "copy-labels", same: "copy", mute: true, rare: true},
	{Name: "timer", Wrap: []string{"-mode=sampled", "-sampler=timer"}, rare: true},
	{Name: "pep16", Wrap: []string{"-mode=sampled", "-sampler=pep(16,17)"}, rare: true},
	{Name: "pep256", Wrap: []string{"-mode=sampled", "-sampler=pep(256,17)"}, rare: true},
	{Name: "pep1024", Wrap: []string{"-mode=sampled", "-sampler=pep(1024,17)"}, rare: true},
	{Name: "marks", Wrap: []string{"-mode=sampled", "-frames=128,marks"}, rare: true},
	{Name: "noframes", Wrap: []string{"-mode=sampled", "-frames=0"}, rare: true},
	{Name: "stratified", Wrap: []string{"-mode=stratified"}, rare: true},
	{Name: "counted-0", Wrap: []string{"-mode=stratified", "-count-up-to=0"}, rare: true},
	{Name: "counted-512", Wrap: []string{"-mode=stratified", "-count-up-to=512"}, rare: true},
	{Name: "counted-4096", Wrap: []string{"-mode=stratified", "-count-up-to=4096"}, rare: true},
	{Name: "counted-131072", Wrap: []string{"-mode=stratified", "-count-up-to=131072"}, rare: true},
	{Name: "stratified-16", Wrap: []string{"-mode=stratified", "-sampler=H[P16]2048"}, rare: true},
	{Name: "compressors", Wrap: []string{"-mode=stratified", "-sampler=H[P256]2048+A16"}, rare: true},
	{Name: "kinds", Wrap: []string{"-mode=exact", "-kinds=calls"}, rare: true},
	{Name: "stratified-kinds", Wrap: []string{"-mode=stratified", "-kinds=calls"}, rare: true},
	{Name: "iterations", Wrap: []string{"-mode=exact", "-iterations=2"}, rare: true},
	{Name: "-inlining", Wrap: []string{"-without=inlining"}, rare: true},
	{Name: "-lines", Wrap: []string{"-without=lines"}, rare: true},
	{Name: "-entries", Wrap: []string{"-without=entries"}, rare: true},
	{Name: "-counted", Wrap: []string{"-without=counted"}, rare: true},
	{Name: "-arrays", Wrap: []string{"-without=arrays"}, rare: true},
	{Name: "-arrays+strata", Wrap: []string{"-without=arrays", "-sampler=H[P256]2048"}, rare: true},
	{Name: "-words", Wrap: []string{"-without=words"}, rare: true},
	{Name: "-weights", Wrap: []string{"-without=weights"}, rare: true},
	{Name: "-conditions", Wrap: []string{"-without=conditions"}, rare: true},
	{Name: "-rounds", Wrap: []string{"-without=rounds"}, rare: true},
	{Name: "pprof", same: "plain", run: []string{"-test.cpuprofile=/dev/null"}, rare: true},
	{Name: "cover-set", cover: "set"},
	{Name: "cover-count", cover: "count"},
	{Name: "cover-atomic", cover: "atomic"},
}

// samples reports whether programs of the mode sample their paths.
func (m *Mode) samples() bool { return slices.Contains(m.Wrap, "-mode=sampled") }

// The modes that others are compared with.
const (
	Plain = "plain"
	Exact = "exact"
)

// BuildCommand returns the command that builds the test binary of t into the file out. The same packages are
// instrumented in every mode. It is the one under test, which is what go test -cover takes by default,
// unless the list says otherwise.
func (m *Mode) BuildCommand(goprofinstr string, t *Target, out string) []string {
	var command []string
	if m.Wrap != nil {
		command = append([]string{goprofinstr, "wrap", "-pkg=" + t.Instrument}, m.Wrap...)
	}
	// Without vet, which wrap leaves out, too: it is no part of building.
	command = append(command, "go", "test", "-c", "-vet=off", "-o", out)
	if m.cover != "" {
		command = append(command, "-covermode="+m.cover, "-coverpkg="+t.Instrument)
	}
	return append(append(command, t.BuildFlags...), t.Pkg)
}

// AllModes are the modes that are built if none is named.
func AllModes() []Mode {
	return slices.DeleteFunc(slices.Clone(Modes), func(m Mode) bool { return m.rare })
}

// SelectModes returns the modes to build, by their names separated by commas, of those that there are. The
// first two are always among them.
func SelectModes(names string, modes []Mode) ([]Mode, error) {
	selected := slices.Clip(slices.Clone(modes[:2]))
	for name := range strings.SplitSeq(names, ",") {
		m := findIn(modes, name)
		if m == nil {
			return nil, unknownMode(name, modes)
		}
		for _, needed := range []*Mode{findIn(modes, m.same), m} {
			if needed != nil && !slices.ContainsFunc(selected, func(s Mode) bool { return s.Name == needed.Name }) {
				selected = append(selected, *needed)
			}
		}
	}
	return selected, nil
}

// FindMode returns the mode of a name in the table; nil if there is none.
func FindMode(name string) *Mode { return findIn(Modes, name) }

func findIn(modes []Mode, name string) *Mode {
	for i := range modes {
		if modes[i].Name == name {
			return &modes[i]
		}
	}
	return nil
}

func unknownMode(name string, modes []Mode) error {
	var names []string
	for _, m := range modes {
		names = append(names, m.Name)
	}
	return fmt.Errorf("no mode %q; there are %s", name, strings.Join(names, ", "))
}
