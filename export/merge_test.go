package export_test

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goprofinstr/goprofinstr/export"
	"github.com/goprofinstr/goprofinstr/export/internal/profiletest"
	"github.com/goprofinstr/goprofinstr/export/internal/samples"
	"github.com/goprofinstr/goprofinstr/export/pprof"
	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/export/profile/merge"
	"github.com/goprofinstr/goprofinstr/export/profiledir"
	"github.com/goprofinstr/goprofinstr/export/report"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// shards writes directories with random runs of several programs, some of them of the same name.
func shards(t *testing.T, rnd *rand.Rand, n int, tables ...*table.Package) []string {
	t.Helper()
	var dirs []string
	for i := range n {
		dir := filepath.Join(t.TempDir(), fmt.Sprint(i))
		if err := os.Mkdir(dir, 0o777); err != nil {
			t.Fatal(err)
		}
		for j := range rnd.IntN(3) + 1 {
			linked := tables[:1+rnd.IntN(len(tables))]
			r := profiletest.NewRun(rnd.IntN(2), rnd.IntN(2), []string{"/tmp/lex.test"}, linked...)
			for _, p := range linked {
				for _, f := range p.Functions {
					calls(rnd, r, &f, p.Counts != table.Exact)
				}
			}
			if err := r.WriteFile(filepath.Join(dir, fmt.Sprintf("run.%d.gpi", j))); err != nil {
				t.Fatal(err)
			}
		}
		dirs = append(dirs, dir)
	}
	return dirs
}

// calls records a few random walks through f.
func calls(rnd *rand.Rand, r *profiletest.Run, f *table.Function, sampled bool) {
	if f.Declined != "" {
		return
	}
	for range rnd.IntN(4) {
		var walk []int
		for at, back := f.Entry, false; at != f.Exit && !back; {
			var out []int
			for id, e := range f.Edges {
				if e.From == at {
					out = append(out, id)
				}
			}
			id := out[rnd.IntN(len(out))]
			walk = append(walk, id)
			at, back = f.Edges[id].To, f.Edges[id].Back
		}
		if n := uint64(rnd.IntN(9) + 1); sampled {
			r.Sample(f.Name, 10*n, n, nil, walk...)
		} else {
			r.Call(f.Name, n, walk...)
		}
	}
}

// merged merges directories in random groups and returns the directory with all.
func merged(t *testing.T, rnd *rand.Rand, dirs []string) string {
	t.Helper()
	dirs = append([]string(nil), dirs...)
	for round := 0; ; round++ {
		rnd.Shuffle(len(dirs), func(i, j int) { dirs[i], dirs[j] = dirs[j], dirs[i] })
		n := 1 + rnd.IntN(len(dirs))
		d, err := profiledir.CheckDir(filepath.Join(t.TempDir(), "out"))
		if err != nil {
			t.Fatal(err)
		}
		if err := d.Replace(func(d *profiledir.Dir) error { _, err := merge.Directories(d, dirs[:n]); return err }); err != nil {
			t.Fatal(err)
		}
		if dirs = append(dirs[n:], d.Path); len(dirs) == 1 {
			return d.Path
		}
	}
}

// TestMergeIsOrderFree merges runs in random orders and groups: every format is the same to the byte.
func TestMergeIsOrderFree(t *testing.T) {
	for _, test := range []struct {
		name   string
		tables []*table.Package
	}{
		{"exact", []*table.Package{profiletest.Lex(), samples.SortTable(), samples.DeepTable()}},
		{"sampled", []*table.Package{profiletest.Sampled(profiletest.Lex()), profiletest.Sampled(samples.SortTable())}},
	} {
		t.Run(test.name, func(t *testing.T) {
			rnd := rand.New(rand.NewPCG(1, 2))
			dirs := shards(t, rnd, 5, test.tables...)
			var want [][]byte
			for i := range 8 {
				p, err := profile.Load(merged(t, rnd, dirs))
				if err != nil {
					t.Fatal(err)
				}
				if err := p.Check(); err != nil {
					t.Fatal(err)
				}
				got := everyFormat(t, p)
				if i == 0 {
					want = got
				}
				for j := range got {
					if !bytes.Equal(got[j], want[j]) {
						t.Errorf("merge %d: format %d differs", i, j)
					}
				}
			}
		})
	}
}

func everyFormat(t *testing.T, p *profile.Profile) [][]byte {
	var all [][]byte
	for _, w := range []func(io.Writer, *profile.Profile) error{
		pprof.WritePaths, pprof.WriteEdges, pprof.WriteCalls, export.WriteJSON, export.WriteFolded, text, report.WriteConditions,
	} {
		all = append(all, samples.Write(t, w, p))
	}
	return all
}

// TestMergeAddsUp holds the merged counts against sums made run by run.
func TestMergeAddsUp(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	dirs := shards(t, rnd, 4, profiletest.Lex(), samples.DeepTable())
	sums := make(map[string]int64)
	for _, dir := range dirs {
		p, err := profile.Load(dir)
		if err != nil {
			t.Fatal(err)
		}
		addPaths(sums, p, 1)
	}
	p, err := profile.Load(merged(t, rnd, dirs))
	if err != nil {
		t.Fatal(err)
	}
	addPaths(sums, p, -1)
	if len(sums) == 0 {
		t.Error("no paths")
	}
	for path, n := range sums {
		if n != 0 {
			t.Errorf("%s: the sum of the parts is %+d", path, n)
		}
	}
}

func addPaths(sums map[string]int64, p *profile.Profile, sign int64) {
	for _, f := range p.Functions() {
		for _, path := range f.Paths {
			sums[fmt.Sprint(f.Table.Name, "#", path.ID)] += sign * path.Count
		}
	}
}

func TestMergeRefuses(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 6))
	edited := profiletest.Lex()
	edited.Functions[1].Line++
	lex := shards(t, rnd, 1, profiletest.Lex())[0]
	for _, test := range []struct{ dir, want string }{
		{shards(t, rnd, 1, edited)[0], "example.com/m/lex.Must (lex/lex.go:20) is not the same in "},
		{shards(t, rnd, 1, profiletest.Sampled(profiletest.Lex()))[0], "merge directories of one -mode"},
		{shards(t, rnd, 1, profiletest.Sampled(samples.SortTable()))[0], "merge directories of one -mode"},
		{t.TempDir(), "the directory is empty"},
	} {
		out := filepath.Join(t.TempDir(), "out")
		err := (&profiledir.Dir{Path: out}).Replace(func(d *profiledir.Dir) error {
			_, err := merge.Directories(d, []string{lex, test.dir})
			return err
		})
		if err == nil || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("Merge = %v, want a line with %q", err, test.want)
		}
		if left, _ := filepath.Glob(out + "*"); len(left) > 0 {
			t.Errorf("an error leaves %v", left)
		}
	}
}
