package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"golang.org/x/tools/benchmark/parse"

	"github.com/goprofinstr/goprofinstr/export/profiledir"
	"github.com/goprofinstr/goprofinstr/integration/eval/lab"
)

// benchmarks follows benchmarks of the list that package lab has, and says for each how many of its path ends the map tells.
func (o *options) benchmarks() error {
	match, err := regexp.Compile(o.bench)
	if err != nil {
		return err
	}
	entries, err := lab.ReadList(lab.Benchmarks)
	if err != nil {
		return err
	}
	end, err := o.begin()
	if err != nil {
		return err
	}
	defer end()
	if o.copies {
		fmt.Println("| benchmark | path ends | told | functions that differ | told least of |")
		fmt.Println("|---|---|---|---|---|")
		return o.eachTarget(entries, match)
	}
	fmt.Println("| benchmark | path ends | without doubt | derived | open | doubtful | other " +
		"| in whole functions | and with markers | executions of these | in functions with register " +
		"| the same four, decided without counts |||| functions that differ |")
	fmt.Println("|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|")
	return o.eachTarget(entries, match)
}

// eachTarget follows the benchmarks of each package that match. What fails is said in the table.
func (o *options) eachTarget(entries []lab.Entry, match *regexp.Regexp) error {
	work := o.work
	for _, t := range lab.SelectTargets(entries, match, false) {
		o.work = filepath.Join(work, lab.Flat(t.Pkg))
		if err := o.target(t, work); err != nil {
			fmt.Printf("| %s | %s |\n", t.Pkg, strings.ReplaceAll(err.Error(), "\n", " "))
		}
	}
	return nil
}

// target follows the benchmarks of a package.
func (o *options) target(t *lab.Target, work string) error {
	if err := os.MkdirAll(o.work, 0o777); err != nil {
		return err
	}
	dir, err := t.Prepare(work)
	if err != nil {
		return err
	}
	b, err := o.prepare(&pkg{path: t.Pkg, dir: dir, flags: t.BuildFlags, plans: o.plans, copies: o.copies})
	if err != nil {
		return err
	}
	if o.copies {
		return b.copiedBenchmarks(t)
	}
	for _, j := range t.Jobs {
		name := t.Pkg + "." + j.Bench
		r, err := b.follow(arguments(t, j))
		if err != nil {
			fmt.Printf("| %s | %s |\n", name, strings.ReplaceAll(err.Error(), "\n", " "))
			continue
		}
		fmt.Printf("| %s | %s\n", name, r.row())
	}
	return nil
}

// copiedBenchmarks counts the benchmarks of a package in copies, in a burst that never ends, and says for each how many of its
// path ends copies tell.
func (b *bench) copiedBenchmarks(t *lab.Target) error {
	c, err := copyProgram(b.program, b.pkg)
	if err != nil {
		return err
	}
	for _, j := range t.Jobs {
		name := t.Pkg + "." + j.Bench
		args, err := b.calibrate(t, j)
		var r comparison
		if err == nil {
			r, err = b.always(c, args)
		}
		if err != nil {
			fmt.Printf("| %s | %s |\n", name, strings.ReplaceAll(err.Error(), "\n", " "))
			continue
		}
		fmt.Printf("| %s | %d | %.2f%% | %d %s | %s |\n", name, r.ends, 100*float64(r.in)/float64(max(1, r.ends)), len(r.differ),
			strings.Join(r.differ, "; "), strings.Join(r.most(3), "; "))
	}
	return nil
}

// benchmarkRuntime is how long a benchmark runs in exact mode, or what the test binary does before is most of it.
const benchmarkRuntime = "20ms"

// calibrate returns the arguments of the test binary for a benchmark, with as many iterations as take some time.
func (b *bench) calibrate(t *lab.Target, j lab.Job) ([]string, error) {
	args := arguments(t, j)
	args[benchtime] = "-test.benchtime=" + benchmarkRuntime
	cmd := b.pkg.command(b.exact, args, "GOMAXPROCS=1", "GODEBUG=randautoseed=0", profiledir.Var+"=")
	out, err := cmd.Output()
	if err != nil {
		return nil, err
	}
	set, err := parse.ParseSet(bytes.NewReader(out))
	if err != nil {
		return nil, err
	}
	n := 1
	for _, list := range set {
		n = max(n, list[0].N)
	}
	args[benchtime] = fmt.Sprintf("-test.benchtime=%dx", n)
	return args, nil
}

// benchtime is where arguments has the number of iterations.
const benchtime = 2

// arguments returns those of the test binary for a benchmark.
func arguments(t *lab.Target, j lab.Job) []string {
	return append([]string{"-test.run=^$", "-test.bench=" + lab.Pattern(j.Bench), "-test.benchtime=1x"}, t.RunFlags...)
}
