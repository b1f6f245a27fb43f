//go:build unix

package integration

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/goprofinstr/goprofinstr/export/fleet/follow"
	"github.com/goprofinstr/goprofinstr/export/fleet/tally"
	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/rt/rundata"
)

// BenchmarkPoll polls programs of some hundred functions, in several modes, and reads them as a whole as was done before for
// estimates. The programs are stopped meanwhile. The metric is CPU time of this process.
func BenchmarkPoll(b *testing.B) {
	dir := b.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("testdata", "polled"))); err != nil {
		b.Fatal(err)
	}
	for _, mode := range polledModes {
		b.Run(strings.ReplaceAll(mode, " ", ""), func(b *testing.B) {
			data, end := stopProgram(b, buildPolled(b, dir, mode))
			defer end()
			clock := time.Now()
			o := follow.Options{Dirs: []string{data}, Now: func() time.Time {
				clock = clock.Add(10 * time.Second)
				return clock
			}}
			b.Run("track", func(b *testing.B) { benchmarkPoll(b, o, (*follow.Follower).Track) })
			b.Run("poll", func(b *testing.B) { benchmarkPoll(b, o, (*follow.Follower).Poll) })
			b.Run("whole", func(b *testing.B) { benchmarkWhole(b, data) })
		})
	}
}

// polledModes are modes of programs that are polled.
var polledModes = []string{
	"exact", "exact -atomic", "exact -kinds calls", "sampled", "sampled -backend portable",
	"stratified", "stratified -count-up-to 0",
}

// buildPolled builds the program in a mode.
func buildPolled(b *testing.B, dir, mode string) (program string) {
	program = filepath.Join(dir, "polled.exe")
	args := append([]string{"wrap", "-mode"}, strings.Fields(mode)...)
	const packages = "polled,encoding/json,sort,regexp,regexp/syntax,go/parser,go/scanner"
	args = append(args, "-pkg", packages, "go", "build", "-o", program, ".")
	cmd := exec.Command(goprofinstr, args...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	return program
}

// stopProgram runs a program until it has counted for some seconds of CPU time, and stops it.
func stopProgram(b *testing.B, program string) (data string, end func()) {
	data = b.TempDir()
	cmd := exec.Command(program)
	cmd.Env = append(os.Environ(), "GOPROFINSTR_DIR="+data)
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	time.Sleep(8 * time.Second)
	cmd.Process.Signal(syscall.SIGSTOP)
	return data, func() {
		cmd.Process.Kill()
		cmd.Wait()
	}
}

func benchmarkPoll(b *testing.B, o follow.Options, poll func(*follow.Follower) []*follow.Run) {
	f := follow.New(o)
	var delta *tally.Tally
	for _, r := range f.Poll() {
		if r.Err != nil {
			b.Fatal(r.Err)
		}
		var err error
		if delta, err = r.Delta(); err != nil {
			b.Fatal(err)
		}
	}
	paths := 0
	for _, p := range delta.Packages {
		paths += len(p.Counters)
	}
	measure(b, func() { poll(f) })
	b.ReportMetric(float64(paths), "counters")
}

func benchmarkWhole(b *testing.B, data string) {
	names, _ := filepath.Glob(filepath.Join(data, "run.*"))
	tables := new(profile.Tables)
	measure(b, func() {
		run, err := rundata.ReadFile(names[0])
		if err == nil {
			_, _, err = tally.OfLive(run, tables)
		}
		if err != nil {
			b.Fatal(err)
		}
	})
}

func measure(b *testing.B, do func()) {
	var before, after syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &before)
	for b.Loop() {
		do()
	}
	syscall.Getrusage(syscall.RUSAGE_SELF, &after)
	cpu := time.Duration(after.Utime.Nano() + after.Stime.Nano() - before.Utime.Nano() - before.Stime.Nano())
	b.ReportMetric(float64(cpu.Microseconds())/float64(b.N), "cpu-µs/op")
}
