package archive

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goprofinstr/goprofinstr/export/fleet/tally"
	"github.com/goprofinstr/goprofinstr/export/internal/profiletest"
	"github.com/goprofinstr/goprofinstr/export/pprof"
	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/export/profile/merge"
	"github.com/goprofinstr/goprofinstr/export/profiledir"
	"github.com/goprofinstr/goprofinstr/rt/rundata"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// shard writes a profile directory as wrap does, with runs of the table of package lex and a package that no run has.
func shard(t *testing.T, n int) string {
	dir := filepath.Join(t.TempDir(), fmt.Sprint("shard", n))
	d, err := profiledir.CheckDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	never := profiletest.Lex()
	never.Path = "example.com/m/never"
	var tables [][]byte
	for _, p := range []*table.Package{profiletest.Lex(), never} {
		data, err := p.Encode()
		if err != nil {
			t.Fatal(err)
		}
		tables = append(tables, data)
	}
	if err := d.WriteBuild(profiledir.Manifest{Mode: "exact"}, tables); err != nil {
		t.Fatal(err)
	}
	for i := range n + 1 {
		run := profiletest.NewRun(100*n+i, n, []string{"lex.test"}, profiletest.Lex())
		profiletest.CallWords(run, uint64(1+i), []string{"a", "a b", "", "  x"}[n])
		name := profiledir.RunFile(100*n+i, run.Data().Start.UnixNano(), 0)
		if err := run.WriteFile(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// profiles returns the profile of directories by way of merge, and of an archive of them.
func profiles(t *testing.T, compacted bool, dirs ...string) (merged, archived *profile.Profile) {
	d := &profiledir.Dir{Path: t.TempDir()}
	if damaged, err := merge.Directories(d, dirs); err != nil || damaged != nil {
		t.Fatal(damaged, err)
	}
	merged, err := profile.Load(d.Path)
	if err != nil {
		t.Fatal(err)
	}
	a := create(t, newMemory())
	for range 2 { // the second time changes nothing
		for _, dir := range dirs {
			if _, damaged, err := a.AddDirectory(ctx, Directory{Path: dir, Host: "ci", Service: "tests"}); err != nil || damaged != nil {
				t.Fatal(damaged, err)
			}
		}
		if compacted {
			compact(t, a)
		}
	}
	builds, damaged, err := a.Merge(ctx, Select{})
	if err != nil || damaged != nil {
		t.Fatal(damaged, err)
	}
	chosen, left, err := Choose(builds, "")
	if err != nil || left != nil {
		t.Fatal(left, err)
	}
	archived, err = chosen.Profile(new(profile.Tables))
	if err != nil {
		t.Fatal(err)
	}
	return merged, archived
}

// TestAsMerge holds the profile of an archive against that of the merged directories of the same runs.
func TestAsMerge(t *testing.T) {
	dirs := []string{shard(t, 1), shard(t, 2), shard(t, 3)}
	for _, compacted := range []bool{false, true} {
		want, got := profiles(t, compacted, dirs...)
		if len(want.Packages) != 2 || want.Coverage().PathsExecuted == 0 {
			t.Fatalf("merged: %+v", want.Coverage())
		}
		if diff := cmp.Diff(want.Packages, got.Packages, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("compacted %v (-directories +archive):\n%s", compacted, diff)
		}
		if len(got.Runs) != len(want.Runs) || !got.Runs[0].Start.Equal(want.Runs[0].Start) {
			t.Errorf("runs %+v, want %+v", got.Runs, want.Runs)
		}
		for i := range want.Runs { // whose command lines are not archived
			want.Runs[i].Args = nil
		}
		var a, b bytes.Buffer
		if err := pprof.WriteEdges(&a, want); err != nil {
			t.Fatal(err)
		}
		if err := pprof.WriteEdges(&b, got); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(a.Bytes(), b.Bytes()) {
			t.Error("profiles for pprof differ")
		}
	}
}

// TestDirectoryDamaged adds a directory with files that are none of ours: they are listed, and the others count.
func TestDirectoryDamaged(t *testing.T) {
	dir := shard(t, 2)
	for name, text := range map[string]string{"run.1.1.gpi": "hello", "run.2.2.gpi": "", "tables/9.gptab": "hello"} {
		if err := os.WriteFile(filepath.Join(dir, filepath.FromSlash(name)), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	a := create(t, newMemory())
	runs, damaged, err := a.AddDirectory(ctx, Directory{Path: dir, Host: "ci"})
	if err != nil || runs != 3 || len(damaged) != 2 {
		t.Fatalf("%d runs, damaged %v, error %v", runs, damaged, err)
	}
	for i, want := range []string{"run file run.1.1.gpi: run file of 5 bytes: shorter than a header", "table 9.gptab: "} {
		if got := damaged[i].String(); !strings.HasPrefix(got, want) || strings.Contains(got, dir) {
			t.Errorf("damaged: %s", got)
		}
	}
	if _, _, err := a.AddDirectory(ctx, Directory{Path: filepath.Join(dir, "none"), Host: "ci"}); err == nil {
		t.Error("no directory: no error")
	}
}

// TestSampled has sampled runs. Of each path an archive must have the sum of what the profiles of the runs say, to a rounding,
// and no intervals.
func TestSampled(t *testing.T) {
	dir := t.TempDir()
	want := make(map[string]int64)
	for i := range 3 {
		run := profiletest.NestedRun(uint64(i))
		run.Data().Start = day(1 + i)
		name := filepath.Join(dir, profiledir.RunFile(i+1, day(1+i).UnixNano(), 0))
		if err := run.WriteFile(name); err != nil {
			t.Fatal(err)
		}
		one, err := profile.New([]*rundata.Run{run.Data()}, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range one.Functions() {
			for _, p := range f.Paths {
				want[fmt.Sprint(f.Table.Name, p.ID)] += p.Count
			}
		}
	}
	a := create(t, newMemory())
	if runs, damaged, err := a.AddDirectory(ctx, Directory{Path: dir, Host: "h"}); err != nil || runs != 3 || damaged != nil {
		t.Fatal(runs, damaged, err)
	}
	for range 2 {
		builds, damaged, err := a.Merge(ctx, Select{})
		if err != nil || damaged != nil || len(builds) != 1 || !builds[0].Tally.Sampled {
			t.Fatal(builds, damaged, err)
		}
		p, err := builds[0].Profile(new(profile.Tables))
		if err != nil || p.Damaged != nil || len(p.Runs) != 3 {
			t.Fatal(p, err)
		}
		paths := 0
		for _, f := range p.Functions() {
			for _, path := range f.Paths {
				if n := want[fmt.Sprint(f.Table.Name, path.ID)]; path.Count < n-3 || path.Count > n+3 {
					t.Errorf("path %d of %s: %d, want %d", path.ID, f.Table.Name, path.Count, n)
				}
				paths++
			}
		}
		if paths == 0 || paths != len(want) {
			t.Errorf("%d paths, want %d", paths, len(want))
		}
		compact(t, a)
	}
}

// TestRoot has a run that was not told where its sources were, as with -trimpath: its directory says it.
func TestRoot(t *testing.T) {
	d := &profiledir.Dir{Path: t.TempDir()}
	if err := d.WriteBuild(profiledir.Manifest{Mode: "exact", Root: "/src/m"}, nil); err != nil {
		t.Fatal(err)
	}
	if err := profiletest.NestedRun(1).WriteFile(filepath.Join(d.Path, profiledir.RunFile(1, day(1).UnixNano(), 0))); err != nil {
		t.Fatal(err)
	}
	a := create(t, newMemory())
	if runs, damaged, err := a.AddDirectory(ctx, Directory{Path: d.Path, Host: "h"}); err != nil || runs != 1 || damaged != nil {
		t.Fatal(runs, damaged, err)
	}
	builds, _, err := a.Merge(ctx, Select{})
	if err != nil || len(builds) != 1 || builds[0].Root != "/src/m" {
		t.Errorf("%+v, %v", builds, err)
	}
	if _, err := a.Groups(ctx, Select{}, func(g *Group) error {
		if g.Root != "/src/m" {
			t.Errorf("a group has root %q", g.Root)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	older := Build{ID: "older", Root: "/src/m", Tally: new(tally.Tally)}
	if chosen, _, err := Choose([]Build{{ID: "newer", Tally: new(tally.Tally)}, older}, ""); err != nil || chosen.Root != "/src/m" {
		t.Errorf("%+v, %v", chosen, err)
	}
}
