package covdata

import (
	"math"
	"testing"
	"time"

	"github.com/goprofinstr/goprofinstr/export/profile"
)

// TestOldest: the file of a profile has the same name when there are more runs. A run may not say when it was.
func TestOldest(t *testing.T) {
	run := func(pid int, nanoseconds int64) profile.Run {
		return profile.Run{Pid: pid, Start: time.Unix(0, nanoseconds)}
	}
	for _, runs := range [][]profile.Run{
		{run(4, 100)}, {run(4, 100), run(5, 200)}, {run(5, 200), run(4, 100)},
		{{Pid: 6}, run(4, 100)}, {run(4, 100), run(7, 100)},
	} {
		if pid, nanoseconds := oldest(&profile.Profile{Runs: runs}); pid != 4 || nanoseconds != 100 {
			t.Errorf("%v: process %d at %d, want 4 at 100", runs, pid, nanoseconds)
		}
	}
}

func TestCounterValue(t *testing.T) {
	for _, tt := range []struct {
		n    int64
		mode string
		want uint64
	}{
		{0, "set", 0}, {7, "set", 1}, {math.MaxInt64, "set", 1},
		{7, "count", 7}, {math.MaxUint32, "count", math.MaxUint32}, {math.MaxUint32 + 1, "atomic", math.MaxUint32},
	} {
		if got := counterValue(tt.n, counterModes[tt.mode]); got != tt.want {
			t.Errorf("%d in mode %s is %d, want %d", tt.n, tt.mode, got, tt.want)
		}
	}
}

// TestInOrder sorts packages that the order has not behind the others, as they were.
func TestInOrder(t *testing.T) {
	packages := []*pkg{{path: "a"}, {path: "b"}, {path: "c"}, {path: "d"}}
	inOrder(packages, []string{"d", "x", "b"})
	got := ""
	for _, p := range packages {
		got += p.path
	}
	if got != "dbac" {
		t.Errorf("order %s, want dbac", got)
	}
}
