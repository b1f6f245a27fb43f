//go:build unix

package integration

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// BenchmarkAgent measures the CPU time of an agent's process. The agent polls ten programs at an interval of ten seconds.
// These are at work now and then, as services are. An agent without programs is measured besides, for what is not of polls.
// Another one is measured at the same time, for how far off a figure is. The benchmark takes two minutes for each mode.
//
//	go test ./integration -run '^$' -bench Agent -benchtime 1x -timeout 30m
//
// The metrics are CPU time for each process and poll, and how much of a core the agent takes.
func BenchmarkAgent(b *testing.B) {
	dir := b.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("testdata", "polled"))); err != nil {
		b.Fatal(err)
	}
	for _, mode := range polledModes {
		b.Run(strings.ReplaceAll(mode, " ", ""), func(b *testing.B) {
			program := buildPolled(b, dir, mode)
			data := b.TempDir()
			const programs = 10
			for range programs {
				cmd := exec.Command(program, "-busy", "2s")
				cmd.Env = append(os.Environ(), "GOPROFINSTR_DIR="+data)
				startFor(b, cmd)
			}
			waitForRest(b, data, programs)
			for b.Loop() {
				agents := []string{data, data, b.TempDir()}
				var cmds []*exec.Cmd
				for _, of := range agents {
					cmd := exec.Command(goprofinstr, "agent", "-http", "localhost:0", "-interval", "10s", "-dir", of)
					startFor(b, cmd)
					cmds = append(cmds, cmd)
				}
				time.Sleep(15 * time.Second) // until all has been read once, and a poll more
				before := cpuTimes(b, cmds)
				const polls = 12
				time.Sleep(polls * 10 * time.Second)
				after := cpuTimes(b, cmds)
				own := func(i int) float64 { return float64(after[i] - before[i] - (after[2] - before[2])) }
				for i, name := range []string{"", "again-"} {
					b.ReportMetric(own(i)/float64(time.Microsecond)/polls/programs, name+"µs/poll")
					b.ReportMetric(100*own(i)/float64(polls*10*time.Second), name+"%core")
				}
				for _, cmd := range cmds {
					cmd.Process.Kill()
				}
			}
			load, _ := os.ReadFile("/proc/loadavg")
			b.Logf("load %s", load)
		})
	}
}

// startFor starts a command that ends with the benchmark.
func startFor(b *testing.B, cmd *exec.Cmd) {
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
}

// waitForRest waits until programs have written what they call when they have been busy.
func waitForRest(b *testing.B, data string, programs int) {
	for {
		names, _ := filepath.Glob(filepath.Join(data, "run.*"))
		if len(names) == programs {
			break
		}
		time.Sleep(time.Second)
	}
	time.Sleep(time.Duration(programs) * 2 * time.Second) // they share the machine
}

// cpuTimes returns the CPU time of processes, of all their threads.
func cpuTimes(b *testing.B, cmds []*exec.Cmd) (times []time.Duration) {
	for _, cmd := range cmds {
		sum := time.Duration(0)
		threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", cmd.Process.Pid))
		if err != nil || len(threads) == 0 {
			b.Skip("CPU time of processes is known on Linux only")
		}
		for _, name := range threads {
			text, err := os.ReadFile(name)
			if err != nil {
				b.Fatal(err)
			}
			ns, err := strconv.ParseInt(strings.Fields(string(text))[0], 10, 64)
			if err != nil {
				b.Fatal(err)
			}
			sum += time.Duration(ns)
		}
		times = append(times, sum)
	}
	return times
}
