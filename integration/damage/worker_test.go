//go:build linux

package damage

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// workerVar tells a test binary that it is one of the processes that try inputs.
const workerVar = "GOPROFINSTR_DAMAGE_WORKER"

// Bounds of an input.
const (
	mostTime   = 2 * time.Second // CPU time
	mostHang   = time.Minute     // on a machine that does other things, too
	mostMemory = 1 << 30         // address space beyond what the process had before
)

// batch is how many inputs a process tries.
const batch = 1000

// startWorkers has processes try inputs -damage.from to -damage.from + -damage.n. One that ends early is started
// again behind the input.
func startWorkers(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	next := make(chan int)
	var wg sync.WaitGroup
	var mu sync.Mutex
	var total totals
	for range *workers {
		wg.Go(func() {
			for first := range next {
				for end := min(first+batch, *from+*count); first < end; {
					last, text, failed := work(self, first, end-first, &total)
					if !failed {
						break
					}
					mu.Lock()
					t.Errorf("%s", text)
					mu.Unlock()
					if last < 0 {
						break
					}
					first = last + 1
				}
			}
		})
	}
	for first := *from; first < *from+*count; first += batch {
		next <- first
		if first%10_000 == 0 {
			t.Logf("%s: input %d", time.Now().Format(time.TimeOnly), first)
		}
	}
	close(next)
	wg.Wait()
	worst := total.Slowest
	t.Logf("slowest: %s of input %d, %v of CPU time; largest process: %d MB", worst.What, worst.Input, worst.Time, total.Peak>>10)
}

// work has a process try some inputs. If one fails it is returned, -1 if it is not known, with what the process says.
func work(self string, first, n int, total *totals) (last int, text string, failed bool) {
	cmd := exec.Command(self, "-test.run=^TestDamage$", "-test.timeout=0",
		fmt.Sprintf("-damage.from=%d", first), fmt.Sprintf("-damage.n=%d", n))
	cmd.Env = append(os.Environ(), workerVar+"=1")
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	total.add(out.String())
	if err == nil {
		return 0, "", false
	}
	last = -1
	var said []string
	for line := range strings.Lines(out.String()) {
		if number, ok := strings.CutPrefix(line, mark); ok {
			fmt.Sscan(number, &last)
			said = nil
			continue
		}
		said = append(said, line)
	}
	const most = 60
	return last, fmt.Sprintf("input %d: %s", last, strings.Join(said[:min(len(said), most)], "")), true
}

// totals are the worst of all processes.
type totals struct {
	mu sync.Mutex
	summary
}

// add adds what a process has printed.
func (t *totals) add(out string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for line := range strings.Lines(out) {
		var s summary
		if text, ok := strings.CutPrefix(line, sum); ok && json.Unmarshal([]byte(text), &s) == nil {
			t.Peak = max(t.Peak, s.Peak)
			if s.Slowest.Time > t.Slowest.Time {
				t.Slowest = s.Slowest
			}
		}
	}
}

// mark is what a process says before each input.
const mark = "at input "

// limit bounds the memory of the process.
func limit(t *testing.T) {
	var pages uint64
	data, err := os.ReadFile("/proc/self/statm")
	if err == nil {
		_, err = fmt.Sscan(string(data), &pages)
	}
	most := pages*uint64(os.Getpagesize()) + mostMemory
	if err = cmp.Or(err, syscall.Setrlimit(syscall.RLIMIT_AS, &syscall.Rlimit{Cur: most, Max: most})); err != nil {
		t.Fatal(err)
	}
}

// A clock takes the time of each thing that is done with an input, if the process is one of those with bounds.
type clock struct {
	at      int // the input
	hang    *time.Timer
	slowest slowest
}

// slowest is what has taken longest.
type slowest struct {
	Time  time.Duration
	Input int
	What  string
}

// input says which input comes next.
func (c *clock) input(i int) {
	if *count == 0 {
		return
	}
	fmt.Printf("%s%d\n", mark, i)
	c.at = i
	if c.hang != nil {
		c.hang.Stop()
	}
	c.hang = time.AfterFunc(mostHang, func() { panic(fmt.Sprintf("input %d hangs", i)) })
}

// time does something, and fails if it takes too long.
func (c *clock) time(t testing.TB, what string, do func()) {
	if *count == 0 {
		do()
		return
	}
	before := cpuTime(t)
	do()
	used := cpuTime(t) - before
	if used > c.slowest.Time {
		c.slowest = slowest{used, c.at, what}
	}
	if used > mostTime {
		t.Errorf("%s took %v", what, used)
	}
}

// print prints what the parent wants to know in the end.
func (c *clock) print() {
	if *count == 0 {
		return
	}
	c.hang.Stop()
	var used syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &used)
	out, _ := json.Marshal(summary{c.slowest, used.Maxrss})
	fmt.Printf("%s%s\n", sum, out)
}

// sum is what a process says before its summary.
const sum = "summary "

// A summary is what a process has seen.
type summary struct {
	Slowest slowest
	Peak    int64 // of the resident memory, kB
}

// cpuTime returns the CPU time that the process has used.
func cpuTime(t testing.TB) time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		t.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
