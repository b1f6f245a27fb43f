package result

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestAt: addresses of values, means and ends of intervals, and what is wrong with others.
func TestAt(t *testing.T) {
	measures := sample().Measures
	for _, test := range []struct {
		measure int
		address string
		want    string // what the table shows
	}{
		{0, "std; sort.A; exact", "1.101"},
		{0, "std; sort.A; plain", "990.0"},
		{0, "std; geometric mean; exact", "1.484"},
		{0, "std; maximum; exact", "2.000"},
		{2, "sort.A; exact", "0.930"},
		{2, "sort.A; exact; low", "0.900"},
		{2, "sort.A; exact; high", "0.960"},
		{3, "example.com/m, 1234 lines; cold", "1.250"},
	} {
		got, err := measures[test.measure].At(test.address)
		if err != nil || number(got) != test.want {
			t.Errorf("%s: %s, %v, want %s", test.address, number(got), err, test.want)
		}
	}
	for _, test := range []struct {
		measure      int
		address, why string
	}{
		{0, "sort.A; exact", "several suites"},
		{0, "exact", "no address"},
		{0, "std; sort.A; fast", "no column"},
		{0, "std; sort.Z; exact", "no row"},
		{0, "std; geometric mean; plain", "no mean of column"},
		{0, "modules; geometric mean; exact", "2 failed"},
		{0, "modules; example.com/m.Z; exact", "exit status 2"},
	} {
		if _, err := measures[test.measure].At(test.address); err == nil || !strings.Contains(err.Error(), test.why) {
			t.Errorf("%s: %v, want %q", test.address, err, test.why)
		}
	}
}

// TestSummary: sums of whole numbers, and medians of all.
func TestSummary(t *testing.T) {
	m := &Measure{Columns: []string{"right", "s"}, Absolute: true}
	for i, v := range []float64{1.5, 2.25, 4} {
		r := NewRow([]string{"a", "b", "b"}[i], "x")
		r.Values["right"], r.Values["s"] = []float64{float64(i)}, []float64{v}
		m.Rows = append(m.Rows, r)
	}
	want := [][]string{
		{"all", "right", "s"}, {"sum", "3", ""}, {"median", "1", "2.250"}, {"minimum", "0", "1.500"}, {"maximum", "2", "4.000"},
	}
	tables := m.tables()
	if diff := cmp.Diff(want, tables[len(tables)-1]); diff != "" {
		t.Errorf("summary (-want +got):\n%s", diff)
	}
	if v, err := m.At("all; sum; right"); err != nil || v != 3 {
		t.Errorf("sum %v, %v", v, err)
	}
	if _, err := m.At("all; sum; s"); err == nil {
		t.Error("seconds have a sum")
	}
	m.Rows[1].Add("right", 0, errors.New("broken"))
	if v, err := m.At("all; sum; right"); err == nil {
		t.Errorf("the sum of all rows but one is %v", v)
	}
}

// TestMarkdown writes all tables as Markdown.
func TestMarkdown(t *testing.T) {
	r := sample()
	for i := range mostRows + 1 {
		r.Measures[1].Rows = append(r.Measures[1].Rows, r.Measures[1].Rows[i])
	}
	published := &Measure{Title: "Elsewhere", Columns: []string{"mean, %", "most, %"}, Absolute: true, Curves: true, Rows: []*Row{
		{Suite: "paper", Name: "PEP", Values: map[string][]float64{"mean, %": {1.2}}, Source: "PEP 6.1"},
	}}
	r.Measures = append(r.Measures, published)
	var got strings.Builder
	r.WriteMarkdown(&got, map[*Measure]string{r.Measures[2]: "accuracy.svg"})
	golden(t, "report.md.golden", []byte(got.String()))
}
