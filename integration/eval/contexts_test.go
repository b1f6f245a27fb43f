package main

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/goprofinstr/goprofinstr/integration/internal/tool"
)

// TestContexts makes all measurements of calling contexts on one small program. What they find is of little interest after so short a time.
func TestContexts(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and runs other programs")
	}
	w := &workshop{dir: t.TempDir(), scratch: t.TempDir()}
	var err error
	if w.goprofinstr, err = tool.Build(w.scratch); err != nil {
		t.Fatal(err)
	}
	const part = 50 * time.Millisecond
	r := new(report)
	for _, m := range []contextMeasure{newPrecision(part, 2), newAgreement(pprofParts * part), newMemory(part)} {
		e := &entry{Suite: m.suite(), Module: "example.com/phases", Local: "testdata/phases"}
		targets := []*target{{e, "example.com/phases", "example.com/phases", []job{{e.Suite, "Phases", 1}}}}
		if err := w.compareSuite(m, targets, r, ""); err != nil {
			t.Fatal(err)
		}
	}
	for _, m := range r.Measures {
		for _, c := range m.Columns {
			if reason := m.Rows[0].failure(c); reason != "" && !strings.Contains(reason, "no correlation") {
				t.Errorf("%s, %s: %s", m.Title, c, reason)
			}
		}
	}
	if len(r.Measures) != 14 {
		t.Errorf("%d tables", len(r.Measures))
	}
	if files, err := os.ReadDir(w.scratch); len(files) > 3 || err != nil { // goprofinstr, the last run and its CPU profile
		t.Errorf("left behind: %v, %v", files, err)
	}
}

// TestContextsFailure watches a benchmark that there is not, so that its process ends.
func TestContextsFailure(t *testing.T) {
	if testing.Short() {
		t.Skip("builds another program")
	}
	w := &workshop{dir: t.TempDir(), scratch: t.TempDir()}
	var err error
	if w.goprofinstr, err = tool.Build(w.scratch); err != nil {
		t.Fatal(err)
	}
	m := newMemory(time.Hour)
	e := &entry{Suite: m.suite(), Module: "example.com/phases", Local: "testdata/phases"}
	targets := []*target{{e, "example.com/phases", "example.com/phases", []job{{e.Suite, "Absent", 1}}}}
	if err := w.compareSuite(m, targets, new(report), ""); err != nil {
		t.Fatal(err)
	}
	if reason := m.kb.Rows[0].Failed["3600s"]; !strings.Contains(reason, "it ended before it had taken 1h0m0s") {
		t.Errorf("it failed with %q", reason)
	}
}

// TestFullTree runs until there is no room for contexts any more. What is spent in new ones then is in what there is of them.
func TestFullTree(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and runs another program")
	}
	sampled := *findMode("sampled")
	sampled.wrap = append(slices.Clone(sampled.wrap), "-cpu-budget=100") // contexts after every tick
	w := &workshop{dir: t.TempDir(), scratch: t.TempDir(), modes: []mode{sampled}}
	var err error
	if w.goprofinstr, err = tool.Build(w.scratch); err != nil {
		t.Fatal(err)
	}
	e := &entry{Module: "example.com/recursion", Local: "testdata/recursion"}
	j := job{bench: "Recursion", procs: 1}
	target := &target{e, "example.com/recursion", "example.com/recursion", []job{j}}
	b, err := w.build(target)
	if err != nil {
		t.Fatal(err)
	}
	runs, err := w.bench(b, target, j).watch("sampled", parts(2, 4*time.Second))
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

func TestContextTargets(t *testing.T) {
	list := []entry{{Suite: "precision", Packages: []listed{{Path: "sort", Benchmarks: []string{"A"}, Parallel: []string{"A", "B"}}}}}
	var names []string
	for _, target := range contextTargets(list, regexp.MustCompile("")) {
		for _, j := range target.jobs {
			names = append(names, j.suite+" "+j.name(target.pkg))
		}
	}
	if got, want := strings.Join(names, ", "), "precision sort.A, precision sort.A-2, precision sort.B-2"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if targets := contextTargets(list, regexp.MustCompile("B-2$")); len(targets) != 1 || len(targets[0].jobs) != 1 {
		t.Errorf("%v match", targets)
	}
}
