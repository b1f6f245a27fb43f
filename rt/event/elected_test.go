//go:build linux && (amd64 || arm64 || riscv64)

package event_test

import (
	"os/exec"
	"strings"
	"sync"
	"testing"

	"github.com/goprofinstr/goprofinstr/rt"
	"github.com/goprofinstr/goprofinstr/rt/event"
	"github.com/goprofinstr/goprofinstr/rt/internal/rttest"
	"github.com/goprofinstr/goprofinstr/rt/runfile"
)

type shape interface{ area() int }

type (
	square struct{}
	circle struct{ r int }
	line   int
)

func (square) area() int  { return 1 }
func (*circle) area() int { return 2 }
func (line) area() int    { return 0 }

// elected is package-level for the same reason as counted.
var elected struct {
	c [rt.Pad + 1 + rt.Pad]uint64
	h [4]rt.Hash
	k [4]event.Selector
}

// count returns what a run has counted of the targets whose names end so, and which of them it says is elected.
func count(t *testing.T, dir string, hash int) (counts map[string]uint64, elected string) {
	t.Helper()
	run := rttest.ReadDir(t, dir)
	counts = make(map[string]uint64)
	for v, n := range run.Packages[0].Hashes[hash] {
		name := run.Names[v&^event.ElectedOf].Text
		name = name[strings.LastIndex(name, "/")+1:]
		switch {
		case n == 0:
		case v&event.ElectedOf == 0:
			counts[name] = n
		case elected != "":
			t.Errorf("both %s and %s are elected", elected, name)
		default:
			elected = name
		}
	}
	return counts, elected
}

// TestElected calls methods and function values: each other target is counted, and the elected one is not once it is.
func TestElected(t *testing.T) {
	dir := t.TempDir()
	stop := runfile.StartIn(dir)
	defer stop()
	e := &elected
	rt.Register(&rt.Package{Path: "example.com/p", Table: "table", Counters: &e.c[0], N: 1, Hashes: &e.h[0], NHashes: len(e.h)})
	for i, mode := range []uint32{event.Elects, event.Elects | event.Atomic, event.Elects, 0} {
		e.k[i] = event.Selector{Hash: &e.h[i], Mode: mode}
	}
	const rounds = 1000
	call := func(k *event.Selector) {
		for i := range rounds {
			event.Method[shape](square{}, k).area()
			event.Method[shape](square{}, k).area()
			event.Method[shape](&circle{}, k).area()
			if i%10 == 0 {
				event.Method[shape](line(i), k).area()
				event.Method[shape](nil, k) // panics where it is called
			}
		}
	}
	call(&e.k[0])
	call(&e.k[3])
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() { call(&e.k[1]) })
	}
	wg.Wait()
	functions := []func(){func() {}, nothing, nil}
	for i := range rounds {
		if f := event.Target(functions[i%3], &e.k[2]); f != nil {
			f()
		}
	}

	for hash, times := range map[int]uint64{0: 1, 1: 4} {
		counts, elected := count(t, dir, hash)
		if elected != "event_test.(*square).area" { // a wrapper, which has a pointer
			t.Errorf("%d: %q is elected", hash, elected)
		}
		if n := counts[elected]; n < 64 || n > 200 {
			t.Errorf("%d: the elected target is counted %d times", hash, n)
		}
		if n := counts["event_test.(*circle).area"]; n != times*rounds {
			t.Errorf("%d: %d calls of circle, want %d", hash, n, times*rounds)
		}
		if n := counts["event_test.(*line).area"]; n != times*rounds/10 {
			t.Errorf("%d: %d calls of line, want %d", hash, n, times*rounds/10)
		}
	}
	counts, which := count(t, dir, 2)
	if !strings.Contains(which, "func") || counts["event_test.nothing"] != rounds/3 {
		t.Errorf("function values: %q is elected, of %v", which, counts)
	}
	if counts, which = count(t, dir, 3); which != "" || counts["event_test.(*square).area"] != 2*rounds {
		t.Errorf("%q is elected where nothing can be, of %v", which, counts)
	}
}

// TestElectedInlined asks the compiler whether events of calls are code in line: the cost of Target is all that package inline
// allows.
func TestElectedInlined(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the compiler")
	}
	out, err := exec.Command("go", "test", "-c", "-o", "/dev/null", "-gcflags=-m", ".").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, name := range []string{"Target", "Method"} {
		if !strings.Contains(string(out), ": inlining call to event."+name+"[go.shape.") {
			t.Errorf("%s is not inlined", name)
		}
	}
}

func nothing() {}
