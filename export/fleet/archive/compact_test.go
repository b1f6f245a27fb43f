package archive

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/goprofinstr/goprofinstr/export/fleet/archive/store"
	"github.com/goprofinstr/goprofinstr/export/fleet/tally"
)

// compactable returns an archive with something of everything that compaction meets. It has days that are compacted, and runs
// that are in them and were put again. It has runs that are new, that have not ended, and that were put while they started.
func compactable(t testing.TB) *memory {
	m := newMemory()
	a, runs := create(t, m), fleet(20, 120)
	put(t, a, runs[:40]...)
	compact(t, a)
	put(t, create(t, m), runs[20:]...)
	part := runs[90]
	part.Final, part.Tally = false, &tally.Tally{Packages: part.Tally.Packages[:1]}
	put(t, create(t, m), part)
	going := counted(newRand(21), 200, 2, "")
	going.Final = false
	put(t, a, going)
	return m
}

// TestCompactKilled kills compaction at each of its steps, and what compacts then as well, some steps further. At no time may
// anything be lost or count twice. In the end there must be one object for each day and build.
func TestCompactKilled(t *testing.T) {
	base := compactable(t)
	want := merged(t, create(t, base.clone()), Select{})
	moments := 0
	for killed := true; killed; moments++ {
		m := base.clone()
		a := create(t, m)
		killed = false
		for _, more := range []int{moments, moments % 7} {
			m.steps, m.most = 0, more
			_, err := a.Compact(ctx, Select{})
			killed = killed || err != nil
			m.most = -1
			if got := merged(t, create(t, m.clone()), Select{}); got != want {
				t.Fatalf("killed after %d steps: got\n%s\nwant\n%s", more, got, want)
			}
		}
		compact(t, a)
		if got := merged(t, a, Select{}); got != want {
			t.Fatalf("killed after %d steps and compacted again: got\n%s\nwant\n%s", moments, got, want)
		}
		if days, runs := m.below(daysFolder), m.below(countsFolder); len(days) != 3 || len(runs) != 1 {
			t.Fatalf("killed after %d steps and compacted again: %v and %v", moments, days, runs)
		}
	}
	if moments < 100 {
		t.Errorf("killed at %d moments only", moments)
	}
}

// TestCompactTogether has another one compact, or put runs, before each step of a compaction: nothing is lost or counts twice.
// With -short it is before some of the steps.
func TestCompactTogether(t *testing.T) {
	base := compactable(t)
	late := fleet(22, 130)[120:]
	stride := 1
	if testing.Short() {
		stride = 5
	}
	for name, other := range map[string]func(a *Archive){
		"compact": func(a *Archive) { compact(t, a) },
		"put":     func(a *Archive) { put(t, a, late...) },
		"both":    func(a *Archive) { put(t, a, late...); compact(t, a) },
		"twice":   func(a *Archive) { compact(t, a); put(t, a, late...); compact(t, a) },
	} {
		all := base.clone()
		other(create(t, all))
		want := merged(t, create(t, all), Select{})
		for at := 0; ; at += stride {
			m := base.clone()
			a, b := create(t, m), create(t, m)
			m.steps = 0
			came := false
			m.before = func(n int) {
				if n == at && !came {
					came = true
					other(b)
				}
			}
			if _, err := a.Compact(ctx, Select{}); err != nil {
				t.Fatalf("%s before step %d: %v", name, at, err)
			}
			m.before = nil
			if !came {
				break // it had fewer steps
			}
			for range 2 {
				if got := merged(t, create(t, m), Select{}); got != want {
					t.Fatalf("%s before step %d: got\n%s\nwant\n%s", name, at, got, want)
				}
				compact(t, b)
			}
		}
	}
}

