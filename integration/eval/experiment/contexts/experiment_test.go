package contexts

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/goprofinstr/goprofinstr/integration/eval/lab"
	"github.com/goprofinstr/goprofinstr/integration/eval/result"
	"github.com/goprofinstr/goprofinstr/integration/internal/tool"
	"github.com/goprofinstr/goprofinstr/internal/longtest"
)

// TestContexts makes all measurements of calling contexts on one small program. What they find is of little
// interest after so short a time.
func TestContexts(t *testing.T) {
	longtest.Skip(t)
	w := &lab.Workshop{Dir: t.TempDir(), Scratch: t.TempDir()}
	var err error
	if w.Goprofinstr, err = tool.Build(w.Scratch); err != nil {
		t.Fatal(err)
	}
	const part = 50 * time.Millisecond
	r := new(result.Report)
	for _, m := range []measurement{newPrecision(part, 2), newAgreement(pprofParts * part), newMemory(part)} {
		e := &lab.Entry{Suite: m.suite(), Module: "example.com/phases", Local: "testdata/phases"}
		targets := phasesTarget(e, "Phases")
		if err := compareSuite(w, m, targets, r); err != nil {
			t.Fatal(err)
		}
	}
	for _, m := range r.Measures {
		for _, c := range m.Columns {
			if reason := m.Rows[0].Failure(c); reason != "" && !strings.Contains(reason, "no correlation") {
				t.Errorf("%s, %s: %s", m.Title, c, reason)
			}
		}
	}
	if len(r.Measures) != 14 {
		t.Errorf("%d tables", len(r.Measures))
	}
	if files, err := os.ReadDir(w.Scratch); len(files) > 3 || err != nil { // goprofinstr, the last run and its CPU profile
		t.Errorf("left behind: %v, %v", files, err)
	}
}

// TestContextsFailure watches a benchmark that there is not, so that its process ends.
func TestContextsFailure(t *testing.T) {
	if testing.Short() {
		t.Skip("builds another program")
	}
	w := &lab.Workshop{Dir: t.TempDir(), Scratch: t.TempDir()}
	var err error
	if w.Goprofinstr, err = tool.Build(w.Scratch); err != nil {
		t.Fatal(err)
	}
	m := newMemory(time.Hour)
	e := &lab.Entry{Suite: m.suite(), Module: "example.com/phases", Local: "testdata/phases"}
	targets := phasesTarget(e, "Absent")
	if err := compareSuite(w, m, targets, new(result.Report)); err != nil {
		t.Fatal(err)
	}
	if reason := m.kb.Rows[0].Failed["3600s"]; !strings.Contains(reason, "it ended before it had taken 1h0m0s") {
		t.Errorf("it failed with %q", reason)
	}
}

// TestFullTree runs until there is no room for contexts any more. What is spent in new ones then is in what
// there is of them.
func TestFullTree(t *testing.T) {
	longtest.Skip(t)
	sampled := *lab.FindMode("sampled")
	sampled.Wrap = append(slices.Clone(sampled.Wrap), "-cpu-budget=100") // contexts after every tick
	w := &lab.Workshop{Dir: t.TempDir(), Scratch: t.TempDir(), Modes: []lab.Mode{sampled}}
	var err error
	if w.Goprofinstr, err = tool.Build(w.Scratch); err != nil {
		t.Fatal(err)
	}
	e := &lab.Entry{Module: "example.com/recursion", Local: "testdata/recursion"}
	j := lab.Job{Bench: "Recursion", Procs: 1}
	target := &lab.Target{Entry: e, Pkg: e.Module, Instrument: e.Module, Jobs: []lab.Job{j}}
	b, err := w.Build(target)
	if err != nil {
		t.Fatal(err)
	}
	runs, err := w.Bench(b, target, j).Watch("sampled", parts(2, 4*time.Second))
	if err != nil {
		t.Fatal(err)
	}
	if a, b := len(runs[0].Contexts.Nodes), len(runs[1].Contexts.Nodes); b > a+a/10 || runs[1].Sampling.Folded+runs[1].Sampling.Cut == 0 {
		t.Errorf("%d contexts after 4 s, %d after 8 s, %d folded: it is not full", a, b, runs[1].Sampling.Folded)
	}
	sum := time.Duration(0)
	for _, n := range runs[1].Contexts.Nodes {
		sum += time.Duration(n.Time)
	}
	if cpu := runs[1].Sampling.CPU; sum < cpu*9/10 {
		t.Errorf("contexts have %v of %v", sum, cpu)
	}
}

// phasesTarget returns a benchmark of a module that is one package.
func phasesTarget(e *lab.Entry, name string) []*lab.Target {
	job := lab.Job{Suite: e.Suite, Bench: name, Procs: 1}
	return []*lab.Target{{Entry: e, Pkg: e.Module, Instrument: e.Module, Jobs: []lab.Job{job}}}
}
