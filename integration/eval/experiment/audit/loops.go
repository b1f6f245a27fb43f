package audit

import (
	"embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	"github.com/goprofinstr/goprofinstr/export/profiledir"
	"github.com/goprofinstr/goprofinstr/integration/eval/lab"
	"github.com/goprofinstr/goprofinstr/rt/rundata"
)

// The timings of calls and of loops that programs record.

//go:embed testdata/loopy
var loopyFiles embed.FS

// loopyPrefix is what the names of the functions begin with.
const loopyPrefix = "example.com/loopy."

// loopyFunctions have a benchmark of their name each.
var loopyFunctions = []string{"Multiply", "Sieve", "Distance", "Words", "SortChunks", "Simulate", "Checksum", "Count"}

// loopTimings are what a program has recorded of a function.
type loopTimings struct {
	calls  [][]float64 // by version, ns
	groups [][]laps    // by version and call
	least  float64     // ns
}

// laps are those of one call, ns each.
type laps []float64

// A loopRecording is what a program has recorded, by function.
type loopRecording map[string]*loopTimings

// recordLoopy records the benchmarks of testdata/loopy, for so many seconds each.
func recordLoopy(w *lab.Workshop, seconds float64, auditFlags ...string) (loopRecording, error) {
	dir := filepath.Join(w.Scratch, "loopy")
	if err := lab.WriteGoMod(dir, "example.com/loopy"); err != nil {
		return nil, err
	}
	if err := lab.AddFiles(dir, loopyFiles, "testdata/loopy"); err != nil {
		return nil, err
	}
	return recordLoops(w, dir, exec.Command("go", "test", "-c", "-o", "prog"),
		exec.Command("./prog", "-test.run=^$", "-test.bench=.", "-test.cpu=1",
			fmt.Sprintf("-test.benchtime=%gs", seconds)), auditFlags...)
}

// recordLoops builds a program with dispatchers in a folder, and runs it unwatched.
func recordLoops(w *lab.Workshop, dir string, build, run *exec.Cmd, auditFlags ...string) (loopRecording, error) {
	args := slices.Concat([]string{w.Goprofinstr, "audit", "-copies=1"}, auditFlags, build.Args)
	if err := lab.GoCommand(dir, args...); err != nil {
		return nil, err
	}
	data := filepath.Join(dir, "recorded")
	if err := os.RemoveAll(data); err != nil {
		return nil, err
	}
	run.Dir, run.Env = dir, append(os.Environ(), profiledir.Var+"="+data)
	if out, err := run.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%w: %s", err, out)
	}
	names := profiledir.Glob(data)
	if len(names) != 1 {
		return nil, fmt.Errorf("%d run files of one program", len(names))
	}
	f, err := rundata.Follow(names[0])
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if err := f.Poll(); err != nil {
		return nil, err
	}
	return readLoops(f)
}

// readLoops reads all timings of a run file.
func readLoops(f *rundata.Follower) (loopRecording, error) {
	all := make(loopRecording)
	for _, a := range f.Audits {
		var err error
		if a.Loop {
			err = all[a.Of].readLaps(a)
		} else {
			t := &loopTimings{calls: make([][]float64, len(a.Versions)), least: a.Least}
			all[a.Function] = t
			err = a.Drain(true, func(version int, ticks uint64) {
				t.calls[version] = append(t.calls[version], float64(ticks)/a.Nanosecond)
			})
		}
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

// readLaps reads the laps of one point, of as many passes as the last ones.
func (t *loopTimings) readLaps(a *rundata.Audit) error {
	passes := uint64(0)
	return a.DrainLaps(true, func(version int, l rundata.Lap) {
		if l.Passes > passes {
			passes, t.groups = l.Passes, make([][]laps, len(a.Versions))
		}
		if l.Passes < passes {
			return
		}
		g := &t.groups[version]
		if l.First || len(*g) == 0 {
			*g = append(*g, nil)
		}
		(*g)[len(*g)-1] = append((*g)[len(*g)-1], float64(l.Ticks)/a.Nanosecond)
	})
}
