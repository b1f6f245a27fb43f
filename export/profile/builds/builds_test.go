package builds

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/goprofinstr/goprofinstr/export/internal/profiletest"
	"github.com/goprofinstr/goprofinstr/export/profile/internal/input"
	"github.com/goprofinstr/goprofinstr/export/profiledir"
	"github.com/goprofinstr/goprofinstr/rt/rundata"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// version returns the table of a package with one function that has so many lines.
func version(path string, lines int) *table.Package {
	return profiletest.Package(path, table.Function{
		Name: path + ".F", Line: 1, EndLine: lines, Blocks: make([]table.Block, 2), Exit: 1, Edges: []table.Edge{{To: 1}},
	})
}

func run(pid, second int, service string, tables ...*table.Package) *rundata.Run {
	r := profiletest.NewRun(pid, second, nil, tables...)
	r.Call(tables[0].Path+".F", uint64(pid), 0)
	r.Data().Service = service
	return r.Data()
}

// TestGroup has runs of three versions and two services, in whatever order. One was told its service by another variable.
func TestGroup(t *testing.T) {
	a1, a2, b := version("m/a", 1), version("m/a", 2), version("m/b", 1)
	runs := []*rundata.Run{
		run(1, 10, "shop", a1, b), run(2, 20, "shop", a2, b), run(4, 30, "canary", a2, b), run(8, 40, "shop", a1, b),
		run(16, 50, "shop", a2, b), run(32, 60, "shop", version("m/a", 3)),
	}
	runs[3].Service, runs[3].Attributes = "", "region=eu,service.name=shop"
	want := []string{"canary 1 4 2", "shop 1 32 1", "shop 2 18 2", "shop 2 9 2"}
	random := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		var got []string
		for _, b := range group(runs, nil, nil) {
			counts, err := b.counts()
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range counts {
				got = append(got, fmt.Sprint(c.Service, " ", c.Runs, " ", c.Profile.Packages[0].Functions[0].Entries, " ", len(c.Tables)))
			}
		}
		slices.Sort(got) // who reads them orders them
		if !slices.Equal(got, want) {
			t.Fatalf("%q, want %q", got, want)
		}
		random.Shuffle(len(runs), func(i, j int) { runs[i], runs[j] = runs[j], runs[i] })
	}
}

// TestTables has a table that wrap has left of a package which no run has linked. It must be of the build whose other
// tables wrap has left.
func TestTables(t *testing.T) {
	old, now, unlinked := version("m/a", 1), version("m/a", 2), version("m/b", 1)
	var left []input.EncodedTable
	for _, p := range []*table.Package{old, unlinked} {
		data, err := p.Encode()
		if err != nil {
			t.Fatal(err)
		}
		left = append(left, input.EncodedTable{Data: data, Table: p})
	}
	list := group([]*rundata.Run{run(1, 10, "", old), run(2, 20, "", now)}, left, left[1:])
	if len(list) != 2 || len(list[0].tables) != 1 || len(list[1].tables) != 2 {
		t.Fatalf("%d builds: %v", len(list), list)
	}
	counts, err := list[1].counts()
	if err != nil || len(counts) != 1 || len(counts[0].Profile.Packages) != 2 {
		t.Errorf("%v, %v", counts, err)
	}
	if list := group(nil, left, left); len(list) != 1 || len(list[0].tables) != 2 {
		t.Errorf("without runs there are %d builds", len(list))
	}
}

func TestAgree(t *testing.T) {
	for _, test := range []struct {
		a, b map[string]Sum
		want bool
	}{
		{nil, nil, true},
		{map[string]Sum{"a": {1}}, map[string]Sum{"b": {2}}, true},
		{map[string]Sum{"a": {1}, "b": {1}}, map[string]Sum{"a": {1}}, true},
		{map[string]Sum{"a": {1}}, map[string]Sum{"a": {2}, "b": {1}}, false},
	} {
		if Agree(test.a, test.b) != test.want || Agree(test.b, test.a) != test.want {
			t.Errorf("%v and %v: want %t", test.a, test.b, test.want)
		}
	}
}

// TestRead reads a directory with a run file that is none.
func TestRead(t *testing.T) {
	dir := t.TempDir()
	if err := profiletest.NewRun(7, 1, nil, version("m/a", 1)).WriteFile(filepath.Join(dir, "run.7.1.gpi")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "run.8.1.gpi"), []byte("nonsense"), 0o666); err != nil {
		t.Fatal(err)
	}
	all, damaged, err := Read([]string{dir})
	if err != nil || len(all) != 1 || all[0].Runs != 1 || all[0].First != all[0].Last {
		t.Errorf("%+v, %v", all, err)
	}
	if len(damaged) != 1 || damaged[0].Name != filepath.Join(dir, "run.8.1.gpi") {
		t.Errorf("damaged: %v", damaged)
	}
}

// TestReadErrors has directories of which nothing can be read.
func TestReadErrors(t *testing.T) {
	nonsense, audit := t.TempDir(), t.TempDir()
	for name, text := range map[string]string{
		filepath.Join(nonsense, "run.8.1.gpi"):        "nonsense",
		filepath.Join(audit, profiledir.ManifestName): `{"version": 1, "mode": "audit"}`,
	} {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct {
		dir  string
		is   error
		want string
	}{
		{filepath.Join(nonsense, "missing"), fs.ErrNotExist, "missing"},
		{t.TempDir(), profiledir.ErrNoRuns, "the directory is empty"},
		{nonsense, nil, "nothing in it can be read"},
		{audit, nil, "is an audit"},
	} {
		all, _, err := Read([]string{test.dir})
		if err == nil || test.is != nil && !errors.Is(err, test.is) || !strings.Contains(err.Error(), test.want) ||
			!strings.Contains(err.Error(), test.dir) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, %v, want a line with %q", test.dir, all, err, test.want)
		}
	}
}

func TestHosts(t *testing.T) {
	for list, want := range map[string]string{
		"":                             "",
		"host.name=a":                  "a",
		"region=x, host.name = b ,x=y": "b",
		"host.name=a%2Cb":              "a,b",
		"host.name=%zz":                "%zz",
		"my.host.name=c":               "",
	} {
		var all []string
		if want != "" {
			all = []string{want}
		}
		if got := hosts([]*rundata.Run{{Attributes: list}}); !slices.Equal(got, all) {
			t.Errorf("%q: %q, want %q", list, got, all)
		}
	}
	runs := []*rundata.Run{{Attributes: "host.name=b"}, {Attributes: "host.name=a"}, {}, {Attributes: "host.name=b"}}
	if got := hosts(runs); !slices.Equal(got, []string{"a", "b"}) {
		t.Error(got)
	}
}
