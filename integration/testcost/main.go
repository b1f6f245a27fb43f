// Testcost runs tests and says which of them need most CPU time, in seconds:
//
//	go run ./integration/testcost [-n 30] PACKAGE... [flags of go test]
//
// The time is that of a test and of the processes that it starts and waits for. So it says the same on a busy machine as on
// an idle one. The tests of a package run one after the other: they are told apart by what the test binary prints when
// one begins or ends. What they leave running is counted when somebody waits for it, as that of a later test. It needs Linux.
package main

import (
	"cmp"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"
)

func main() {
	most := flag.Int("n", 30, "how many tests to print")
	results := flag.String("run-binary", "",
		"used by testcost itself: run a test binary, and leave what its tests cost in this folder")
	flag.Parse()
	exit, err := 0, error(nil)
	if *results != "" {
		exit, err = runBinary(*results, flag.Args())
	} else {
		exit, err = runTests(flag.Args(), *most)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "testcost:", err)
		exit = 2
	}
	os.Exit(exit)
}

// A cost is the CPU time of a test without its subtests, or of what a test binary does beside tests.
type cost struct {
	pkg, test string
	seconds   float64
}

// runTests runs go test with this program between the go command and the test binaries. It returns the exit code of go test.
func runTests(args []string, most int) (exit int, err error) {
	self, err := os.Executable()
	if err != nil {
		return 0, err
	}
	results, err := os.MkdirTemp("", "testcost-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(results)
	cmd := exec.Command("go", append([]string{"test", "-exec", self + " -run-binary " + results}, args...)...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	cmd.Run() // what went wrong go test has said
	if cmd.ProcessState == nil {
		return 0, fmt.Errorf("cannot run the go command")
	}
	costs, err := readCosts(results)
	if err != nil {
		return 0, err
	}
	printCosts(os.Stdout, costs, most)
	return cmd.ProcessState.ExitCode(), nil
}

// readCosts reads what all test binaries have left in a folder.
func readCosts(folder string) (costs []cost, err error) {
	names, err := filepath.Glob(filepath.Join(folder, "*.costs"))
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		for line := range strings.Lines(string(text)) {
			fields := strings.SplitN(strings.TrimSuffix(line, "\n"), "\t", 3)
			seconds, err := strconv.ParseFloat(fields[0], 64)
			if err != nil || len(fields) != 3 {
				return nil, fmt.Errorf("%s: %q: want seconds, package and test", name, line)
			}
			costs = append(costs, cost{fields[1], fields[2], seconds})
		}
	}
	return costs, nil
}

// printCosts prints the packages, their sum, and the tests that cost most.
func printCosts(w io.Writer, costs []cost, most int) {
	var packages []cost
	sum := 0.0
	for _, c := range costs {
		i := slices.IndexFunc(packages, func(p cost) bool { return p.pkg == c.pkg })
		if i < 0 {
			i = len(packages)
			packages = append(packages, cost{pkg: c.pkg})
		}
		packages[i].seconds += c.seconds
		sum += c.seconds
	}
	costliest := func(a, b cost) int { return cmp.Compare(b.seconds, a.seconds) }
	slices.SortStableFunc(packages, costliest)
	slices.SortStableFunc(costs, costliest)
	table := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	for _, p := range packages {
		fmt.Fprintf(table, "%.2f\t%s\n", p.seconds, p.pkg)
	}
	fmt.Fprintf(table, "%.2f\tin all\n\n", sum)
	for _, c := range costs[:min(most, len(costs))] {
		fmt.Fprintf(table, "%.2f\t%s\t%s\n", c.seconds, c.pkg, c.test)
	}
	table.Flush()
}

// runBinary runs a test binary, writes what its tests cost into a file of a folder, and returns its exit code.
func runBinary(folder string, args []string) (exit int, err error) {
	cmd := exec.Command(args[0], append(args[1:], "-test.v=test2json", "-test.parallel=1")...)
	cmd.Stdin, cmd.Stderr = os.Stdin, os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return 0, err
	}
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	m := meter{read: func() time.Duration { return usedBy(cmd.Process.Pid) }, used: make(map[string]time.Duration)}
	said, err := m.follow(out)
	if err != nil {
		return 0, err
	}
	cmd.Wait()
	state := cmd.ProcessState
	m.charge(state.UserTime()+state.SystemTime(), "")
	if !state.Success() {
		os.Stdout.Write(said)
	}
	if exit = state.ExitCode(); exit < 0 {
		exit = 1 // a signal has ended it
	}
	return exit, m.write(folder)
}

// clockTick is the unit of /proc/PID/stat on all systems that Go runs on.
const clockTick = 10 * time.Millisecond

// usedBy returns the CPU time of a process and of those that it has waited for; 0 if it has ended.
func usedBy(pid int) time.Duration {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	// The name of the program may have blanks; it ends with the last parenthesis. Behind it is field 3.
	fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
	sum := 0
	for _, f := range fields[14-3 : 18-3] { // utime, stime, cutime, cstime
		n, _ := strconv.Atoi(f)
		sum += n
	}
	return time.Duration(sum) * clockTick
}
