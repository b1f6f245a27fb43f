package coverprofile

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/rt/rundata"
	"github.com/goprofinstr/goprofinstr/rt/runfile"
)

// readRuns reads the run data in a profile directory, by start time. Runs without a command line are left out,
// unless all are without one.
func readRuns(dir string) ([]*rundata.Run, error) {
	runs, err := profile.ReadRuns(dir)
	if err != nil {
		return nil, err
	}
	hasNone := func(r *rundata.Run) bool { return len(r.Args) == 0 }
	all := len(runs)
	runs = slices.DeleteFunc(runs, hasNone)
	if all > 0 && len(runs) == 0 {
		return nil, fmt.Errorf("%s: no run file has the command line, which tells tests from the processes that they start: "+
			"wrap the tests without %s=0, on a system whose run files have it", dir, runfile.ArgsVar)
	}
	slices.SortStableFunc(runs, func(a, b *rundata.Run) int {
		return cmp.Or(a.Start.Compare(b.Start), cmp.Compare(a.Pid, b.Pid))
	})
	return runs, nil
}

// assign returns the runs that count for each test of the plan, by index. Runs are sorted by start time.
func (p *Plan) assign(runs []*rundata.Run) map[int][]*rundata.Run {
	own, others := startedByGo(runs)
	again := slices.DeleteFunc(others, func(r *rundata.Run) bool { return !leftEarly(r) })
	tests := make(map[int][]*rundata.Run)
	for r, test := range p.assignOwn(own) {
		tests[test] = []*rundata.Run{r}
	}
	for _, r := range again {
		if test, ok := parent(tests, r); ok {
			tests[test] = append(tests[test], r)
		}
	}
	return tests
}

// startedByGo returns the runs that the go command has started, and the others.
func startedByGo(runs []*rundata.Run) (own, others []*rundata.Run) {
	started := make(map[string]bool) // test binaries, each of which the go command starts once
	for _, r := range runs {
		if byGoCommand(r) && !started[r.Args[0]] {
			started[r.Args[0]] = true
			own = append(own, r)
		} else {
			others = append(others, r)
		}
	}
	return own, others
}

// Missing returns the packages whose tests did not run, for a go test command that has failed. It also returns
// whether any of the others came to its tests. of is the profile of directory dir. Of test binaries that are not
// linked with instrumented code nothing is known: only packages that were instrumented can be missing. If all
// packages of the main module were to be instrumented, those that could not be listed can be missing, too.
func (p *Plan) Missing(dir string, of *profile.Profile, mainModule bool) (began bool, missing []string, err error) {
	runs, err := readRuns(dir)
	if err != nil {
		return false, nil, err
	}
	own, _ := startedByGo(runs)
	ran := make(map[int]bool)
	for r, test := range p.assignOwn(own) {
		ran[test] = true
		// A test binary that does not take its flags exits in package testing. So do those whose tests exit, which
		// are few; and with a TestMain all do.
		began = began || r.Exit != rundata.ExitOther || p.Tests[test].Main
	}
	expected := make(map[string]bool)
	for _, pkg := range of.Packages {
		expected[pkg.Path] = true
	}
	for _, pkg := range p.Packages {
		if len(pkg.Files) > 0 && mainModule && of.Root != "" {
			name, err := filepath.Rel(of.Root, pkg.Files[0].Name)
			expected[pkg.Path] = expected[pkg.Path] || err == nil && filepath.IsLocal(name)
		}
	}
	for i, t := range p.Tests {
		if t.Binary != "" && !ran[i] && expected[t.Package] {
			missing = append(missing, t.Package)
		}
	}
	return began || len(own) == 0, missing, nil
}

// byGoCommand reports whether the go command has started a run: it gives every test binary this flag. Those
// that a test starts can have it only if it passes on its own arguments.
func byGoCommand(r *rundata.Run) bool { return slices.Contains(r.Args[1:], "-test.paniconexit0") }

// leftEarly reports whether a run of a test binary that is not the go command's ended so that Go adds what it has counted. It
// must have ended by exiting, and if it runs tests, in a test. After the tests it has made a profile of its own, which nobody
// sees.
func leftEarly(r *rundata.Run) bool {
	return r.Exit == rundata.ExitOther || r.Exit == rundata.ExitMain && !isTest(r)
}

func isTest(r *rundata.Run) bool {
	return slices.ContainsFunc(r.Args[1:], func(arg string) bool {
		return strings.HasPrefix(arg, "-test.") || strings.HasPrefix(arg, "--test.")
	})
}

// assignOwn finds the test that each run is of. Its binary has the test's name and is linked with the package under
// test. Where that leaves several (two packages of one name), those with the fewest are assigned first. Tests are taken in
// order, which is the one in which the go command starts them. Merged profiles may have one test several times.
func (p *Plan) assignOwn(runs []*rundata.Run) map[*rundata.Run]int {
	assigned := make(map[*rundata.Run]int)
	taken := make(map[int]bool)
	candidates := func(r *rundata.Run) []int {
		var list []int
		for i, t := range p.Tests {
			if !taken[i] && t.Binary != "" && t.Binary == strings.TrimSuffix(rundata.Program(r.Args), ".exe") && p.linked(r, t.Package) {
				list = append(list, i)
			}
		}
		return list
	}
	for len(runs) > 0 {
		best, tests := 0, candidates(runs[0])
		for i := 1; i < len(runs) && !p.one(tests); i++ {
			if c := candidates(runs[i]); p.one(c) {
				best, tests = i, c
			}
		}
		if len(tests) > 0 {
			assigned[runs[best]] = tests[0]
			taken[tests[0]] = true
		}
		runs = slices.Delete(slices.Clone(runs), best, best+1)
	}
	return assigned
}

// one reports whether tests are all of one package, of which there is at least one.
func (p *Plan) one(tests []int) bool {
	return len(tests) > 0 && !slices.ContainsFunc(tests, func(i int) bool { return p.Tests[i].Package != p.Tests[tests[0]].Package })
}

// linked reports whether a run can be that of a test of package path. It can if it has the package, or if the package
// has no code of its own.
func (p *Plan) linked(r *rundata.Run, path string) bool {
	if !slices.ContainsFunc(p.Packages, func(pkg Package) bool { return pkg.Path == path }) {
		return true
	}
	return slices.ContainsFunc(r.Packages, func(pkg *rundata.Package) bool { return pkg.Path == path })
}

// parent returns the test whose binary a run has started again: that with the same packages in it that was started last
// before. Where several have them, one whose name the run has goes first: other names are of commands that tests build.
func parent(tests map[int][]*rundata.Run, r *rundata.Run) (test int, ok bool) {
	var last *rundata.Run
	for i, runs := range tests {
		own := runs[0]
		if own.Start.After(r.Start) || !samePackages(own, r) {
			continue
		}
		if last == nil || closer(own, last, r.Args[0]) {
			last, test, ok = own, i, true
		}
	}
	return test, ok
}

// closer reports whether a run of a binary of the given name is a's rather than b's.
func closer(a, b *rundata.Run, name string) bool {
	if is := a.Args[0] == name; is != (b.Args[0] == name) {
		return is
	}
	return !a.Start.Before(b.Start)
}

func samePackages(a, b *rundata.Run) bool {
	return slices.EqualFunc(a.Packages, b.Packages, func(x, y *rundata.Package) bool { return x.Path == y.Path })
}
