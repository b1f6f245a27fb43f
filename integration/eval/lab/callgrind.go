package lab

import (
	"fmt"
	"os/exec"
	"regexp"
	"slices"
	"strconv"

	"github.com/goprofinstr/goprofinstr/integration/eval/result"
)

// underValgrind is for the environment of Go programs that run in valgrind. Valgrind cannot do with signals that a
// thread sends to another of its process, as the scheduler does to preempt goroutines.
const underValgrind = "GODEBUG=asyncpreemptoff=1"

var callgrind = []string{"valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"}

// HaveCallgrind tells why there are no instruction counts on this machine; nil if there can be.
func HaveCallgrind() error {
	if _, err := exec.LookPath(callgrind[0]); err != nil {
		return fmt.Errorf("no instruction counts: %v", err)
	}
	return nil
}

// Instructions counts the instructions of one iteration, in every mode, and adds them to r.
func (b *Bench) Instructions(r *result.Row, modes []string) {
	iterations, err := b.calibrate(callgrindRuntime)
	if err != nil {
		r.Add(modes[0], 0, err)
		return
	}
	// Not 1, which the testing package does not run again after the iteration that it begins with.
	r.Iterations = max(2, iterations)
	for _, m := range modes {
		n, err := b.instructionsPerOp(m, r.Iterations)
		r.Add(m, n, err)
	}
}

// instructionsPerOp runs a benchmark twice under callgrind, with some iterations and with three times as many. So
// what happens before and after is not in the difference.
func (b *Bench) instructionsPerOp(mode string, iterations int) (float64, error) {
	few, err := b.count(mode, iterations)
	if err != nil {
		return 0, err
	}
	many, err := b.count(mode, 3*iterations)
	if err != nil {
		return 0, err
	}
	if many <= few {
		return 0, fmt.Errorf("%.0f instructions for %d iterations, and %.0f for three times as many", few,
			iterations, many)
	}
	return (many - few) / float64(2*iterations), nil
}

// count returns the instructions of a run.
func (b *Bench) count(mode string, iterations int) (float64, error) {
	if err := b.Failed[mode]; err != nil {
		return 0, err
	}
	// Go programs do not survive signals in valgrind.
	m, dir := b.Mode(mode), b.RunDir
	if m.mute || m.samples() {
		dir = ""
	}
	if len(m.run) > 0 {
		return 0, fmt.Errorf("%s is not counted: its signals end Go programs in valgrind", mode)
	}
	ran, err := b.start(callgrind, b.Binaries[mode], strconv.Itoa(iterations)+"x", dir)
	if err != nil {
		return 0, err
	}
	return ParseInstructions(ran.stderr)
}

// UnderCallgrind has a command that has not been started run in callgrind, which prints to its standard error.
func UnderCallgrind(cmd *exec.Cmd) (err error) {
	cmd.Args = append(slices.Clip(callgrind), cmd.Args...)
	cmd.Env = append(cmd.Env, underValgrind)
	cmd.Path, err = exec.LookPath(callgrind[0])
	return err
}

var collected = regexp.MustCompile(`(?m)^==\d+== Collected : (\d+)$`)

// ParseInstructions returns the number that callgrind prints at the end.
func ParseInstructions(stderr []byte) (float64, error) {
	m := collected.FindSubmatch(stderr)
	if m == nil {
		return 0, fmt.Errorf("callgrind printed no count\n%s", LastLines(stderr))
	}
	return strconv.ParseFloat(string(m[1]), 64)
}
