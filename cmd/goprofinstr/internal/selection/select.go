package selection

import (
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/alone"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/gitdiff"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/toolchain"
)

// A selector finds the tests.
type selector struct {
	data     *Data
	tc       *toolchain.Toolchain
	root     string // of the module or workspace
	folder   string // in which the command of the data ran, or that of its -C
	cache    string // of modules, or ""; what is in it does not change
	modfile  string // that -modfile names, or ""
	packages map[string]*listed
	dirs     map[string]*listed // by folder
	units    map[string][]*source
	fresh    map[name]bool   // functions that were not there when the data were made
	changed  map[string]bool // packages of which a source has changed, by import path
	retested map[string]bool // and those of which a test file has
	queue    []queued
	known    map[mention]bool
	result   map[string]*Package // by import path
}

// Select returns the tests to run for what has changed since a revision in the checkout around the current directory.
func Select(d *Data, rev string) (*Selection, error) {
	tc, err := findToolchain(d)
	if err != nil {
		return nil, err
	}
	if tc.InGOFLAGS("overlay") {
		return nil, errors.New("-overlay in GOFLAGS: changes of files that replace others are not looked for: " +
			"run all tests, or goprofinstr select without it")
	}
	root := tc.Workspace()
	if root == "" {
		if tc.GOMOD == "" || tc.GOMOD == os.DevNull {
			return nil, errors.New("there is no module here: run goprofinstr select where go test runs")
		}
		root = filepath.Dir(tc.GOMOD)
	}
	s := &selector{
		data: d, tc: tc, root: root, cache: tc.GOMODCACHE,
		dirs: make(map[string]*listed), units: make(map[string][]*source), changed: make(map[string]bool),
		known: make(map[mention]bool), fresh: make(map[name]bool), retested: make(map[string]bool), result: make(map[string]*Package),
	}
	revisions := []string{d.manifest.Head, rev} // the first tells what is fresh
	for _, r := range revisions {
		if err := gitdiff.Verify(root, r); err != nil {
			return nil, err
		}
	}
	s.folder = filepath.Join(root, filepath.FromSlash(d.manifest.Dir), d.command.Dir)
	if name, ok := tc.Lookup(d.command, "modfile"); ok {
		if s.modfile = name; !filepath.IsAbs(name) {
			s.modfile = filepath.Join(s.folder, name)
		}
	}
	if s.packages, err = list(tc, d.command, s.folder); err != nil {
		return nil, err
	}
	for _, p := range s.packages {
		s.dirs[p.Dir] = p
	}
	files, err := changes(root, revisions, d)
	if err != nil {
		return nil, err
	}
	s.readSources()
	s.addOutside()
	tracked, err := gitdiff.Tracked(root)
	if err != nil {
		return nil, err
	}
	for _, c := range files {
		tracked[c.name] = true
	}
	s.addUntracked(tracked)
	if d.manifest.Go != tc.GOVERSION {
		s.everything(fmt.Sprintf("%s, and the profile is of %s", tc.GOVERSION, d.manifest.Go))
	}
	s.addChanges(files, revisions)
	s.followMentions()
	s.addUnknown(len(files) > 0)
	return s.selection(), nil
}

// findToolchain finds the toolchain and the module of the command of the data. The user is in the folder in which it ran, or in
// that of its -C.
func findToolchain(d *Data) (*toolchain.Toolchain, error) {
	command := *d.command
	if info, err := os.Stat(command.Dir); err != nil || !info.IsDir() {
		command.Dir = ""
	}
	return toolchain.Find(&command)
}

// isFixed reports whether the files of a package are the same as long as the release of Go and go.mod are.
func (s *selector) isFixed(p *listed) bool {
	return p.Standard || s.cache != "" && strings.HasPrefix(p.Dir, s.cache+string(filepath.Separator))
}

// below returns the name of a file or folder relative to the root, with forward slashes, if it is below it.
func (s *selector) below(file string) (string, bool) {
	rel, err := filepath.Rel(s.root, file)
	return filepath.ToSlash(rel), err == nil && filepath.IsLocal(rel)
}

