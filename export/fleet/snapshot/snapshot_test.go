package snapshot

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/goprofinstr/goprofinstr/export/fleet/archive"
	"github.com/goprofinstr/goprofinstr/export/fleet/follow"
	"github.com/goprofinstr/goprofinstr/export/internal/profiletest"
	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/export/profiledir"
)

// TestTake has processes come and count at random. Each snapshot must have what was counted since the last one. What is in no
// snapshot must not come later.
func TestTake(t *testing.T) {
	ctx, dir := context.Background(), t.TempDir()
	t.Chdir(filepath.Dir(dir))
	r := rand.New(rand.NewPCG(3, 4))
	calls, marked := make([]uint64, 3), make([]uint64, 3)
	for round := range 12 {
		for i := range calls {
			if r.IntN(3) > 0 {
				calls[i] += uint64(r.IntN(4))
				writeRun(t, dir, i, calls[i])
			}
		}
		since := int64(0)
		for i := range calls {
			since += int64(calls[i] - marked[i])
		}
		copy(marked, calls)
		out := filepath.Join(t.TempDir(), "out")
		if round%3 == 2 {
			out = "" // these are in none
		}
		name := dir
		if round%2 == 1 {
			name = filepath.Base(dir)
		}
		taken, err := Take(ctx, name, out)
		if err != nil || len(taken.Bad) > 0 {
			t.Fatal(err, taken)
		}
		if out == "" {
			continue
		}
		if got := callsIn(ctx, t, out); got != since {
			t.Fatalf("round %d: %d calls, want %d", round, got, since)
		}
	}
}

// writeRun writes the run file of process i, which has called Words so many times.
func writeRun(t *testing.T, dir string, i int, calls uint64) {
	t.Helper()
	run := profiletest.NewRun(100+i, i, nil, profiletest.Lex())
	profiletest.CallWords(run, calls, "two words")
	if err := run.WriteFile(filepath.Join(dir, fmt.Sprintf("run.%d.1.gpi", 100+i))); err != nil {
		t.Fatal(err)
	}
}

// callsIn returns the calls of Words in an archive.
func callsIn(ctx context.Context, t *testing.T, name string) int64 {
	t.Helper()
	a, err := archive.Open(ctx, name)
	if err != nil {
		t.Fatal(err)
	}
	builds, damaged, err := a.Merge(ctx, archive.Select{})
	if err != nil || len(damaged) > 0 {
		t.Fatal(err, damaged)
	}
	if len(builds) == 0 {
		return 0 // nothing ran
	}
	p, err := builds[0].Profile(new(profile.Tables))
	if err != nil {
		t.Fatal(err)
	}
	return p.Functions()[0].Entries
}

// TestFailed has a snapshot that cannot be written: the next one has all of it.
func TestFailed(t *testing.T) {
	ctx, dir := context.Background(), t.TempDir()
	writeRun(t, dir, 0, 5)
	full := filepath.Join(t.TempDir(), "full")
	if err := os.MkdirAll(filepath.Join(full, "x"), 0o777); err != nil {
		t.Fatal(err)
	}
	if _, err := Take(ctx, dir, full); err == nil {
		t.Fatal("a snapshot in a folder that is not empty")
	}
	out := filepath.Join(t.TempDir(), "out")
	if _, err := Take(ctx, dir, out); err != nil {
		t.Fatal(err)
	}
	if n := callsIn(ctx, t, out); n != 5 {
		t.Errorf("%d calls, want 5", n)
	}
}

// TestKept has a run with labels and a root: the archive of a snapshot has what others have of these.
func TestKept(t *testing.T) {
	ctx, dir := context.Background(), t.TempDir()
	run := profiletest.NewRun(100, 0, nil, profiletest.Lex())
	profiletest.CallWords(run, 5, "two words")
	run.Data().Attributes = "service.name=shop,service.version=v1,password=x"
	if err := run.WriteFile(filepath.Join(dir, "run.100.1.gpi")); err != nil {
		t.Fatal(err)
	}
	a, err := archive.Create(ctx, filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range follow.New(follow.Options{Dirs: []string{dir}}).Poll() {
		r.Root = "/src/m" // as a program says that wrap go build has made
		if err := new(Taken).add(ctx, a, r); err != nil {
			t.Fatal(err)
		}
	}
	var got []string
	damaged, err := a.Groups(ctx, archive.Select{}, func(g *archive.Group) error {
		got = append(got, fmt.Sprintf("%s at %s, %s", g.Service, g.Root, g.Labels))
		return nil
	})
	if err != nil || damaged != nil || len(got) != 1 || got[0] != "shop at /src/m, service.version=v1" {
		t.Errorf("%q, damaged %v, error %v", got, damaged, err)
	}
}

// TestMoved has a wrap end between two snapshots, one of which is taken when the file is where none looks: what its program has
// counted before does not come again.
func TestMoved(t *testing.T) {
	ctx, dir := context.Background(), t.TempDir()
	places := profiledir.Places(filepath.Join(dir, "run.100.1.gpi"))
	for _, name := range places {
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	writeRun(t, filepath.Dir(places[0]), 0, 5)
	for i, want := range []int64{5, 0, 2} {
		if i > 0 {
			writeRun(t, filepath.Dir(places[i-1]), 0, 7)
			if err := os.Rename(places[i-1], places[i]); err != nil {
				t.Fatal(err)
			}
		}
		out := filepath.Join(t.TempDir(), "out")
		if _, err := Take(ctx, dir, out); err != nil {
			t.Fatal(err)
		}
		if n := callsIn(ctx, t, out); n != want {
			t.Errorf("snapshot %d: %d calls, want %d", i, n, want)
		}
	}
}
