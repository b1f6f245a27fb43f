package coverage

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/goprofinstr/goprofinstr/export/coverprofile"
	"github.com/goprofinstr/goprofinstr/export/internal/profiletest"
	"github.com/goprofinstr/goprofinstr/export/internal/samples"
	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// reportOf returns the report of a profile whose sources the cover tool of this toolchain reads.
func reportOf(t *testing.T, p *profile.Profile) *Report {
	t.Helper()
	if testing.Short() {
		t.Skip("runs go tool cover")
	}
	sources, _, err := coverprofile.Sources(p, nil, false)
	if err != nil {
		t.Fatal(err)
	}
	return New(p, sources, "sub/")
}

// TestNew has a file in which of one function everything is known: others have no statements in their tables, or no body.
func TestNew(t *testing.T) {
	p := samples.Sample(t)
	samples.Source(t, p, profiletest.LexSource)
	r := reportOf(t, p)
	want := []*File{{
		Name: "sub/lex/lex.go", Package: "example.com/m/lex", Statements: 3, Executed: 3,
		Functions: []Function{{Name: "lex.Must", Line: 20, EndLine: 25, Count: 13}},
		Lines: []Line{
			{Number: 20, Count: 13},
			{Number: 21, Count: 13, Conditions: []Condition{{True: 1, False: 12}}},
			{Number: 22, Count: 1},
			{Number: 24, Count: 12},
		},
	}}
	if diff := cmp.Diff(want, r.Files); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	reasons := make(map[string]bool)
	for _, m := range r.Missing {
		reasons[m.Reason] = true
	}
	for _, reason := range []string{"its path table does not have the statements", "not instrumented"} {
		if !reasons[reason] {
			t.Errorf("%q is no reason in %v", reason, r.Missing)
		}
	}
}

// TestUnseen has paths that were sampled in a process that was killed: what was not seen counts as not covered, and is not sure.
func TestUnseen(t *testing.T) {
	lex := profiletest.Lex()
	lex.Functions = lex.Functions[1:2] // Must
	lex.Functions[0].Storage = table.StorageArray
	run := profiletest.NewRun(1, 0, nil, profiletest.Sampled(lex))
	run.Count("example.com/m/lex.Must", 5, 1, 3)
	run.Counted().CountedAll = false
	p := samples.Load(t, run)
	samples.Source(t, p, profiletest.LexSource)
	r := reportOf(t, p)
	want := []Line{
		{Number: 20, Count: 5},
		{Number: 21, Count: 5, Conditions: []Condition{{False: 5}}},
		{Number: 22},
		{Number: 24, Count: 5},
	}
	if diff := cmp.Diff(want, r.Files[0].Lines); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if r.Unsure != (Unsure{Lines: 1, Branches: 1}) {
		t.Errorf("not sure are %+v, want 1 line and 1 branch", r.Unsure)
	}
}