// readSources parses what may change.
func (s *selector) readSources() {
	for _, p := range s.packages {
		if s.isFixed(p) {
			continue
		}
		for _, file := range slices.Concat(p.GoFiles, p.CgoFiles, p.TestGoFiles, p.XTestGoFiles) {
			src, err := readSource(filepath.Join(p.Dir, file))
			if err != nil {
				s.whole(p, fmt.Sprintf("%s: %v", file, err))
				continue
			}
			s.units[p.ImportPath] = append(s.units[p.ImportPath], src)
		}
	}
}

// addOutside selects by packages outside of the root, such as those of replace m => ../m. Git is not asked what has changed
// there, and the data do not tell what was modified.
func (s *selector) addOutside() {
	for _, p := range s.packages {
		if _, below := s.below(p.Dir); !below && p.Dir != "" && !s.isFixed(p) {
			s.whole(p, p.ImportPath+" is outside of the module or workspace, where changes are not looked for")
		}
	}
}

// addChanges selects by the files that have changed since some revisions.
func (s *selector) addChanges(files []*changed, revisions []string) {
	groups := make(map[*listed][]*changed)
	for _, c := range files {
		file := filepath.Join(s.root, filepath.FromSlash(c.name))
		p := s.dirs[filepath.Dir(file)]
		base := path.Base(c.name)
		switch {
		case s.isModuleFile(c.name):
			s.everything(c.name + " has changed")
		case p != nil && !p.Standard && strings.HasSuffix(base, ".go") && base[0] != '_' && base[0] != '.':
			groups[p] = append(groups[p], c)
			if isTestFile(base) {
				s.retested[p.ImportPath] = true
			} else {
				s.changed[p.ImportPath] = true
			}
			s.addText(c, file, true)
		default:
			s.addOther(c, file)
		}
	}
	for p, group := range groups {
		for i, rev := range revisions {
			if !slices.Contains(revisions[:i], rev) {
				s.addGroup(p, rev, group)
			}
		}
		for _, c := range group {
			if c.unknown {
				s.part(p, isTestFile(c.name), c.name+" was not committed when the profile was made")
			}
		}
	}
}

// isModuleFile reports whether a file says which packages are built.
func (s *selector) isModuleFile(name string) bool {
	if slices.Contains(s.modfiles(), filepath.Join(s.root, filepath.FromSlash(name))) {
		return true
	}
	switch path.Base(name) {
	case "go.mod", "go.sum", "go.work", "go.work.sum":
		dir := filepath.Join(s.root, filepath.FromSlash(path.Dir(name)))
		if dir == s.root {
			return true
		}
		for _, p := range s.packages { // or it is of a module that has nothing to do with these
			if p.Module != nil && p.Module.Dir == dir {
				return true
			}
		}
	}
	return name == "vendor/modules.txt" || strings.HasPrefix(name, "vendor/") && strings.HasSuffix(name, ".go")
}

// modfiles returns the file that -modfile names and that of its sums, which the go command reads in place of go.mod and go.sum.
func (s *selector) modfiles() []string {
	if s.modfile == "" {
		return nil
	}
	return []string{s.modfile, strings.TrimSuffix(s.modfile, ".mod") + ".sum"}
}

// addOther selects by a file that is not Go, or that the go command leaves out.
func (s *selector) addOther(c *changed, file string) {
	for _, p := range s.packages {
		if p.Standard {
			continue
		}
		if p.compiles(file) {
			s.whole(p, c.name+" has changed")
		}
		if c.now == nil && filepath.Dir(file) == p.Dir && slices.Contains(compiled, filepath.Ext(file)) {
			s.whole(p, c.name+" is gone")
		}
	}
	s.addText(c, file, false)
}

// addText selects by a file that is embedded or read, whatever else it is. One that is built is Go source of a package here.
func (s *selector) addText(c *changed, file string, built bool) {
	why := c.name + " has changed"
	for _, p := range s.packages {
		if p.Standard {
			continue
		}
		embedded, inTests := p.embeds(file, c.now == nil)
		if embedded {
			s.whole(p, why)
		}
		if inTests {
			s.all(p, why)
		}
	}
	if isTestData(c.name) {
		if p := s.around(file); p != nil {
			s.all(p, why)
		}
	}
	s.readers(c, built, why)
}

// compiled are the extensions of files besides Go that may be compiled into a package.
var compiled = []string{
	".c", ".cc", ".cpp", ".cxx", ".m", ".h", ".hh", ".hpp", ".hxx", ".f", ".F", ".for", ".f90", ".s", ".S", ".sx",
	".swig", ".swigcxx", ".syso",
}

