package target

import (
	"bytes"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/goprofinstr/goprofinstr/rt"
)

// Hooks are what package rt needs to be told by packages runtime, runtime/pprof and testing of a toolchain, as far as they
// have places for it. A nil *Hooks has none.
type Hooks struct {
	Files   map[string][]byte // of those packages, changed and new, by absolute name
	Missing []Missing         // why features are not there

	features []Feature
}

// A Missing is a reason why a feature is not there.
type Missing struct {
	Feature Feature
	File    string // of GOROOT/src, such as runtime/proc.go
	Anchor  string // the text that does not occur in it once, "" if the reason is another
	Why     string
}

// String returns a line: runtime/proc.go: "wirep(pp)" is not in it.
func (m Missing) String() string {
	if m.Anchor == "" {
		return m.File + ": " + m.Why
	}
	return fmt.Sprintf("%s: %q %s", m.File, strings.Join(strings.Fields(m.Anchor), " "), m.Why)
}

// Has reports whether a feature is there.
func (h *Hooks) Has(f Feature) bool { return h != nil && slices.Contains(h.features, f) }

// CanSample reports whether package rt is told when to sample.
func (h *Hooks) CanSample() bool { return h.Has(Timers) || h.Has(Ticker) }

// RuntimeHooks returns the hooks for a toolchain. Source returns the contents of a file of it. Each feature is there if all
// of its anchors are.
//
// With perTest package testing has hooks, too. Package runtime stays the same: the standard library need not be compiled again.
//
// Features in refused are left out whatever the files are like, for the given reasons.
func RuntimeHooks(tc Toolchain, perTest bool, source func(name string) ([]byte, error), refused ...Missing) *Hooks {
	h := &Hooks{Files: make(map[string][]byte)}
	for _, g := range groups(tc, perTest) {
		missing := slices.DeleteFunc(slices.Clone(refused), func(m Missing) bool { return m.Feature != g.feature })
		for _, f := range g.needs {
			if !h.Has(f) {
				why := "its hooks need those for " + string(f)
				missing = append(missing, Missing{Feature: g.feature, File: g.folder, Why: why})
			}
		}
		if len(missing) == 0 {
			missing = h.add(g, filepath.Join(tc.GOROOT, "src"), source)
		}
		h.Missing = append(h.Missing, missing...)
	}
	return h
}

// add adds a group, unless some of its anchors are missing.
func (h *Hooks) add(g group, src string, source func(name string) ([]byte, error)) (missing []Missing) {
	files := maps.Clone(h.Files)
	for name, text := range g.files {
		files[filepath.Join(src, filepath.FromSlash(g.folder), name)] = text
	}
	for _, c := range g.calls {
		rel := g.folder + "/" + c.file
		name := filepath.Join(src, filepath.FromSlash(rel))
		text := files[name]
		if text == nil {
			var err error
			if text, err = source(name); err != nil {
				missing = append(missing, Missing{g.feature, rel, c.after, "cannot be looked for: " + err.Error()})
				continue
			}
		}
		switch n := bytes.Count(text, []byte(c.after)); n {
		case 0:
			missing = append(missing, Missing{g.feature, rel, c.after, "is not in it"})
		case 1:
			at := bytes.Index(text, []byte(c.after)) + len(c.after)
			files[name] = fmt.Appendf(nil, "%s%s%s", text[:at], c.insert, text[at:])
		default:
			missing = append(missing, Missing{g.feature, rel, c.after, fmt.Sprintf("is in it %d times", n)})
		}
	}
	if len(missing) == 0 {
		h.Files, h.features = files, append(h.features, g.feature)
	}
	return missing
}

// hasTimers reports whether the system has timers of CPU time, and siginfo is laid out as the hooks have it.
func (tc Toolchain) hasTimers() bool {
	return tc.GOOS == "linux" && registers[tc.GOARCH] != nil && !rt.Basic
}

// mirrorsCounters reports whether the run file is mapped, but cannot take the place of counters.
func (tc Toolchain) mirrorsCounters() bool { return tc.GOOS == "windows" && tc.GOARCH != "386" }

// mapsRunFile reports whether the run file takes the place of counters, and pages of it may go.
func (tc Toolchain) mapsRunFile() bool {
	return tc.GOOS == "linux" && registers[tc.GOARCH] != nil || tc.GOOS == "darwin"
}

// tags returns the build tags of the files of package rt that work together with hooks.
func (h *Hooks) tags() []string {
	var tags []string
	for _, t := range []struct {
		has bool
		tag string
	}{
		{h.Has(Abandoned), rt.RuntimeTag},
		{h.Has(Shards) && !h.Has(Tests), rt.ShardsTag}, // what a test has counted is looked for in the arrays
		{h.CanSample(), rt.SamplerTag},
		{h.Has(Tests), rt.TestsTag},
		{h.Has(Audits), rt.AuditTag},
		{h.Has(Copies), rt.CopiesTag},
		{h.Has(Mirror), rt.MirrorTag},
	} {
		if t.has {
			tags = append(tags, t.tag)
		}
	}
	return tags
}

// TestingDir returns the folder of package testing.
func TestingDir(tc Toolchain) string { return filepath.Join(tc.GOROOT, "src", "testing") }
