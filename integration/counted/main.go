//go:build linux

// Counted counts the instructions of benchmarks for arm64, in an emulated machine. Its clock goes on by a nanosecond for each
// instruction, also of its kernel. So what a benchmark takes is how many it executes, and ticks of samplers are as far apart as
// on a processor with one instruction in a nanosecond.
//
//	go run ./integration/counted -goprofinstr FILE -kernel FOLDER -run '^std sort'
//
// It writes a row for each benchmark: instructions of the plain program, and of others relative to it.
package main

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/goprofinstr/goprofinstr/export/profiledir"
	"github.com/goprofinstr/goprofinstr/integration/eval/lab"
	"github.com/goprofinstr/goprofinstr/integration/internal/guest"
)

// A counter builds benchmarks and runs them.
type counter struct {
	goprofinstr, mode, work string
	want                    float64 // instructions of a run
	sampled                 bool
	machine                 *guest.Machine
}

func main() {
	c := new(counter)
	kernel := flag.String("kernel", "", "where Debian's package linux-image-*-cloud-arm64 was unpacked")
	run := flag.String("run", "^std ", "benchmarks, by suite, package and name")
	flag.StringVar(&c.goprofinstr, "goprofinstr", "goprofinstr", "the command that builds programs")
	flag.StringVar(&c.mode, "mode", "copy", "how they are built, by a name of integration/eval's")
	flag.Float64Var(&c.want, "instructions", 1e8, "how many a run executes, about")
	flag.BoolVar(&c.sampled, "sampled", false, "sample, too")
	flag.Parse()
	if err := c.main(*kernel, *run); err != nil {
		fmt.Fprintln(os.Stderr, "counted:", err)
		os.Exit(1)
	}
}

func (c *counter) main(kernel, run string) (err error) {
	match, err := regexp.Compile(run)
	if err != nil {
		return err
	}
	list, err := lab.ReadList(lab.Benchmarks)
	if err != nil {
		return err
	}
	if c.work, err = os.MkdirTemp("", "counted-"); err != nil {
		return err
	}
	defer os.RemoveAll(c.work)
	if c.machine, err = guest.StartCounting(kernel, c.work); err != nil {
		return err
	}
	defer c.machine.Close()
	fmt.Println("| benchmark | plain instructions/op | A/A | nothing sampled | sampled |\n|---|--:|--:|--:|--:|")
	targets := lab.SelectTargets(list, match, false)
	if len(targets) == 0 {
		return fmt.Errorf("no benchmark matches -run %q", run)
	}
	for _, t := range targets {
		if t.Module != "" {
			return fmt.Errorf("%s is no package of the standard library", t.Pkg)
		}
		if err := c.target(t); err != nil {
			return fmt.Errorf("%s: %w", t.Pkg, err)
		}
	}
	return nil
}

// target counts the benchmarks of a package.
func (c *counter) target(t *lab.Target) error {
	out, err := exec.Command("go", "list", "-f", "{{.Dir}}", t.Pkg).Output()
	if err != nil {
		return err
	}
	dir := strings.TrimSpace(string(out))
	for _, name := range []string{dir, filepath.Join(filepath.Dir(dir), "testdata"), filepath.Join(dir, "../../testdata"),
		filepath.Join(dir, "../printer/nodes.go")} {
		if _, err := os.Stat(name); err != nil {
			continue
		}
		if err := c.machine.Put(name); err != nil { // what benchmarks read
			return err
		}
	}
	plain, err := c.build(t, lab.Plain)
	if err != nil {
		return err
	}
	copied, err := c.build(t, c.mode)
	if err != nil {
		return err
	}
	for _, j := range t.Jobs {
		if err := c.job(t, &j, dir, plain, copied); err != nil {
			return fmt.Errorf("%s: %w", j.Bench, err)
		}
	}
	return nil
}

// build builds the test of a package for arm64.
func (c *counter) build(t *lab.Target, mode string) (name string, err error) {
	m := lab.FindMode(mode)
	if m == nil {
		return "", fmt.Errorf("there is no mode %s", mode)
	}
	name = filepath.Join(c.work, lab.Flat(t.Pkg)+"."+mode)
	command := m.BuildCommand(c.goprofinstr, t, name)
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Env = append(os.Environ(), "GOARCH=arm64", "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%s: %w\n%s", strings.Join(command, " "), err, out)
	}
	return name, c.machine.Put(name)
}

// job writes the row of a benchmark.
func (c *counter) job(t *lab.Target, j *lab.Job, dir, plain, copied string) error {
	count := func(binary string, n int, env ...string) (float64, error) {
		return c.count(&guest.Command{Path: binary, Args: append(bench(j.Bench, n), t.RunFlags...), Dir: dir, Env: env})
	}
	once, err := count(plain, 1)
	if err != nil {
		return err
	}
	n := max(int(c.want/once), 1)
	was, err := count(plain, n)
	again, err2 := count(plain, n)
	muted, err3 := count(copied, n)
	if err := cmp.Or(err, err2, err3); err != nil {
		return err
	}
	sampled := "-"
	if c.sampled {
		is, err := count(copied, n, profiledir.Var+"=/data")
		if err != nil {
			return err
		}
		sampled = fmt.Sprintf("%.3f", is/was)
	}
	fmt.Printf("| %s | %.0f | %.3f | %.3f | %s |\n", j.Name(t.Pkg), was, again/was, muted/was, sampled)
	return nil
}

// bench returns the arguments that run a benchmark n times.
func bench(name string, n int) []string {
	parts := strings.Split("Benchmark"+name, "/")
	for k, p := range parts {
		parts[k] = "^" + regexp.QuoteMeta(p) + "$"
	}
	return []string{"-test.run=^$", "-test.bench=" + strings.Join(parts, "/"), fmt.Sprintf("-test.benchtime=%dx", n), "-test.cpu=1"}
}

// count runs a test binary and returns the instructions of an operation.
func (c *counter) count(command *guest.Command) (float64, error) {
	command.Env = append(command.Env, "PATH=/bin", "HOME=/tmp")
	command.Dirs = []string{"/data"}
	out, err := c.machine.Run(command, nil)
	if err != nil {
		return 0, fmt.Errorf("%w\n%s", err, out)
	}
	found := regexp.MustCompile(`\s([0-9.]+) ns/op`).FindSubmatch(out)
	if found == nil {
		return 0, errors.New("it tells no time")
	}
	return strconv.ParseFloat(string(found[1]), 64)
}
