package parquet

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/goprofinstr/goprofinstr/export/internal/profiletest"
	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/internal/readback"
	"github.com/goprofinstr/goprofinstr/rt/copies"
	"github.com/goprofinstr/goprofinstr/rt/rundata"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// groups are what the tests have runs of.
var groups = []*Group{
	{
		Service: "shop", Labels: map[string]string{"zone": "eu", "tier": "1"}, Build: "abc", Day: day(1), First: day(1),
		Last: day(1).Add(time.Hour), Runs: 3, Hosts: 2,
	},
	{Service: "shop", Build: "abc", Day: day(2), First: day(2), Last: day(2), Runs: 1, Hosts: 1, Host: "web1", Run: "4711.1"},
}

func day(n int) time.Time { return time.Date(2026, 1, n, 9, 0, 0, 1000, time.UTC) }

// counted returns the profile of a run of Lex.
func counted(t *testing.T, times uint64) (*profile.Profile, *profiletest.Run) {
	t.Helper()
	lex := profiletest.Lex()
	lex.Functions[0].Selectors = []table.Selector{
		{Kind: table.Calls, Line: 6, Hash: 1}, {Kind: table.Trips, Line: 5, Hash: 2}, {Kind: table.Texts, Line: 7, Hash: 3},
	}
	lex.Callees = []table.Callee{{Package: "strings", Name: "Trim"}}
	lex.Functions[0].Calls = []table.Call{{Site: table.Site{At: 2}, Line: 3, More: 1}}
	lex.Main = true
	run := profiletest.NewRun(1, 0, nil, lex)
	profiletest.CallWords(run, times, "a b\tc")
	profiletest.CallWords(run, 1, "a!")
	run.Data().Names = map[uint64]rundata.Name{7: {Text: "main.F"}, 9: {Text: "x\x00\xff"}}
	run.Data().Packages[0].Hashes = append(run.Data().Packages[0].Hashes,
		map[uint64]uint64{7: 5 * times, 8: 1}, map[uint64]uint64{3: times}, map[uint64]uint64{9: 2})
	p, err := profile.New([]*rundata.Run{run.Data()}, nil)
	if err != nil || p.Damaged != nil {
		t.Fatal(err, p.Damaged)
	}
	return p, run
}

// written returns the file of a kind with a profile for each group.
func written(t *testing.T, kind Kind, profiles ...*profile.Profile) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := NewWriter(&b, kind)
	for i, p := range profiles {
		err = errors.Join(err, w.Write(groups[i], p))
	}
	if err := errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// read has another implementation read the file of a kind.
func read[R any](t *testing.T, kind Kind, profiles ...*profile.Profile) []R {
	t.Helper()
	data := written(t, kind, profiles...)
	if !bytes.Equal(data, written(t, kind, profiles...)) {
		t.Errorf("%s: equal rows are other bytes", kind)
	}
	return readback.Rows[R](t, data)
}

