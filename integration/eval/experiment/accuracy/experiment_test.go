package accuracy

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/goprofinstr/goprofinstr/integration/eval/lab"
	"github.com/goprofinstr/goprofinstr/integration/eval/result"
)

// TestAccuracy compares a program with itself, for it does the same each time, and with a sampler that there is not.
func TestAccuracy(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and runs other programs")
	}
	dir := t.TempDir()
	x := &Experiment{options{Flags: lab.Flags{Match: regexp.MustCompile("Phases"),
		Dir: filepath.Join(dir, "work")}, trials: 2,
		samplers: "exact edges/exact absent(1)"}, 0.01}
	r := result.New(result.Machine{}, "", filepath.Join(dir, "out.json"))
	if err := x.Run(r); err != nil {
		t.Fatal(err)
	}
	if !r.Failed() {
		t.Error("it is not known as failed")
	}
	if r, err := result.Read(filepath.Join(dir, "out.json")); err != nil || len(r.Measures) != 5 {
		t.Errorf("the file has %v, %v", r, err)
	}
	if err := result.WritePlots(filepath.Join(dir, "out.svg"), r); err != nil {
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
func equal(m *result.Measure, v float64) bool {
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
	x := &Converge{options{Flags: lab.Flags{Match: regexp.MustCompile("Phases"), Dir: dir}, trials: 1,
		samplers: lab.Exact}, []float64{0.01, 0.03}}
	r := new(result.Report)
	if err := x.Run(r); err != nil {
		t.Fatal(err)
	}
	if r.Failed() {
		t.Error("it failed")
	}
	for _, m := range r.Measures[1:] {
		for _, c := range []string{"0.01s", "0.03s"} {
			if values := m.Rows[0].Values[c]; len(values) != 1 || !equal(m, values[0]) {
				t.Errorf("%s, %s: %v", m.Title, c, values)
			}
		}
	}
	if err := result.WritePlots(filepath.Join(dir, "out.svg"), r); err != nil {
		t.Error(err)
	}
}

// TestScale compares a program with itself, beside a busy loop.
func TestScale(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and runs other programs")
	}
	x := &Scale{options{Flags: lab.Flags{Match: regexp.MustCompile("Phases"), Dir: t.TempDir()}, trials: 2,
		samplers: lab.Exact}, 0.01, 1}
	r := new(result.Report)
	if err := x.Run(r); err != nil {
		t.Fatal(err)
	}
	if r.Failed() || len(r.Notes) > 0 {
		t.Errorf("it failed, or missed outcomes: %v", r.Notes)
	}
	for _, c := range r.Measures[0].Columns {
		values := r.Measures[0].Rows[0].Values[c]
		if len(values) != 2 || !equal(r.Measures[0], values[0]) || !equal(r.Measures[0], values[1]) {
			t.Errorf("%s: %v", c, values)
		}
	}
	outcomes := r.Measures[1].Rows[0].Values
	if seen, never := outcomes[columnSeen], outcomes[columnNever]; seen[0] == 0 || never[0] != 0 {
		t.Errorf("%v outcomes, %v called never", seen, never)
	}
}
