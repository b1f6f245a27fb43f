package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

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
	fmt.Println("| benchmark | path ends | without doubt | derived | open | doubtful | other " +
		"| in whole functions | and with markers | executions of these | in functions with register " +
		"| the same four, decided without counts |||| functions that differ |")
	fmt.Println("|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|")
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
	b, err := o.prepare(&pkg{path: t.Pkg, dir: dir, flags: t.BuildFlags, plans: o.plans})
	if err != nil {
		return err
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

// arguments returns those of the test binary for a benchmark.
func arguments(t *lab.Target, j lab.Job) []string {
	return append([]string{"-test.run=^$", "-test.bench=" + lab.Pattern(j.Bench), "-test.benchtime=1x"}, t.RunFlags...)
}
