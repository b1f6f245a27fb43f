package emit

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/goprofinstr/goprofinstr/rt"
)

// declaredIn has the package below goprofinstr/rt that declares a name, for names that rewritten code mentions and that
// package rt itself does not declare: "Exact": "exact" for a function of goprofinstr/rt/exact.
var declaredIn = byName(map[string][]string{
	"abandon": {
		"Anchor", "At", "End", "Frame", "Hold", "Keep", "Positions",
	},
	"audit": {
		"Audit", "Lap", "Laps", "RegisterAudit", "RegisterLoop", "Timing",
	},
	"event": {
		"B", "Bool", "I", "Leave", "Method", "Number", "S", "Selector", "Target", "Text", "Trips", "Unsigned",
	},
	"exact": {
		"CountExact", "Exact", "UseShards",
	},
	"sampled": {
		"Burst", "KeepMark", "MarkOne", "MarkRegister", "Markers", "MarkersMagic0", "MarkersMagic1", "Pair",
		"Probe", "ProbeMark", "ProbePath", "ProbePathMark", "Sample", "SampleMark", "SamplePath", "SamplePathMark",
		"Sampling", "Site", "StartSampling", "UseMarkers",
	},
	"strata": {
		"Compressor", "CountEvent", "CountEventPath", "CountFeed", "Counted", "Due", "Event", "EventPath", "Feed",
		"Fold", "Hashed", "Passed", "UseCompressor", "UseStream",
	},
})

// byName turns a list of names by package into one of packages by name.
func byName(by map[string][]string) map[string]string {
	in := make(map[string]string)
	for below, names := range by {
		for _, name := range names {
			in[name] = below
		}
	}
	return in
}

// runtimeName returns how rewritten code names something that the runtime declares.
func (n *Names) runtimeName(name string) string {
	return n.importName(declaredIn[name]) + "." + name
}

// importName returns what a package of the runtime is called in rewritten code: gpi_rt, or gpi_exact for rt/exact.
func (n *Names) importName(below string) string {
	if below == "" {
		return n.Prefix + path.Base(rt.ImportPath)
	}
	return n.Prefix + strings.ReplaceAll(below, "/", "_")
}

// Sprintf formats code. A name that the runtime declares stands behind a $ in the format: "$Inc(%s)" becomes
// "gpi_rt.Inc(…)".
func (n *Names) Sprintf(format string, args ...any) string {
	var b strings.Builder
	for {
		before, after, found := strings.Cut(format, "$")
		b.WriteString(before)
		if !found {
			return fmt.Sprintf(b.String(), args...)
		}
		name := after[:identifier(after)]
		b.WriteString(n.runtimeName(name))
		format = after[len(name):]
	}
}

// identifier returns the length of the identifier that s begins with.
func identifier(s string) int {
	i := strings.IndexFunc(s, func(r rune) bool {
		return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9')
	})
	if i < 0 {
		return len(s)
	}
	return i
}

// Imports returns the imports of a file: of package rt, and of those below it that one of the inserted texts
// mentions. They go behind the package clause.
func (n *Names) Imports(inserted []string) string {
	text := fmt.Sprintf(";import %s %q", n.importName(""), rt.ImportPath)
	for _, below := range packagesBelow() {
		name := n.importName(below)
		mentions := func(code string) bool { return strings.Contains(code, name+".") }
		if slices.ContainsFunc(inserted, mentions) {
			text += fmt.Sprintf(";import %s %q", name, rt.ImportPath+"/"+below)
		}
	}
	return text
}

// packagesBelow returns the packages of declaredIn.
func packagesBelow() (list []string) {
	for _, below := range declaredIn {
		if !slices.Contains(list, below) {
			list = append(list, below)
		}
	}
	slices.Sort(list)
	return list
}