// isTestData reports whether a file is below a folder testdata.
func isTestData(name string) bool {
	return slices.Contains(strings.Split(path.Dir(name), "/"), "testdata")
}

// around returns the package in the nearest folder around a file.
func (s *selector) around(file string) *listed {
	for dir := filepath.Dir(file); len(dir) >= len(s.root); dir = filepath.Dir(dir) {
		if p := s.dirs[dir]; p != nil && p.root {
			return p
		}
	}
	return nil
}

// readers selects the tests that have read a file, looked for it or into a folder around it, or started programs, which may be
// the go command. Of Go source that is built a look tells only whether it is there.
func (s *selector) readers(c *changed, built bool, why string) {
	s.eachTest(func(p *listed, t *alone.Test) {
		below := func(list []string) bool {
			return slices.ContainsFunc(list, func(n string) bool { return n == c.name || strings.HasPrefix(n, c.name+"/") })
		}
		read := below(t.Opened) || (!built || c.gone()) && below(t.Looked)
		for dir := path.Dir(c.name); c.gone() && !read; dir = path.Dir(dir) {
			read = slices.Contains(t.Opened, dir)
			if dir == "." {
				break
			}
		}
		switch {
		case read:
			s.one(p, t.Name, why+", which it has read")
		case t.Starts:
			s.one(p, t.Name, why+", which a program that it starts may read")
		}
	})
}

// eachTest calls do with the tests that there is data of, and that go test runs.
func (s *selector) eachTest(do func(p *listed, t *alone.Test)) {
	for _, p := range s.packages {
		if p.root {
			for _, t := range s.testsOf(p) {
				do(p, t)
			}
		}
	}
}

// testsOf returns the tests of a package that there is data of.
func (s *selector) testsOf(p *listed) []*alone.Test {
	if rel, below := s.below(p.Dir); below {
		return s.data.tests(rel)
	}
	return s.data.tests(p.Dir)
}

// addUnknown selects what the data do not tell of.
func (s *selector) addUnknown(anyChange bool) {
	for _, p := range s.packages {
		if p.Error != nil && !p.Standard {
			s.whole(p, p.ImportPath+" cannot be built: "+toolchain.FirstLine(p.Error.Err))
		}
		if !p.root {
			continue
		}
		tests := s.testsOf(p)
		if tests == nil {
			s.all(p, "the profile has no data of its tests")
			continue
		}
		for _, test := range s.names(p) {
			if !slices.ContainsFunc(tests, func(t *alone.Test) bool { return t.Name == test }) {
				s.one(p, test, "it is new, or the profile has no data of it")
			}
		}
		for _, t := range tests {
			switch {
			case t.Failed:
				s.one(p, t.Name, "it failed when the profile was made")
			case s.data.unread[t]:
				s.one(p, t.Name, "what it has executed cannot be read")
			case len(t.Runs) == 0 && anyChange && s.reachesChange(p):
				s.one(p, t.Name, "nothing is known of what it has executed")
			}
		}
	}
}

// reachesChange reports whether the test binary of a package has a package that has changed.
func (s *selector) reachesChange(p *listed) bool {
	if s.retested[p.ImportPath] {
		return true
	}
	for path := range s.changed {
		if p.tests[path] {
			return true
		}
	}
	return false
}

// names returns the names of the tests of a package, as its sources have them, that the command of the data runs.
func (s *selector) names(p *listed) (names []string) {
	run, skip := s.expression("run"), s.expression("skip")
	for _, src := range s.units[p.ImportPath] {
		for _, d := range src.declarations {
			test := d.names[0]
			if src.isRun(d) && (run == nil || run.MatchString(test)) && (skip == nil || !skip.MatchString(test)) {
				names = append(names, test)
			}
		}
	}
	slices.Sort(names)
	return names
}

// expression returns the regular expression of names of tests that a flag has, of the command or in GOFLAGS. It is nil if there
// is none, or one of subtests.
func (s *selector) expression(flag string) *regexp.Regexp {
	text, ok := s.tc.Lookup(s.data.command, flag)
	if !ok || text == "" || strings.Contains(text, "/") {
		return nil
	}
	x, _ := regexp.Compile(text)
	return x
}
