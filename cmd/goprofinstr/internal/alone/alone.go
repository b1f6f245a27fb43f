// Package alone runs each test of a test binary in a process of its own, and notes what it learns of the test. The go
// command calls it in place of the binary (-exec), so that it tests packages in its own order and in their folders:
//
//	flag, err := alone.Flag()       // for go test
//	exit, err := alone.Run(args)    // what the go command calls: the binary and its flags
//	packages, err := alone.Read(dir)
//
// What a program does only once, such as sync.Once, caches and lazy tables, is counted for each test then. The
// names of files that a test opens are those of Go's own test log, which the go command keeps test results by.
package alone

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/child"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/gocmd"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/toolchain"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/usage"
	"github.com/goprofinstr/goprofinstr/export/profiledir"
)

// Name is the name of the command that the go command runs test binaries with. It is for nobody else, and not in the help.
const Name = "alone"

// Flag returns the flag of go test that has Run run its test binaries.
func Flag() (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	if strings.Contains(self, "'") {
		return "", fmt.Errorf("-alone needs a go command that can be told to run %s, which no quotation marks allow", self)
	}
	return fmt.Sprintf("-exec='%s' %s", self, Name), nil
}

// refused are flags of go test that mean nothing for one test at a time, or name a file that each process would write anew.
var refused = []string{"bench", "fuzz", "exec", "blockprofile", "cpuprofile", "memprofile", "mutexprofile", "trace"}

// Refuse refuses flags of go test that cannot be honoured, and what it would run test binaries with by itself.
func Refuse(c *gocmd.Command, tc *toolchain.Toolchain) error {
	for _, name := range refused {
		if _, ok := tc.Lookup(c, name); !ok {
			continue
		}
		where := "of go test"
		if _, ok := c.Lookup(name); !ok {
			where = "in GOFLAGS"
		}
		return usage.Errorf("-alone does not go with -%s %s: each test is a process of its own", name, where)
	}
	if !tc.Runs(c) {
		return usage.Errorf("go test -c runs nothing, and what it builds runs all tests in one process; leave out -alone")
	}
	if run, _ := tc.Lookup(c, "run"); strings.Contains(run, "/") {
		return usage.Errorf("-alone takes whole tests: leave the subtests out of -run %s", run)
	}
	if tc.GOOS == runtime.GOOS && tc.GOARCH == runtime.GOARCH {
		return nil
	}
	wrapper := fmt.Sprintf("go_%s_%s_exec", tc.GOOS, tc.GOARCH)
	if path, err := exec.LookPath(wrapper); err == nil {
		return usage.Errorf("-alone does not go with %s, which go test runs programs for %s/%s with; run without -alone",
			path, tc.GOOS, tc.GOARCH)
	}
	return nil
}

// Run runs the tests of a test binary, the first of the arguments, one after the other. The rest are flags of the binary. The
// exit code is what the go command expects of a test binary.
func Run(args []string) (exit int, err error) {
	if len(args) == 0 {
		return 0, usage.Errorf("%s is for the go command", Name)
	}
	b := newBinary(args)
	names, err := b.list()
	if err != nil || len(names) == 0 {
		return b.whole() // the binary says what is wrong with it
	}
	record, err := newRecord()
	if err != nil {
		return 0, err
	}
	for _, name := range names {
		t, ending, err := b.test(name, record)
		if err != nil {
			return 0, err
		}
		if t != nil {
			record.Tests = append(record.Tests, t)
		}
		if ending.Exit != 0 {
			exit = 1
		}
		if ending.Interrupted || exit != 0 && (b.failFast || b.isLate()) {
			break
		}
	}
	if err := record.write(); err != nil {
		return 0, err
	}
	b.sayResult(exit)
	return exit, nil
}

// A binary is a test binary.
type binary struct {
	name     string
	flags    []string // without those that say which tests to run
	run      string   // regular expression of the tests
	failFast bool
	until    time.Time // all tests have to have ended then; the zero time if they have no limit
	as       bool      // it is not for one test at a time, but run as it is
	prefix   string    // of what it says of itself, for programs that read it
	args     []string
}