// TestMergeMeanwhile merges before each step of a compaction, and compacts while merging: a reader sees what there was.
func TestMergeMeanwhile(t *testing.T) {
	base := compactable(t)
	want := merged(t, create(t, base.clone()), Select{})
	m := base.clone()
	reader := create(t, m)
	merges := 0
	m.before = func(int) {
		merges++
		if got := merged(t, reader, Select{}); got != want {
			t.Fatalf("step %d: got\n%s\nwant\n%s", merges, got, want)
		}
	}
	compact(t, create(t, m))
	if merges < 100 {
		t.Errorf("%d merges", merges)
	}
	for at := 0; ; at++ {
		reads := &reading{memory: base.clone(), at: at}
		reads.do = func() { compact(t, create(t, reads.memory)) }
		a, err := OpenStore(ctx, "test", reads)
		if err != nil {
			t.Fatal(err)
		}
		if got := merged(t, a, Select{}); got != want {
			t.Fatalf("compacted before read %d: got\n%s\nwant\n%s", at, got, want)
		}
		if reads.n <= at {
			break
		}
	}
}

// reading is a store in which something happens before the read of some number: of an object, or of a list.
type reading struct {
	*memory
	n, at int
	do    func()
}

func (r *reading) read() {
	if r.n++; r.n == r.at+1 {
		r.do()
	}
}

func (r *reading) Get(ctx context.Context, name string) ([]byte, error) {
	r.read()
	return r.memory.Get(ctx, name)
}

func (r *reading) List(ctx context.Context, prefix string) ([]store.Info, error) {
	r.read()
	return r.memory.List(ctx, prefix)
}

// childVar is the variable with the archive that TestCompactChild compacts.
const childVar = "GOPROFINSTR_TEST_ARCHIVE"

// TestCompactChild is the process that TestCompactSIGKILL kills. It says before each step that it is about to take it, and
// waits for a line.
func TestCompactChild(t *testing.T) {
	dir := os.Getenv(childVar)
	if dir == "" {
		t.Skip("for TestCompactSIGKILL")
	}
	d, err := store.OpenDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	a, err := OpenStore(ctx, dir, &asking{d, bufio.NewReader(os.Stdin)})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.Compact(ctx, Select{}); err != nil {
		t.Fatal(err)
	}
}

// asking is a store that waits for a line before it changes anything.
type asking struct {
	*store.Dir
	in *bufio.Reader
}

func (s *asking) ask() {
	fmt.Println("step")
	s.in.ReadString('\n')
}

func (s *asking) PutIfAbsent(ctx context.Context, name string, data []byte) (bool, error) {
	s.ask()
	return s.Dir.PutIfAbsent(ctx, name, data)
}

func (s *asking) Delete(ctx context.Context, name string) error {
	s.ask()
	return s.Dir.Delete(ctx, name)
}

// TestCompactSIGKILL kills a process that compacts a directory, right after it was told to take a step.
func TestCompactSIGKILL(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "archive")
	a, err := Create(ctx, dir)
	if err != nil {
		t.Fatal(err)
	}
	runs := fleet(23, 30)
	put(t, a, runs...)
	want := merged(t, a, Select{})
	for _, steps := range []int{1, 2, 3, 5, 8, 13, 21} {
		kill(t, dir, steps)
		if got := merged(t, a, Select{}); got != want {
			t.Fatalf("killed at step %d: got\n%s\nwant\n%s", steps, got, want)
		}
		fresh, err := Open(ctx, dir)
		if err != nil {
			t.Fatal(err)
		}
		put(t, fresh, runs...) // so that there are as many steps again
	}
	compact(t, a)
	if got := merged(t, a, Select{}); got != want {
		t.Fatalf("compacted: got\n%s\nwant\n%s", got, want)
	}
}

// kill has a process take so many steps of compaction, the last of which may not be taken, or in part.
func kill(t *testing.T, dir string, steps int) {
	cmd := exec.Command(os.Args[0], "-test.run=^TestCompactChild$")
	cmd.Env = append(os.Environ(), childVar+"="+dir)
	in, err1 := cmd.StdinPipe()
	out, err2 := cmd.StdoutPipe()
	if err := errors.Join(err1, err2, cmd.Start()); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for range steps {
		if !lines.Scan() || lines.Text() != "step" {
			t.Errorf("the process ended before step %d: %s", steps, lines.Text())
			break
		}
		if _, err := io.WriteString(in, "\n"); err != nil {
			t.Error(err)
		}
	}
	cmd.Process.Kill()
	cmd.Wait()
}
