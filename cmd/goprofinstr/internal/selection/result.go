package selection

import (
	"cmp"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/alone"
)

// A Selection is the tests to run.
type Selection struct {
	Go       string     // name of the go command
	Flags    []string   // of go test, as the profile was made, without -run
	Run      string     // value of -run when the profile was made, or ""
	Rest     []string   // arguments for test binaries, behind -args; or none
	Packages []*Package // with selected tests, by import path
	Compiled []string   // import paths of packages that have changed code in them, and no test of which is selected

	// Tests are all that go test would run, in TestedPackages. Unknown are the selected ones without data.
	Tests, Selected, Unknown, TestedPackages int
	// Seconds is how long the processes of tests have taken, as far as there is data of them.
	Seconds, SelectedSeconds float64
}

// A Package is one with selected tests.
type Package struct {
	Path    string   `json:"package"`
	All     bool     `json:"all"`   // that the command of the profile runs
	Tests   []string `json:"tests"` // the selected ones, null if the package cannot be listed, or has none that the command runs
	Reasons []Reason `json:"reasons"`

	reasons map[string]string // by test
}

// A Reason is why a test is selected, or all tests of a package: Test is "" then.
type Reason struct {
	Test string `json:"test,omitempty"` // missing if all tests of the package are selected for it
	Why  string `json:"why"`
}

// one selects a test.
func (s *selector) one(p *listed, test, why string) {
	if p.root {
		s.add(p, Reason{test, why})
	}
}

// all selects all tests of a package.
func (s *selector) all(p *listed, why string) {
	if p.root {
		s.add(p, Reason{"", why})
	}
}

func (s *selector) add(p *listed, r Reason) {
	found := s.result[p.ImportPath]
	if found == nil {
		found = &Package{Path: p.ImportPath, reasons: make(map[string]string)}
		s.result[p.ImportPath] = found
	}
	// Of several reasons the shortest is kept: it has the fewest steps.
	if why, ok := found.reasons[r.Test]; !ok || cmp.Or(cmp.Compare(len(r.Why), len(why)), cmp.Compare(r.Why, why)) < 0 {
		found.reasons[r.Test] = r.Why
	}
}

// whole selects all tests of all packages that depend on one.
func (s *selector) whole(p *listed, why string) {
	for _, other := range s.packages {
		if other.tests[p.ImportPath] {
			s.all(other, why)
		}
	}
}

// part is whole for a package, and all for its test files.
func (s *selector) part(p *listed, tests bool, why string) {
	if tests {
		s.all(p, why)
	} else {
		s.whole(p, why)
	}
}

// everything selects all tests.
func (s *selector) everything(why string) {
	for _, p := range s.packages {
		s.all(p, why)
	}
}

// entered selects the tests that have entered a function.
func (s *selector) entered(p *listed, key, why string) {
	at := name{p.ImportPath, key}
	declined, known := s.data.functions[at]
	switch {
	case !known && s.fresh[at]:
		return // what calls it has changed, too
	case !known:
		s.whole(p, why+", and it is not in the profile")
		return
	case declined != "":
		s.whole(p, why+", and it is not counted: "+declined)
		return
	case s.data.lost || s.data.unowned[at]:
		s.whole(p, why+", and a process that is of no test has entered it")
	}
	s.eachTest(func(tested *listed, t *alone.Test) {
		if s.data.entered[t][at] {
			s.one(tested, t.Name, why)
		}
	})
}

// selection makes the result of what was added.
func (s *selector) selection() *Selection {
	r := &Selection{Go: s.data.command.Go, Flags: s.flags(), Rest: s.rest()}
	r.Run, _ = s.data.command.Lookup("run")
	for _, path := range slices.Sorted(maps.Keys(s.packages)) {
		p := s.packages[path]
		if !p.root {
			continue
		}
		names := s.names(p)
		found := s.result[path]
		r.TestedPackages++
		r.Tests += len(names)
		if found != nil {
			found.settle(names)
		}
		if found != nil && (found.All || len(found.Tests) > 0) {
			r.Packages = append(r.Packages, found)
			r.Selected += len(found.Tests)
		} else if s.reachesChange(p) {
			r.Compiled = append(r.Compiled, path)
		}
		r.addTimes(s.testsOf(p), names, found)
	}
	return r
}

// addTimes adds the times of a package's tests.
func (r *Selection) addTimes(tests []*alone.Test, names []string, found *Package) {
	seconds := make(map[string]float64)
	for _, t := range tests {
		seconds[t.Name] = t.Seconds
	}
	for _, name := range names {
		took, known := seconds[name]
		r.Seconds += took
		if found != nil && slices.Contains(found.Tests, name) {
			r.SelectedSeconds += took
			if !known {
				r.Unknown++
			}
		}
	}
}

// mostRun bounds the length of a regular expression on a command line: Linux has 128 KiB for an argument.
const mostRun = 100_000

// settle lists the tests, of those that there are, and the reasons.
func (p *Package) settle(names []string) {
	why, all := p.reasons[""]
	if p.All = all; all {
		p.Reasons = append(p.Reasons, Reason{"", why})
	}
	for _, name := range names {
		why, is := p.reasons[name]
		if is {
			p.Reasons = append(p.Reasons, Reason{name, why})
		}
		if is || all {
			p.Tests = append(p.Tests, name)
		}
	}
	p.All = p.All || len(names) > 0 && len(p.Tests) == len(names) || len(strings.Join(p.Tests, "|")) > mostRun
}

// left are flags of go test that say which tests are run, or what else is done with them.
var left = []string{
	"run", "list", "o", "c", "json", "coverprofile",
	"cpuprofile", "memprofile", "blockprofile", "mutexprofile", "trace", "outputdir",
}

// flags returns the flags of go test that the profile was made with, but for those. Its -C is as it has to be here: the module
// may be none of the current folder.
func (s *selector) flags() (words []string) {
	if dir := s.chdir(); dir != "" {
		words = append(words, "-C", dir)
	}
	for _, f := range s.data.command.Flags {
		if !slices.Contains(left, f.Name) {
			words = append(words, f.Words...)
		}
	}
	return words
}

// rest returns the arguments for test binaries as the go command takes them behind packages. Without -args it takes words for
// packages, and flags for its own.
func (s *selector) rest() []string {
	rest := s.data.command.Rest
	if len(rest) == 0 || rest[0] == "-args" || rest[0] == "--args" {
		return rest
	}
	return slices.Concat([]string{"-args"}, rest)
}

// chdir returns the folder for -C, relative to the current one; "" if the command had no -C, or the user is there.
func (s *selector) chdir() string {
	if s.data.command.Dir == "" {
		return ""
	}
	here, err := os.Getwd()
	if err != nil {
		return ""
	}
	if rel, err := filepath.Rel(realName(here), realName(s.folder)); err == nil && rel != "." {
		return rel
	}
	return ""
}

// realName returns the name of a folder without links in it.
func realName(dir string) string {
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		return real
	}
	return dir
}
