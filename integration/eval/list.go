package main

import (
	"cmp"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/goprofinstr/goprofinstr/integration/internal/fetch"
)

// The lists; the benchmarks that we add to modules which have none of their own, by the module's path with _ for /; and modules of our own.
//
//go:embed benchmarks.json workloads.json contexts.json _added testdata/phases testdata/recursion testdata/loopy
var listFiles embed.FS

// An entry is a module of the list, or packages of the standard library.
type entry struct {
	Suite      string
	Module     string // or "" for the standard library
	Version    string
	Local      string   // the module's folder in listFiles, which has no version and no go.mod: such folders cannot be embedded
	Own        bool     // the packages are goprofinstr's
	BuildFlags []string // for the go command
	RunFlags   []string // for the test binary
	Packages   []listed
	Tests      []string // patterns for go test; what -wrapcost measures on this module
}

// A listed package has its benchmarks by name without "Benchmark".
type listed struct {
	Path       string
	Instrument string // pattern of what is instrumented, if that is not the package alone
	Benchmarks []string
	Parallel   []string // those for -parallel, which use b.RunParallel
}

// The lists: of benchmarks that are timed, of those whose profiles are compared, and of those whose calling contexts are.
const (
	benchmarks = "benchmarks.json"
	workloads  = "workloads.json"
	inContexts = "contexts.json"
)

// readList reads a list.
func readList(name string) ([]entry, error) {
	data, err := listFiles.ReadFile(name)
	if err != nil {
		return nil, err
	}
	var list []entry
	if err := json.Unmarshal(data, &list); err != nil {
		return nil, fmt.Errorf("%s: %v", name, err)
	}
	return list, nil
}

// A job is one benchmark, to be run with a number of Ps.
type job struct {
	suite string
	bench string // without "Benchmark"
	procs int
}

// name is the benchmark's name as it is printed and filtered.
func (j *job) name(pkg string) string {
	name := pkg + "." + j.bench
	if j.procs > 1 {
		name += fmt.Sprintf("-%d", j.procs)
	}
	return name
}

// A target is a package whose benchmarks are run.
type target struct {
	*entry
	pkg        string
	instrument string // pattern
	jobs       []job
}

// selectTargets returns the packages that have benchmarks whose "suite package.benchmark" matches.
func selectTargets(list []entry, match *regexp.Regexp, parallel bool) []*target {
	var targets []*target
	for i := range list {
		e := &list[i]
		for _, p := range e.Packages {
			t := &target{entry: e, pkg: p.Path, instrument: cmp.Or(p.Instrument, p.Path)}
			for _, j := range jobs(e, &p, parallel) {
				if match.MatchString(j.suite + " " + j.name(p.Path)) {
					t.jobs = append(t.jobs, j)
				}
			}
			if len(t.jobs) > 0 {
				targets = append(targets, t)
			}
		}
	}
	return targets
}

func jobs(e *entry, p *listed, parallel bool) []job {
	var jobs []job
	if !parallel {
		for _, b := range p.Benchmarks {
			jobs = append(jobs, job{e.Suite, b, 1})
		}
		return jobs
	}
	for _, b := range p.Parallel {
		// Suites of their own, so that there is a mean for each.
		jobs = append(jobs, job{"GOMAXPROCS=1", b, 1}, job{"GOMAXPROCS=2", b, 2})
	}
	return jobs
}

// few leaves the first benchmark of each package in suite std.
func few(targets []*target) []*target {
	var some []*target
	for _, t := range targets {
		if t.Suite == "std" {
			t.jobs = t.jobs[:1]
			some = append(some, t)
		}
	}
	return some
}

// prepare makes the folder in which the go command is to run, below work, and returns its name.
func (e *entry) prepare(work string) (dir string, err error) {
	if e.Own {
		return os.Getwd() // as tool.Build has it
	}
	if e.Module == "" {
		dir = filepath.Join(work, "std")
		return dir, os.MkdirAll(dir, 0o777)
	}
	flat := strings.ReplaceAll(e.Module, "/", "_")
	dir = filepath.Join(work, "modules", flat+"@"+e.Version)
	if e.Local != "" {
		return dir, e.writeLocal(dir)
	}
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		err = fetch.Module(dir, e.Module, e.Version)
		if err != nil {
			return "", err
		}
	}
	return dir, addFiles(dir, "_added/"+flat)
}

// writeLocal writes a module of our own to dir.
func (e *entry) writeLocal(dir string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module "+e.Module+"\n\ngo 1.26\n"), 0o666); err != nil {
		return err
	}
	return addFiles(dir, e.Local)
}

// addFiles writes the files of a folder of listFiles, if there is one, to dir.
func addFiles(dir, from string) error {
	if _, err := fs.Stat(listFiles, from); err != nil {
		return nil
	}
	return fs.WalkDir(listFiles, from, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := listFiles.ReadFile(name)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(dir, strings.TrimPrefix(name, from+"/")), data, 0o666)
	})
}
