package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// A mode is a way to wrap go test.
type mode struct {
	name      string
	flags     []string // of wrap
	testFlags []string // of go test, plainly, too
}

var allModes = []mode{
	{name: "exact", flags: []string{"-mode=exact"}},
	{name: "atomic", flags: []string{"-mode=exact", "-atomic"}},
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
}

// plain runs the tests of some packages of a subject as a mode does, but without goprofinstr. Of a row's runs, round 0
// is the first.
func (r *runner) plain(s *subject, m mode, round int, packages []string) (results, error) {
	return r.test(s, label(m, "plain", round), nil, m.testFlags, packages)
}

// wrapped runs them with goprofinstr.
func (r *runner) wrapped(s *subject, m mode, round int, packages []string) (results, error) {
	out := filepath.Join(r.dir, "profile")
	defer os.RemoveAll(out)
	wrap := append([]string{r.tool, "wrap", "-o", out}, m.flags...)
	if s.Module == "" && s.Dir == "" {
		wrap = append(wrap, "-pkg="+strings.Join(s.Patterns, ","))
	}
	return r.test(s, label(m, "wrapped", round), wrap, m.testFlags, packages)
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
	args = append(append(append(args, flags...), s.TestFlags...), packages...)
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off")
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
	return os.WriteFile(filepath.Join(dir, s.name()+" "+label), []byte(text), 0o666)
}