func newBinary(args []string) *binary {
	b := &binary{name: args[0], args: args[1:], run: "."}
	for _, arg := range b.args {
		name, value, _ := strings.Cut(strings.TrimLeft(arg, "-"), "=")
		switch {
		case !strings.HasPrefix(arg, "-"):
		case name == "test.run":
			if b.run = value; value == "" {
				b.run = "."
			}
			continue
		case name == "test.testlogfile":
			continue
		case name == "test.list":
			b.as = true
		case name == "test.failfast":
			b.failFast = gocmd.IsTrue(value)
		case name == "test.timeout":
			if d, err := time.ParseDuration(value); err == nil && d > 0 {
				b.until = time.Now().Add(d)
			}
			continue
		}
		b.flags = append(b.flags, arg)
	}
	return b
}

// whole runs all tests in one process, as the go command does.
func (b *binary) whole() (exit int, err error) {
	cmd := exec.Command(b.name, b.args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	e, err := child.Run(cmd)
	if isTrouble(err) {
		return 0, err
	}
	return ended(e, err).Exit, nil
}

// list returns the names of the tests in the order in which they run; none if the binary runs as it is.
func (b *binary) list() (names []string, err error) {
	if b.as {
		return nil, nil
	}
	cmd := exec.Command(b.name, append([]string{"-test.list=" + b.run}, b.flags...)...)
	cmd.Env = append(os.Environ(), profiledir.Var+"=off") // it runs no test
	out, err := cmd.Output()
	for line := range strings.Lines(string(out)) {
		if line = strings.TrimSpace(line); IsTest(line) {
			names = append(names, line)
		}
	}
	return names, err
}

// test runs a test. It returns nil if the binary had no such test to run.
func (b *binary) test(name string, record *record) (*Test, child.Ending, error) {
	dir, err := os.MkdirTemp(record.to, "alone-*")
	if err != nil {
		return nil, child.Ending{}, err
	}
	defer os.RemoveAll(dir)
	log := filepath.Join(dir, "log")
	flags := []string{"-test.run=^" + name + "$", "-test.testlogfile=" + log}
	if !b.until.IsZero() { // the go command kills whatever has not ended by itself soon after
		left := max(time.Until(b.until).Round(time.Millisecond), time.Millisecond)
		flags = append(flags, "-test.timeout="+left.String())
	}
	cmd := exec.Command(b.name, append(flags, b.flags...)...)
	if record.to != "" {
		cmd.Env = append(os.Environ(), profiledir.Var+"="+dir)
	}
	out := &output{to: os.Stdout}
	// As the go command has it: one file for both, and a minute for processes that the test has left and that keep it open.
	cmd.Stdin, cmd.Stdout, cmd.Stderr, cmd.WaitDelay = os.Stdin, out, out, time.Minute
	started := time.Now()
	e, err := child.Run(cmd)
	took := time.Since(started)
	if isTrouble(err) {
		return nil, e, err
	}
	said, prefix := out.end()
	e = ended(e, err)
	t := &Test{Name: name, Seconds: took.Seconds(), Failed: e.Exit != 0}
	if t.Runs, err = record.take(dir); err != nil {
		return nil, e, err
	}
	b.prefix = cmp.Or(prefix, b.prefix) // one that panics says nothing of itself
	if said == noTests {
		return nil, e, nil
	}
	return t, e, t.readLog(log, record)
}

// isLate reports whether the time of all tests is over.
func (b *binary) isLate() bool { return !b.until.IsZero() && time.Now().After(b.until) }

// isTrouble reports whether child.Run has failed otherwise than by a signal that has ended the process.
func isTrouble(err error) bool {
	var failed *exec.ExitError
	return err != nil && !errors.As(err, &failed)
}

// ended takes the end of a process by a signal for a failure, and says so as the go command does.
func ended(e child.Ending, err error) child.Ending {
	if err != nil {
		fmt.Println(err) // such as "signal: killed"
		e.Exit = 1
	}
	return e
}

// sayResult says what a test binary says at its end.
func (b *binary) sayResult(exit int) {
	result := pass
	if exit != 0 {
		result = fail
	}
	fmt.Print(b.prefix + result)
}
