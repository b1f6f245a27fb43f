// Sameresults runs the tests of modules plainly and wrapped in each mode, and compares the result of every test.
//
//	go run ./integration/sameresults [flags] {DIR|MODULE@VERSION|std:PACKAGE}...
//	go run ./integration/sameresults [flags] -list FILE.json[,FILE.json] [-run REGEXP]
//
// The first form takes modules in folders, modules that it downloads, and packages of the standard library. The second
// takes them from lists, with the packages and flags under which their tests pass; modules.json is one. It prints a row for
// each of them and each mode. Whatever differs is run again several times both ways. A test whose results vary without
// goprofinstr is called flaky, one whose results vary only with it unsettled, any other different. Sameresults exits with 1
// if a test is different or unsettled.
//
// A row is kept in -dir as soon as it is known. Rows that are there are not run again, so an interrupted
// comparison goes on where it was. With -again, those rows that were not the same are run anew, for a later goprofinstr.
//
// With -target the tests are built for another system and run by -exec, plainly and wrapped. The counts of exact
// modes are compared with those that the same tests have here, too. A function whose counts vary from run to run is not compared.
//
// Flags:
//
//	-dir DIR           where modules are copied to and rows are kept (default: a temporary folder)
//	-modes LIST        some of exact, atomic, sampled, stratified, portable, race (default: all but race)
//	-run REGEXP        only modules that match
//	-again             run rows again that were not the same
//	-times N           how often what differs is run again (default 3)
//	-goprofinstr FILE  the program to test; default is to build it
//	-target GOOS/ARCH  the system that tests are built for, with -exec
//	-exec PROGRAM      what runs programs of the target, such as qemu-aarch64-static
//	-counts=false      do not compare counts with those here
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/goprofinstr/goprofinstr/integration/internal/tool"
)

func main() {
	same, err := run(os.Args[1:])
	if err != nil {
		fmt.Fprintf(os.Stderr, "sameresults: %v\n", err)
		os.Exit(2)
	}
	if !same {
		os.Exit(1)
	}
}

func run(args []string) (same bool, err error) {
	fs := flag.NewFlagSet("sameresults", flag.ContinueOnError)
	dir := fs.String("dir", "", "copy modules to, and keep rows in, `DIR`")
	names := fs.String("modes", "exact,atomic,sampled,stratified,portable", "compare the modes in `LIST`")
	lists := fs.String("list", "", "take modules from `FILES`, separated by commas")
	filter := fs.String("run", "", "only modules that match `REGEXP`")
	again := fs.Bool("again", false, "run rows again that were not the same")
	times := fs.Int("times", 3, "run what differs `N` times again")
	exe := fs.String("goprofinstr", "", "the `FILE` to test; default is to build it")
	system := fs.String("target", "", "build tests for `GOOS/GOARCH`")
	emulator := fs.String("exec", "", "run tests by `PROGRAM`")
	counted := fs.Bool("counts", true, "compare counts on a target with those here")
	if err := fs.Parse(args); err != nil {
		return false, err
	}
	modes, err := parseModes(*names)
	if err != nil {
		return false, err
	}
	subjects, err := readSubjects(*lists, fs.Args())
	if err != nil {
		return false, err
	}
	match, err := regexp.Compile(*filter)
	if err != nil {
		return false, err
	}
	subjects = slices.DeleteFunc(subjects, func(s *subject) bool { return !match.MatchString(s.name()) })
	if len(subjects) == 0 {
		return false, errors.New("no modules")
	}
	on, err := parseTarget(*system, *emulator)
	if err != nil {
		return false, err
	}
	r := &runner{tool: *exe, dir: *dir, times: *times, again: *again, target: on, counts: *counted && !on.here()}
	if r.dir == "" {
		if r.dir, err = os.MkdirTemp("", "sameresults-"); err != nil {
			return false, err
		}
		defer os.RemoveAll(r.dir)
	}
	if err := r.prepare(); err != nil {
		return false, err
	}
	rows, err := r.compareAll(subjects, modes)
	if err != nil {
		return false, err
	}
	return printRows(os.Stdout, rows)
}

// prepare makes the paths absolute, and builds goprofinstr unless there is one.
func (r *runner) prepare() (err error) {
	if r.dir, err = filepath.Abs(r.dir); err != nil {
		return err
	}
	if err := os.MkdirAll(r.dir, 0o777); err != nil {
		return err
	}
	if r.tool != "" {
		r.tool, err = filepath.Abs(r.tool)
		return err
	}
	r.tool, err = tool.Build(r.dir)
	return err
}

// parseModes returns the modes of a list.
func parseModes(list string) ([]mode, error) {
	var modes []mode
	for name := range strings.SplitSeq(list, ",") {
		i := slices.IndexFunc(allModes, func(m mode) bool { return m.name == name })
		if i < 0 {
			return nil, fmt.Errorf("unknown mode %q", name)
		}
		modes = append(modes, allModes[i])
	}
	return modes, nil
}
