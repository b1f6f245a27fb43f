package result

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

// sample is a report with all that can be in one: suites with and without a failure, one run and several, a
// table without ratios.
func sample() *Report {
	modes := []string{"plain", "A/A", "exact"}
	values := func(suite, name string, plain, again, exact []float64) *Row {
		r := NewRow(suite, name)
		r.Values = map[string][]float64{"plain": plain, "A/A": again, "exact": exact}
		return r
	}
	broken := values("modules", "example.com/m.Z", []float64{7}, []float64{7}, nil)
	broken.Failed["exact"] = "exit status 2\npanic: <nil>"
	absent := NewRow("modules", "example.com/absent.Z")
	absent.Failed["plain"] = "cannot download"
	sampled := values("std", "sort.A", nil, []float64{0.5}, []float64{0.96, 0.9, 0.94, 0.92})
	others := values("std", "sort.B", nil, []float64{0}, nil)
	others.Failed["exact"] = "no samples"
	wrap := NewRow("modules", "example.com/m, 1234 lines")
	wrap.Values = map[string][]float64{"cold": {1.5, 1.25}, "warm": {0.5}}
	return &Report{
		Machine: Machine{CPU: "A CPU", Cores: 2, OS: "A System", Kernel: "6.1", Go: "go version go1.26",
			Commit: "0123456789ab",
			Date:   time.Date(2026, 1, 2, 3, 4, 0, 0, time.UTC), Load: "0.00 0.01 0.02"},
		Options: "-n 3",
		Notes:   []string{"no instruction counts: there is no valgrind"},
		Measures: []*Measure{
			{Title: "Times", Unit: "ns/op", Columns: modes, Rows: []*Row{
				values("std", "sort.A", []float64{1000, 1010, 990}, []float64{1005, 1000, 995},
					[]float64{1100, 1090, 1095}),
				values("std", "sort.B", []float64{0.5, 0.51, 0.5}, []float64{0.5, 0.52, 0.5}, []float64{1, 1.01, 1}),
				broken, absent,
			}},
			{Title: "Sizes", Unit: "bytes", Columns: []string{"plain", "exact"},
				Rows: []*Row{values("std", "sort", []float64{5000000}, nil, []float64{5100000})}},
			{Title: "Accuracy", Columns: modes[1:], Shares: true, Plot: "accuracy", Rows: []*Row{sampled, others}},
			{Title: "Seconds", Unit: "s", Columns: []string{"cold", "warm"}, Absolute: true, Rows: []*Row{wrap}},
		},
	}
}

func TestPrintReport(t *testing.T) {
	var got bytes.Buffer
	if err := Print(&got, sample()); err != nil {
		t.Fatal(err)
	}
	golden(t, "report.golden", got.Bytes())
}

func TestPlot(t *testing.T) {
	r := sample()
	lines := NewRow("std", "sort.A")
	lines.Values = map[string][]float64{"1s": {0.85, 0.8, 0.9}, "20s": {0.95}}
	failed := NewRow("std", "sort.B")
	failed.Values = map[string][]float64{"20s": {1}}
	failed.Failed["1s"] = "no samples"
	converge := &Measure{Title: "Accuracy by time", Columns: []string{"1s", "20s"}, Shares: true, Lines: true,
		Rows: []*Row{lines, failed}}
	for name, m := range map[string]*Measure{"plot.svg": r.Measures[0], "shares.svg": r.Measures[2], "lines.svg": converge} {
		var got bytes.Buffer
		if err := m.Draw(&got); err != nil {
			t.Fatal(err)
		}
		golden(t, name, got.Bytes())
	}
	converge.Columns = []string{"1s", "exact"}
	if err := converge.Draw(new(bytes.Buffer)); err == nil {
		t.Error("a time called exact is drawn")
	}
}

// TestWritePlots holds which tables are drawn, and under which names.
func TestWritePlots(t *testing.T) {
	dir := t.TempDir()
	r := sample()
	if err := WritePlots(filepath.Join(dir, "a.b.svg"), r); err != nil {
		t.Fatal(err)
	}
	r.Measures[2].Plot = ""
	if err := WritePlots(filepath.Join(dir, "ratios.svg"), r); err != nil {
		t.Fatal(err)
	}
	r.Measures = r.Measures[2:]
	if err := WritePlots(filepath.Join(dir, "none.svg"), r); err == nil {
		t.Error("a report without ratios is drawn")
	}
	var names []string
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if diff := cmp.Diff([]string{"a.b-accuracy.svg", "ratios.svg"}, names); diff != "" || err != nil {
		t.Errorf("files (-want +got):\n%s%v", diff, err)
	}
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
	if !r.Failed() {
		t.Error("nothing failed in the sample")
	}
	name := filepath.Join(t.TempDir(), "report.json")
	if err := r.write(name); err != nil {
		t.Fatal(err)
	}
	again, err := Read(name)
	if err != nil {
		t.Fatal(err)
	}
	if !again.Failed() {
		t.Error("nothing failed in the file")
	}
	var first, second strings.Builder
	if err := Print(&first, r); err != nil {
		t.Fatal(err)
	}
	if err := Print(&second, again); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(first.String(), second.String()); diff != "" {
		t.Errorf("from the file (-before +after):\n%s", diff)
	}
}

func TestCurveScale(t *testing.T) {
	m := &Measure{Rows: []*Row{NewRow("", "a"), NewRow("", "b")}}
	m.Rows[0].Add("1", 0.3, nil)
	m.Rows[1].Add("2", 7, nil)
	m.Rows[1].Add("3", 0, nil)
	s := m.curvesScale()
	if s.Least != 0.2 || s.Most != 10 || len(s.Ticks) != 6 {
		t.Errorf("%+v", s)
	}
}
