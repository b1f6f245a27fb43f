package flags

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// values are what the flags of the tests set.
type values struct {
	mode, kind string
	atomic     bool
	loops      bool
	top        int
	period     time.Duration
}

func (v *values) table() Table {
	return Table{Column: 12, Flags: []Flag{
		{Name: "mode", Var: &v.mode, Default: "exact",
			Choices: []Choice{{"exact", "count"}, {"sampled", "sample <10 ms>\n\t\tor so"}}},
		{Name: "period", Value: "DURATION", Var: &v.period, Default: time.Second, Usage: "between ticks",
			Only: &Only{Flag: "mode", Values: []string{"sampled"}}},
		{Name: "atomic", Var: &v.atomic, Usage: "lose nothing", Verbs: []string{"test"}},
		{Name: "loops", Value: "=false", Var: &v.loops, Default: true, Usage: "no loops"},
		{Name: "kind", Value: "K", Var: &v.kind, Usage: "a | b",
			Only: &Only{Flag: "mode", Values: []string{"exact", "stratified"}, Needs: true,
				Why: map[string]string{"": "why", "sampled": "it is chance"}}},
		{Name: "top", Value: "N", Var: &v.top, Default: 20, Usage: "how many"},
	}}
}

func TestSet(t *testing.T) {
	var v values
	fs := v.table().Set("test")
	if want := (values{mode: "exact", loops: true, top: 20, period: time.Second}); v != want {
		t.Errorf("defaults: %+v, want %+v", v, want)
	}
	if err := fs.Parse(strings.Fields("-mode sampled -kind=x -atomic -loops=false -top 3 -period 2s rest")); err != nil {
		t.Fatal(err)
	}
	if want := (values{"sampled", "x", true, false, 3, 2 * time.Second}); v != want || fs.Arg(0) != "rest" {
		t.Errorf("parsed: %+v and %q, want %+v", v, fs.Args(), want)
	}
}

func TestRefusal(t *testing.T) {
	for line, want := range map[string]string{
		"":                          "",
		"-period 2s":                "-period is for -mode sampled",
		"-period 1s":                "", // as it is without
		"-mode sampled -period 2s":  "",
		"-mode sampled -kind x":     "-kind needs -mode exact or stratified; it is chance",
		"-mode other -kind x":       "-kind needs -mode exact or stratified; why",
		"-mode stratified -kind x":  "",
		"-atomic":                   "-atomic is for go test",
		"-atomic=false -loops=true": "",
	} {
		var v values
		table := v.table()
		fs := table.Set("test")
		if err := fs.Parse(strings.Fields(line)); err != nil {
			t.Fatal(err)
		}
		if got := table.Refusal(fs, "build"); got != want {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
	}
}

func TestUsage(t *testing.T) {
	want := `
	-mode exact count
	-mode sampled
	            sample <10 ms>
	            or so
	-period DURATION
	            between ticks
	-atomic     lose nothing
	-loops=false
	            no loops
	-kind K     a | b
	-top N      how many
`
	if diff := cmp.Diff(want[1:], new(values).table().Usage()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestMarkdown(t *testing.T) {
	want := `
| flag | for | |
|---|---|---|
| "-mode exact" |  | count |
| "-mode sampled" |  | sample \<10 ms> or so |
| "-period DURATION" | "-mode sampled" | between ticks |
| "-atomic" | "go test" | lose nothing |
| "-loops=false" |  | no loops |
| "-kind K" | "-mode exact", "stratified" | a \| b |
| "-top N" |  | how many |
`
	got := strings.ReplaceAll(new(values).table().Markdown(), "`", `"`)
	if diff := cmp.Diff(want[1:], got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestShared has flags with one rule.
func TestShared(t *testing.T) {
	var a, b, mode string
	ticks := &Only{Flag: "mode", Values: []string{"sampled"}}
	table := Table{Flags: []Flag{
		{Name: "mode", Var: &mode}, {Name: "a", Var: &a, Only: ticks}, {Name: "b", Var: &b, Only: ticks},
	}}
	fs := table.Set("test")
	if err := fs.Parse([]string{"-b", "x"}); err != nil {
		t.Fatal(err)
	}
	if got, want := table.Refusal(fs, ""), "-a and -b are for -mode sampled"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	ticks.Values = []string{"sampled", "stratified", "exact"}
	if got, want := table.Refusal(fs, ""), "-a and -b are for -mode sampled, stratified and exact"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	ticks.Values, ticks.Needs = ticks.Values[:1], true
	if got, want := table.Refusal(fs, ""), "-a and -b need -mode sampled"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
