//go:build !goprofinstr_std && linux && (amd64 || arm64 || riscv64)

package sampled

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"weak"

	"github.com/goprofinstr/goprofinstr/rt"
	"github.com/goprofinstr/goprofinstr/rt/runfile"
	"github.com/goprofinstr/goprofinstr/rt/sys"
	"github.com/goprofinstr/goprofinstr/rt/tick"
)

// sampledPackage is a package with two functions: rare has one path, hot has two.
type sampledPackage struct {
	switches [2]Switch
	counters [6]U
	hashes   [1]rt.Hash
	list     [2]Function
	of       Functions
}

const rare, hot = 0, 1

// start starts sampling, with the functions of p. The run file is in the directory.
func (p *sampledPackage) start(t *testing.T, dir string) {
	t.Helper()
	t.Cleanup(runfile.StartIn(dir))
	t.Cleanup(func() {
		tick.Sampling = tick.State{}
		sampling = state{}
		program.n, program.first, program.functions, program.recent.to = 0, nil, 0, 0
		counting.nTouch, counting.nHot, counting.ends = 0, 0, 0
		clear(counting.states[:len(p.list)])
	})
	StartSampling(&Sampling{Samples: 64, Stride: 17, Budget: 10_000, Period: 10_000_000})
	p.list = [2]Function{{First: 0, Paths: 1}, {First: 1, Paths: 2}}
	p.of = Functions{Switches: &p.switches[0], List: &p.list[0], N: len(p.list), Counters: &p.counters[0], Hashes: &p.hashes[0]}
}

// end has path ends of a function.
func (p *sampledPackage) end(function, path, times int) {
	for range times {
		if p.switches[function].On {
			Sample(&p.switches[function], Pair(&p.counters[0], p.list[function].First+U(path)))
		}
	}
}

// sampled reports whether the run file says that a function was sampled some time.
func (p *sampledPackage) sampled(function int) bool {
	return *sys.Word(p.of.words, U(function))&runfile.SiteSampled != 0
}

// TestCounting has a function sampled that has too many path ends, and another counted beside it, which loses none. The
// one that is sampled is counted again when windows have seen none for long, and has to be rarer each time.
func TestCounting(t *testing.T) {
	p, now := new(sampledPackage), U(0)
	p.start(t, t.TempDir())
	UseFunctions(&p.of)
	waits := [2]int{}
	for round := range waits {
		before := p.counters
		p.end(rare, 0, 3)
		p.end(hot, 1, 5_000)
		p.end(rare, 0, 4)
		p.end(hot, 0, 5_000)
		now += 10_000_000
		endBurst(now)
		if rares, ones := p.counters[0]-before[0], p.counters[4]-before[4]; rares != 7 || ones != 5_000 {
			t.Fatalf("counted %d and %d times, want 7 and 5000", rares, ones)
		}
		if p.switches[rare] != (Switch{On: true, counted: true}) || p.sampled(rare) {
			t.Fatalf("the rare function is not counted: %v", p.switches[rare])
		}
		if p.switches[hot] != (Switch{}) || !p.sampled(hot) {
			t.Fatalf("the hot function is not sampled: %v", p.switches[hot])
		}
		for ; !p.switches[hot].counted && waits[round] < 10_000; waits[round]++ {
			now += 10_000_000
			learn(now, 100_000) // after a window without path ends
		}
		if !p.switches[hot].On || !p.sampled(hot) {
			t.Errorf("after %d ticks: %v", waits[round], p.switches[hot])
		}
	}
	if waits[0] < 2 || waits[1] <= waits[0] {
		t.Errorf("counted again after %d ticks, and then %d", waits[0], waits[1])
	}
}

// TestFinishCounting has path ends of a function with counters and of one with a Hash: both are told.
func TestFinishCounting(t *testing.T) {
	p := new(sampledPackage)
	p.start(t, t.TempDir())
	p.list[hot] = Function{First: 1}
	UseFunctions(&p.of)
	p.end(rare, 0, 3)
	for path := range U(5) {
		CountHash(&p.switches[hot], &p.hashes[0], path/2)
	}
	finishCounting()
	if n := tick.Sampling.Record.CountedEnds; n != 3+5 {
		t.Errorf("%d path ends counted, want 3 and 5", n)
	}
}

// TestKept has a package's functions survive a collection. Nothing else refers to them, as in packages that are rewritten.
func TestKept(t *testing.T) {
	p := new(sampledPackage)
	p.start(t, t.TempDir())
	f := new(Functions)
	*f = p.of
	UseFunctions(f)
	kept := weak.Make(f)
	f = nil
	runtime.GC()
	if kept.Value() == nil {
		t.Error("the functions are no more")
	}
}

// TestWindow has a window arm the functions that are sampled, and nothing else turn them on.
func TestWindow(t *testing.T) {
	p := new(sampledPackage)
	p.start(t, t.TempDir())
	UseFunctions(&p.of)
	if beginBurst(true); sampling.open {
		t.Error("a window that nothing needs")
	}
	p.end(hot, 0, 10_000)
	endBurst(10_000_000)
	beginBurst(true)
	if !sampling.open || p.switches[hot] != (Switch{On: true}) {
		t.Errorf("in a window: %v", p.switches[hot])
	}
	counted := p.counters
	p.end(hot, 0, 10)
	p.end(rare, 0, 10)
	if p.counters[2] != counted[2] || p.counters[0] != counted[0]+10 {
		t.Errorf("%d, and before the window %d", p.counters, counted)
	}
	if n := seen(0); n != sampling.first+20 {
		t.Errorf("the log has %d path ends, want 20 more than %d", n, sampling.first)
	}
	sampling.close()
	if p.switches[hot] != (Switch{}) || sampling.n == 0 {
		t.Errorf("after the window: %v, %d samples", p.switches[hot], sampling.n)
	}
}

// TestFull has more path ends in a log than it has room for. The others are counted, too, and what is in the log is of the first.
func TestFull(t *testing.T) {
	p := new(sampledPackage)
	p.start(t, t.TempDir())
	UseFunctions(&p.of)
	p.end(rare, 0, len(logs[0].path)-1)
	p.end(hot, 0, 100)
	if p.counters[2] != 100 || seen(0) != U(len(logs[0].path))-1+100 {
		t.Errorf("counted %d of 100, and the log %d", p.counters[2], seen(0))
	}
	last := U(len(logs[0].path)) - 2
	if from, _ := p.of.place(rare); entry(0, 0).at != from || entry(0, last).at != from {
		t.Error("the log has lost what was in it")
	}
}

// TestUndescribed has no room for the list of functions in the run file: that is said, or all would seem to have no path ends.
func TestUndescribed(t *testing.T) {
	p, dir := new(sampledPackage), t.TempDir()
	p.start(t, dir)
	p.of.N = 1 << 55
	UseFunctions(&p.of)
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(files) != 1 {
		t.Fatalf("run files: %v, %v", files, err)
	}
	data, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	const lost = 5 // word of the header
	if n := binary.LittleEndian.Uint64(data[lost*8:]); n != 1 {
		t.Errorf("%d lost, want 1", n)
	}
}
