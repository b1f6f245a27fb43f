package main

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestAccuracy compares a program with itself, for it does the same each time, and with a sampler that there is not.
func TestAccuracy(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and runs other programs")
	}
	dir := t.TempDir()
	svg := filepath.Join(dir, "out.svg")
	var out strings.Builder
	ok, err := run([]string{"-accuracy", "-run", "Phases", "-samplers", "exact edges/exact absent(1)", "-trials", "2", "-seconds", "0.01",
		"-dir", filepath.Join(dir, "work"), "-json", filepath.Join(dir, "out.json"), "-svg", svg}, &out)
	if err != nil {
		t.Fatal(err)
	}
	if ok {
		t.Error("it is not known as failed")
	}
	r, err := readReport(filepath.Join(dir, "out.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range r.Measures[1:] {
		values := m.Rows[0].Values["exact"]
		if len(values) != 2 || !equal(m, values[0]) || !equal(m, values[1]) {
			t.Errorf("%s: %v", m.Title, values)
		}
		if m.Rows[0].Failed["absent(1)"] == "" {
			t.Errorf("%s: no failure", m.Title)
		}
	}
	if values := r.Measures[1].Rows[0].Values["edges/exact"]; len(values) != 2 || values[0] <= 0 {
		t.Errorf("of edges: %v", values)
	}
	if plots, err := filepath.Glob(filepath.Join(dir, "out-*.svg")); len(plots) != 2 || err != nil {
		t.Errorf("plots: %v, %v", plots, err)
	}
	if left, err := filepath.Glob(filepath.Join(dir, "work", "scratch*")); len(left) > 0 || err != nil {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// equal reports whether v is what a measure has for two equal profiles.
func equal(m *measure, v float64) bool {
	if strings.HasPrefix(m.Title, "Error") {
		return v < 1e-12
	}
	return v > 1-1e-12
}

// TestConverge compares a program with itself after two times.
func TestConverge(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and runs other programs")
	}
	dir := t.TempDir()
	o := options{dir: dir, converge: true, trials: 1, samplers: exact, convergeAfter: []float64{0.01, 0.03}}
	r, err := compareProfiles(&o, regexp.MustCompile("Phases"), "")
	if err != nil {
		t.Fatal(err)
	}
	if r.failed() {
		t.Error("it failed")
	}
	for _, m := range r.Measures[1:] {
		for _, c := range []string{"0.01s", "0.03s"} {
			if values := m.Rows[0].Values[c]; len(values) != 1 || !equal(m, values[0]) {
				t.Errorf("%s, %s: %v", m.Title, c, values)
			}
		}
	}
	if err := writePlots(filepath.Join(dir, "out.svg"), r); err != nil {
		t.Error(err)
	}
}