// TestGroups reads what rows say of groups.
func TestGroups(t *testing.T) {
	p, _ := counted(t, 3)
	rows := read[functionRow](t, Functions, p, p)
	if n := len(p.Functions()); len(rows) != 2*n {
		t.Fatalf("%d rows of %d functions and two groups", len(rows), n)
	}
	var got []group
	for _, r := range rows {
		got = append(got, r.group)
	}
	got = slices.CompactFunc(got, func(a, b group) bool { return a.Day == b.Day })
	host, run := "web1", "4711.1"
	want := []group{
		{
			Service: "shop", Labels: groups[0].Labels, Build: "abc", Day: 20454, First: day(1).UnixMicro(),
			Last: day(1).Add(time.Hour).UnixMicro(), Runs: 3, Hosts: 2,
		},
		{
			Service: "shop", Build: "abc", Day: 20455, First: day(2).UnixMicro(), Last: day(2).UnixMicro(),
			Runs: 1, Hosts: 1, Host: &host, Run: &run,
		},
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(group{}), cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestCounts holds what is read against what the calls executed.
func TestCounts(t *testing.T) {
	p, run := counted(t, 30)
	const words = "example.com/m/lex.Words"
	truth := run.Truth[words]
	edges := make(map[int]int64) // of paths
	for _, r := range read[pathRow](t, Paths, p) {
		if r.Function != words {
			t.Errorf("path %+v", r)
			continue
		}
		path, err := p.Packages[0].Functions[0].Decoder().Path(uint64(r.Path))
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range path.Edges {
			edges[e] += r.Count
		}
		if *r.Low != r.Count || *r.High != r.Count || r.Samples != nil || r.Time != nil || r.Estimated {
			t.Errorf("path %+v, which was counted", r)
		}
		if len(r.Lines) < 2 || (r.Begins == "loop") != path.Loop {
			t.Errorf("path %+v, want %+v", r, path)
		}
	}
	if diff := cmp.Diff(truth.Edges, edges); diff != "" {
		t.Errorf("edges of paths (-executed +read):\n%s", diff)
	}
	for _, r := range read[functionRow](t, Functions, p) {
		switch r.Function {
		case words:
			if r.Calls != truth.Calls || r.Abandoned != truth.Abandoned || r.ExecutedPaths == 0 || r.Declined != nil {
				t.Errorf("%+v, want %d calls, %d abandoned", r, truth.Calls, truth.Abandoned)
			}
		case "example.com/m/lex.recovers":
			if r.Declined == nil || r.Calls != 0 {
				t.Errorf("%+v, want it to be declined", r)
			}
		}
	}
	f := p.Packages[0].Functions[0]
	branches := []int32{1, 2, 3, 4, 5, 6, 8, 9}
	for _, r := range read[edgeRow](t, Edges, p) {
		if r.Function == words && (r.Count != f.Edges[r.Edge] || r.Branch != slices.Contains(branches, r.Edge)) {
			t.Errorf("edge %+v, want %d", r, f.Edges[r.Edge])
		}
	}
}

// TestEvents reads calls and values.
func TestEvents(t *testing.T) {
	p, _ := counted(t, 30)
	got := ""
	for _, r := range read[callRow](t, Calls, p) {
		callee := "unknown"
		if r.Callee != nil {
			callee = *r.Callee
		}
		got += fmt.Sprint(r.At, " ", callee, " ", r.Dynamic, " ", r.Count, "; ")
	}
	static := 2 * p.Packages[0].Functions[0].Blocks[2]
	if want := fmt.Sprintf("7 strings.Trim false %d; 6 example.com/m/lex.F true 150; 6 unknown true 1; ", static); got != want {
		t.Errorf("calls %s\nwant %s", got, want)
	}
	for kind, want := range map[Kind]string{Trips: "5 3 true 30; ", Values: "7 x\x00\ufffd false 2; "} {
		got := ""
		for _, r := range read[valueRow](t, kind, p) {
			got += fmt.Sprint(r.At, " ", *r.Value, " ", r.Number != nil, " ", r.Count, "; ")
		}
		if got != want {
			t.Errorf("%s: %q, want %q", kind, got, want)
		}
	}
}

// TestSourceName has symbols as the linker has them.
func TestSourceName(t *testing.T) {
	for symbol, want := range map[string]string{
		"gopkg.in/yaml%2ev3.(*T).M":             "gopkg.in/yaml.v3.(*T).M",
		"example.com/a.v1/b.F":                  "example.com/a.v1/b.F",
		"a%20b/%c3%bc.F.func1":                  "a b/ü.F.func1",
		"m/p%2eq.F[go.shape.*x.org/y%2ez.T].G1": "m/p.q.F[go.shape.*x.org/y%2ez.T].G1",
		"m.F":                                   "m.F",
		"m%zz.F":                                "m%zz.F",
		"exit":                                  "exit",
	} {
		if got := sourceName(symbol); got != want {
			t.Errorf("%s is %s, want %s", symbol, got, want)
		}
	}
}

// TestUncounted has a function that no run counts: it is not among those that nobody calls.
func TestUncounted(t *testing.T) {
	const must = "example.com/m/lex.Must"
	run := profiletest.NewRun(1, 0, nil, profiletest.Copied(profiletest.Lex()))
	run.Uncounted(must, copies.NoCode)
	p, err := profile.New([]*rundata.Run{run.Data()}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range read[functionRow](t, Functions, p) {
		if (r.Uncounted != nil) != (r.Function == must) {
			t.Errorf("%+v", r)
		}
	}
}

// TestEstimates reads a sampled profile: it has intervals, and samples of what was not counted.
func TestEstimates(t *testing.T) {
	p, err := profile.New([]*rundata.Run{profiletest.NestedRun(1).Data()}, nil)
	if err != nil {
		t.Fatal(err)
	}
	f, number := p.Packages[0].Functions[0], 0
	for i, r := range read[pathRow](t, Paths, p) {
		path := &f.Paths[i]
		n := f.PathNumber(path)
		if !r.Estimated || r.Count != path.Count || (r.Samples == nil) != (path.Samples == 0) || (r.Low == nil) != (n == nil) {
			t.Errorf("%+v of %+v", r, path)
		}
		if n != nil {
			number++
			if *r.Low != n.Low || *r.High != n.High {
				t.Errorf("%+v, want %d to %d", r, n.Low, n.High)
			}
		}
	}
	if number == 0 {
		t.Error("no path has an interval")
	}
}
