package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/goprofinstr/goprofinstr/integration/eval/publish"
	"github.com/goprofinstr/goprofinstr/integration/eval/result"
)

// runAll makes the experiments that are published, one after the other, and writes docs/results. What fails as a whole keeps its
// old results.
func runAll(args []string, stdout io.Writer) (ok bool, err error) {
	fs := flag.NewFlagSet("eval all", flag.ContinueOnError)
	out := fs.String("o", publish.Folder, "the `FOLDER` of the results")
	only := fs.String("only", "", "a `LIST` of experiments, separated by commas")
	list := fs.Bool("list", false, "measure nothing, and list the experiments with how long they took last time")
	if err := fs.Parse(args); err != nil {
		return false, err
	}
	experiments, err := selected(*only, fs.Args())
	if err != nil {
		return false, err
	}
	if *list {
		return true, listExperiments(stdout, experiments, *out)
	}
	ok = true
	for _, e := range experiments {
		fmt.Fprintf(stdout, "%s  %s\n", time.Now().Format(time.TimeOnly), e.Command())
		good, failed := makeExperiment(e, *out)
		if failed != nil {
			failed = fmt.Errorf("%s: %v", e.Name, failed)
			fmt.Fprintf(stdout, "%v\n", failed)
		}
		ok, err = ok && good, errors.Join(err, failed)
	}
	if filepath.Clean(*out) != filepath.Clean(publish.Folder) {
		return ok, err
	}
	return ok, errors.Join(err, writePages(stdout))
}

// selected returns the experiments of a list; all that can be made if it is empty.
func selected(only string, rest []string) (list []*publish.Experiment, err error) {
	if len(rest) > 0 {
		return nil, fmt.Errorf("unexpected argument %q", rest[0])
	}
	for i := range publish.Experiments {
		if e := &publish.Experiments[i]; only == "" && e.Args != nil {
			list = append(list, e)
		}
	}
	for name := range strings.SplitSeq(only, ",") {
		e := publish.Find(name)
		switch {
		case only == "":
		case e == nil || e.Args == nil:
			return nil, fmt.Errorf("no experiment %q; eval all -list has them", name)
		default:
			list = append(list, e)
		}
	}
	return list, nil
}

// listExperiments writes a line for each experiment.
func listExperiments(w io.Writer, experiments []*publish.Experiment, folder string) error {
	for _, e := range experiments {
		took := "not measured yet"
		if r, err := result.Read(filepath.Join(folder, e.Name+".json")); err == nil {
			took = fmt.Sprintf("%v at load %s", (time.Duration(r.Took) * time.Second), r.Machine.Load)
		}
		idle := ""
		if e.Idle {
			idle = "wants an idle machine"
		}
		if _, err := fmt.Fprintf(w, "%-18s %-22s %s\n", e.Name, idle, took); err != nil {
			return err
		}
	}
	return nil
}

// makeExperiment makes one, and replaces its results when it has ended.
func makeExperiment(e *publish.Experiment, folder string) (ok bool, err error) {
	file := filepath.Join(folder, e.Name+".json")
	part := file + ".part"
	r, _, err := measureAnew(slices.Concat(e.Args[:1], []string{"-json", part}, e.Args[1:]))
	if err != nil {
		os.Remove(part)
		return false, err
	}
	if err := r.Save(); err != nil {
		return false, err
	}
	return !r.Failed(), os.Rename(part, file)
}

// writePages writes what is made of the results, and lists what has changed.
func writePages(stdout io.Writer) error {
	names, err := publish.Write(".")
	for _, n := range names {
		fmt.Fprintf(stdout, "wrote %s\n", n)
	}
	return err
}
