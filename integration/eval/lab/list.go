package lab

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

// listFiles has the lists, and modules of our own. It also has the benchmarks that we add to modules which have none,
// by the module's path with _ for /.
//
//go:embed benchmarks.json workloads.json contexts.json _added testdata/phases testdata/recursion
var listFiles embed.FS

// An Entry is a module of the list, or packages of the standard library.
type Entry struct {
	Suite      string
	Module     string // or "" for the standard library
	Version    string
	Local      string   // the module's folder in listFiles, which has no version and no go.mod: such folders cannot be embedded
	Own        bool     // the packages are goprofinstr's
	BuildFlags []string // for the go command
	RunFlags   []string // for the test binary
	Packages   []listed
	Tests      []string // patterns for go test; what eval wrapcost measures on this module
}

// A listed package has its benchmarks by name without "Benchmark".
type listed struct {
	Path       string
	Instrument string // pattern of what is instrumented, if that is not the package alone
	Benchmarks []string
	Parallel   []string // those for time -parallel, which use b.RunParallel
}

// The lists: of benchmarks that are timed, of those whose profiles are compared, and of those whose calling
// contexts are.
const (
	Benchmarks        = "benchmarks.json"
	Workloads         = "workloads.json"
	ContextBenchmarks = "contexts.json"
)

// ReadList reads a list.
func ReadList(name string) ([]Entry, error) {
	data, err := listFiles.ReadFile(name)
	if err != nil {
		return nil, err
	}
	var list []Entry
	if err := json.Unmarshal(data, &list); err != nil {
		return nil, fmt.Errorf("%s: %v", name, err)
	}
	return list, nil
}

// A Job is one benchmark, to be run with a number of Ps.
type Job struct {
	Suite string
	Bench string // without "Benchmark"
	Procs int
}

// Name is the benchmark's name as it is printed and filtered.
func (j *Job) Name(pkg string) string {
	name := pkg + "." + j.Bench
	if j.Procs > 1 {
		name += fmt.Sprintf("-%d", j.Procs)
	}
	return name
}

// A Target is a package whose benchmarks are run.
type Target struct {
	*Entry
	Pkg        string
	Instrument string // pattern
	Jobs       []Job
}

// SelectTargets returns the packages that have benchmarks whose "suite package.benchmark" matches.
func SelectTargets(list []Entry, match *regexp.Regexp, parallel bool) []*Target {
	var targets []*Target
	for i := range list {
		e := &list[i]
		for _, p := range e.Packages {
			t := &Target{Entry: e, Pkg: p.Path, Instrument: cmp.Or(p.Instrument, p.Path)}
			for _, j := range jobs(e, &p, parallel) {
				if match.MatchString(j.Suite + " " + j.Name(p.Path)) {
					t.Jobs = append(t.Jobs, j)
				}
			}
			if len(t.Jobs) > 0 {
				targets = append(targets, t)
			}
		}
	}
	return targets
}

// ContextTargets returns what is selected: benchmarks with one P, and those that use b.RunParallel or serve
// clients with two.
func ContextTargets(list []Entry, match *regexp.Regexp) []*Target {
	var targets []*Target
	for i := range list {
		e := &list[i]
		for _, p := range e.Packages {
			t := &Target{Entry: e, Pkg: p.Path, Instrument: cmp.Or(p.Instrument, p.Path)}
			all := jobs(e, &p, false)
			for _, b := range p.Parallel {
				all = append(all, Job{e.Suite, b, 2})
			}
			for _, j := range all {
				if match.MatchString(j.Suite + " " + j.Name(p.Path)) {
					t.Jobs = append(t.Jobs, j)
				}
			}
			if len(t.Jobs) > 0 {
				targets = append(targets, t)
			}
		}
	}
	return targets
}

func jobs(e *Entry, p *listed, parallel bool) []Job {
	var jobs []Job
	if !parallel {
		for _, b := range p.Benchmarks {
			jobs = append(jobs, Job{e.Suite, b, 1})
		}
		return jobs
	}
	for _, b := range p.Parallel {
		// Suites of their own, so that there is a mean for each.
		jobs = append(jobs, Job{"GOMAXPROCS=1", b, 1}, Job{"GOMAXPROCS=2", b, 2})
	}
	return jobs
}

// Targets returns the packages of a list whose benchmarks -run selects. It is an error if there is none.
func (f *Flags) Targets(list string) ([]*Target, error) {
	entries, err := ReadList(list)
	if err != nil {
		return nil, err
	}
	targets := SelectTargets(entries, f.Match, false)
	if len(targets) == 0 {
		return nil, f.Nothing()
	}
	return targets, nil
}

// Nothing says that nothing matches -run.
func (f *Flags) Nothing() error { return fmt.Errorf("nothing matches -run %q", f.Match) }

// Few leaves the first benchmark of each package in suite std.
func Few(targets []*Target) []*Target {
	var some []*Target
	for _, t := range targets {
		if t.Suite == "std" {
			t.Jobs = t.Jobs[:1]
			some = append(some, t)
		}
	}
	return some
}

// Prepare makes the folder in which the go command is to run, below work, and returns its name.
func (e *Entry) Prepare(work string) (dir string, err error) {
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
	return dir, AddFiles(dir, listFiles, "_added/"+flat)
}

// writeLocal writes a module of our own to dir.
func (e *Entry) writeLocal(dir string) error {
	if err := WriteGoMod(dir, e.Module); err != nil {
		return err
	}
	return AddFiles(dir, listFiles, e.Local)
}

// WriteGoMod makes the folder of a module without other files.
func WriteGoMod(dir, module string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module "+module+"\n\ngo 1.26\n"), 0o666)
}

// AddFiles writes the files of a folder, if there is one, to dir.
func AddFiles(dir string, files fs.FS, from string) error {
	if _, err := fs.Stat(files, from); err != nil {
		return nil
	}
	return fs.WalkDir(files, from, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(files, name)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(dir, strings.TrimPrefix(name, from+"/")), data, 0o666)
	})
}
