package main

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files anew")

// sample is a report with all that can be in one: suites with and without a failure, one run and several, a table without ratios.
func sample() *report {
	modes := []string{"plain", "A/A", "exact"}
	values := func(suite, name string, plain, again, exact []float64) *row {
		r := newRow(suite, name)
		r.Values = map[string][]float64{"plain": plain, "A/A": again, "exact": exact}
		return r
	}
	broken := values("modules", "example.com/m.Z", []float64{7}, []float64{7}, nil)
	broken.Failed["exact"] = "exit status 2\npanic: <nil>"
	absent := newRow("modules", "example.com/absent.Z")
	absent.Failed["plain"] = "cannot download"
	wrap := newRow("modules", "example.com/m, 1234 lines")
	wrap.Values = map[string][]float64{"cold": {1.5, 1.25}, "warm": {0.5}}
	return &report{
		Machine: machine{CPU: "A CPU", Cores: 2, OS: "A System", Kernel: "6.1", Go: "go version go1.26", Commit: "0123456789ab",
			Date: time.Date(2026, 1, 2, 3, 4, 0, 0, time.UTC), Load: "0.00 0.01 0.02"},
		Options: "-n 3",
		Notes:   []string{"no instruction counts: there is no valgrind"},
		Measures: []*measure{
			{Title: "Times", Unit: "ns/op", Columns: modes, Rows: []*row{
				values("std", "sort.A", []float64{1000, 1010, 990}, []float64{1005, 1000, 995}, []float64{1100, 1090, 1095}),
				values("std", "sort.B", []float64{0.5, 0.51, 0.5}, []float64{0.5, 0.52, 0.5}, []float64{1, 1.01, 1}),
				broken, absent,
			}},
			{Title: "Sizes", Unit: "bytes", Columns: []string{"plain", "exact"}, Rows: []*row{values("std", "sort", []float64{5000000}, nil, []float64{5100000})}},
			{Title: "Seconds", Unit: "s", Columns: []string{"cold", "warm"}, Absolute: true, Rows: []*row{wrap}},
		},
	}
}

func TestPrintReport(t *testing.T) {
	var got bytes.Buffer
	if err := printReport(&got, sample()); err != nil {
		t.Fatal(err)
	}
	golden(t, "report.golden", got.Bytes())
}

func TestPlot(t *testing.T) {
	var got bytes.Buffer
	if err := plotTemplate.Execute(&got, newPlot(sample().Measures[0])); err != nil {
		t.Fatal(err)
	}
	golden(t, "plot.svg", got.Bytes())
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	name = filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(name, got, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
}

// TestFrom writes a report and shows it again: the file has all that the tables need, and what failed is still known.
func TestFrom(t *testing.T) {
	r := sample()
	if !r.failed() {
		t.Error("nothing failed in the sample")
	}
	name := filepath.Join(t.TempDir(), "report.json")
	if err := r.write(name); err != nil {
		t.Fatal(err)
	}
	again, err := readReport(name)
	if err != nil {
		t.Fatal(err)
	}
	if !again.failed() {
		t.Error("nothing failed in the file")
	}
	var first, second strings.Builder
	if err := printReport(&first, r); err != nil {
		t.Fatal(err)
	}
	if err := printReport(&second, again); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(first.String(), second.String()); diff != "" {
		t.Errorf("from the file (-before +after):\n%s", diff)
	}
}
