package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// A mode is a way to wrap go test.
type mode struct {
	name      string
	flags     []string // of wrap
	testFlags []string // of go test, plainly, too
	counts    bool     // whether every execution is counted
}

var allModes = []mode{
	{name: "exact", flags: []string{"-mode=exact"}, counts: true},
	{name: "atomic", flags: []string{"-mode=exact", "-atomic"}, counts: true},
	{name: "sampled", flags: []string{"-mode=sampled"}},
	{name: "stratified", flags: []string{"-mode=stratified"}},
	{name: "portable", flags: []string{"-mode=sampled", "-backend=portable"}},
	{name: "race", flags: []string{"-mode=exact"}, testFlags: []string{"-race"}},
}

// A runner runs tests plainly and wrapped.
type runner struct {
	tool  string // goprofinstr
	dir   string // for modules, rows and output
	times int    // that differing tests are run again
	again bool   // rows that were not the same are run again

	target target
	counts bool // counts there are compared with those here
}

// plain runs the tests of some packages of a subject as a mode does, but without goprofinstr.
func (r *runner) plain(s *subject, m mode, label string, packages []string) (results, error) {
	return r.test(s, label, nil, m.testFlags, packages)
}

// wrapped runs them with goprofinstr. The counts are nil unless there is a target, and the mode counts every execution.
func (r *runner) wrapped(s *subject, m mode, label string, packages []string) (results, counts, error) {
	out := filepath.Join(r.dir, "profile")
	defer os.RemoveAll(out)
	wrap := append([]string{r.tool, "wrap", "-o", out}, m.flags...)
	if s.Module == "" && s.Dir == "" {
		wrap = append(wrap, "-pkg="+strings.Join(s.Patterns, ","))
	}
	results, err := r.test(s, label, wrap, m.testFlags, packages)
	if err != nil || !r.counts || !m.counts {
		return results, nil, err
	}
	counted, err := readCounts(out)
	return results, counted, err
}

// label names the output of a run. The first run, which may be the only one that failed, keeps its output.
func label(m mode, how string, round int) string {
	if round == 0 {
		return m.name + " " + how
	}
	return fmt.Sprintf("%s %s, again %d", m.name, how, round)
}

// test runs the go command's tests, behind a command that wraps it. The output stays in a file that label names.
func (r *runner) test(s *subject, label string, wrap, flags, packages []string) (results, error) {
	dir, err := s.place(r.dir)
	if err != nil {
		return nil, err
	}
	// wrap runs no vet. The time a test may take is for one that runs alone, at its usual speed.
	args := append(wrap, "go", "test", "-json", "-count=1", "-vet=off", "-timeout=30m")
	args = slices.Concat(args, r.target.flags(), flags, s.TestFlags, packages)
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir = dir
	cmd.Env = append(append(os.Environ(), "GOWORK=off"), r.target.env()...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err = cmd.Run()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		return nil, fmt.Errorf("%s: %v", s.name(), err)
	}
	if err := r.keep(s, label, args, stdout.Bytes(), stderr.Bytes()); err != nil {
		return nil, err
	}
	results, err := readResults(&stdout)
	if err != nil {
		return nil, err
	}
	results.exit(cmd.ProcessState.ExitCode())
	return results, nil
}

// keep writes the output of a run to a file, for people who look for the cause of a difference.
func (r *runner) keep(s *subject, label string, args []string, stdout, stderr []byte) error {
	dir := filepath.Join(r.dir, "output")
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	text := strings.Join(args, " ") + "\n" + string(stderr) + string(stdout)
	return os.WriteFile(filepath.Join(dir, s.name()+" "+label+r.target.suffix()), []byte(text), 0o666)
}
