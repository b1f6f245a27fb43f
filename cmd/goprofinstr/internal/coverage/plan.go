package coverage

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/gocmd"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/results"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/toolchain"
	"github.com/goprofinstr/goprofinstr/export/coverprofile"
	"github.com/goprofinstr/goprofinstr/rewrite/load"
	"github.com/goprofinstr/goprofinstr/rewrite/target"
)

// A listedPackage is what go list says about a package.
type listedPackage struct {
	ImportPath, Dir, Name, ForTest string
	Standard                       bool
	Module                         *struct{ Main bool }

	GoFiles, CgoFiles, TestGoFiles, XTestGoFiles []string // in Dir
	Deps                                         []string // import paths
}

const listedFields = "ImportPath,Dir,Name,ForTest,Standard,Module,GoFiles,CgoFiles,TestGoFiles,XTestGoFiles,Deps"

// path returns the import path of a package, which in ImportPath may be followed by the test it is recompiled for.
func (p *listedPackage) path() string { return importPath(p.ImportPath) }

func importPath(id string) string {
	path, _, _ := strings.Cut(id, " ")
	return path
}

func (p *listedPackage) hasTests() bool { return len(p.TestGoFiles)+len(p.XTestGoFiles) > 0 }
func (p *listedPackage) hasCode() bool  { return len(p.GoFiles)+len(p.CgoFiles) > 0 }

// local reports whether p is Go files on the command line.
func (p *listedPackage) local() bool { return p.path() == load.FilesPackage }

// subject returns what patterns see of p.
func (p *listedPackage) subject() load.Subject {
	return load.Subject{Path: p.path(), Dir: p.Dir, Std: p.Standard, Main: p.Module != nil && p.Module.Main}
}

// newPlan finds out what go test would put into a coverage profile: the packages under test, or those among
// all that the tests are linked with that match one of the patterns of -coverpkg. unused are
// patterns that match none.
func newPlan(c *gocmd.Command, tc *toolchain.Toolchain, patterns []string, atomic bool) (
	plan *coverprofile.Plan, unused []string, err error,
) {
	user, err := toolchain.UserOverlay(c)
	if err != nil {
		return nil, nil, err
	}
	l := lister{c, tc, tc.ListConfig(c, user, results.Open(tc).Keeper())}
	roots, err := l.list("-find") // not what they import, which takes half of the time
	if err != nil {
		return nil, nil, err
	}
	plan = &coverprofile.Plan{Go: tc.GOVERSION, Patterns: patterns}
	covered := make(map[string]*listedPackage)
	var deps map[string][]string
	if len(patterns) == 0 {
		for _, p := range roots {
			covered[p.path()] = p
		}
	} else {
		all, err := l.list("-deps", "-test")
		if err != nil {
			return nil, nil, err
		}
		covered, unused, err = selectCovered(all, patterns, c.Dir)
		if err != nil {
			return nil, nil, err
		}
		deps = linked(all)
	}
	uncovered := tc.Release().Cover.Uncovered
	for path, p := range covered {
		if !p.hasCode() || atomic && len(patterns) > 0 && slices.Contains(uncovered, path) {
			delete(covered, path)
		}
	}
	for _, p := range covered {
		pkg, err := coveredPackage(p, user)
		if err != nil {
			return nil, nil, err
		}
		plan.Packages = append(plan.Packages, pkg)
	}
	slices.SortFunc(plan.Packages, func(a, b coverprofile.Package) int { return strings.Compare(a.Path, b.Path) })
	for _, p := range roots {
		plan.Tests = append(plan.Tests, test(p, roots, covered, deps[p.path()], len(patterns) > 0))
	}
	return plan, unused, nil
}

// linked returns the import paths of what is linked into tests, by the path of the package under test.
func linked(all []*listedPackage) map[string][]string {
	deps := make(map[string][]string)
	for _, p := range all {
		if tested, ok := strings.CutSuffix(p.ImportPath, ".test"); ok && p.Name == "main" {
			for _, id := range p.Deps {
				deps[tested] = append(deps[tested], importPath(id))
			}
		}
	}
	return deps
}

// A lister lists packages with the go command.
type lister struct {
	cmd    *gocmd.Command
	tc     *toolchain.Toolchain
	config load.Config // of the same packages
}

// list lists the packages that are tested, in the go command's order.
func (l lister) list(flags ...string) ([]*listedPackage, error) {
	sum, unchanged := l.config.Unchanged()
	words := append([]string{"coverage", string(sum[:])}, flags...)
	var out []byte
	if unchanged && l.config.Keeper.Get(words, &out) {
		return l.parse(out)
	}
	out, err := l.run(flags)
	if err != nil {
		return nil, err
	}
	if after, ok := l.config.Unchanged(); unchanged && ok && after == sum {
		l.config.Keeper.Put(words, out)
	}
	return l.parse(out)
}

func (l lister) run(flags []string) ([]byte, error) {
	args := slices.Concat([]string{"list", "-e", "-json=" + listedFields}, flags, l.cmd.LoadFlags(), []string{"--"}, l.cmd.Packages)
	cmd := exec.Command(l.tc.Go, args...)
	cmd.Dir, cmd.Env = l.cmd.Dir, l.tc.HelperEnviron()
	var out, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &stderr
	if err := l.tc.Helpers.Run(cmd); err != nil {
		return nil, fmt.Errorf("%s list: %v: %s", l.cmd.Go, err, toolchain.FirstLine(stderr.String()))
	}
	return out.Bytes(), nil
}

func (l lister) parse(out []byte) ([]*listedPackage, error) {
	var packages []*listedPackage
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		p := new(listedPackage)
		if err := dec.Decode(p); errors.Is(err, io.EOF) {
			return packages, nil
		} else if err != nil {
			return nil, fmt.Errorf("%s list: %v", l.cmd.Go, err)
		}
		p.Dir = l.tc.RealName(p.Dir)
		packages = append(packages, p)
	}
}

// selectCovered returns the packages that match patterns, by import path. A package that is
// recompiled for tests may be listed only so; its files are the same.
func selectCovered(all []*listedPackage, patterns []string, dir string) (
	covered map[string]*listedPackage, unused []string, err error,
) {
	dir, err = filepath.Abs(dir)
	if err != nil {
		return nil, nil, err
	}
	covered = make(map[string]*listedPackage)
	for _, pattern := range patterns {
		match := load.Match(pattern, dir)
		found := false
		for _, p := range all {
			isMain := strings.HasSuffix(p.path(), ".test") && p.Name == "main" // generated by go test
			isTests := p.ForTest == p.path() || strings.HasSuffix(p.path(), "_test") && p.ForTest != ""
			if isMain || isTests || p.ImportPath == "unsafe" || !match(p.subject()) {
				continue
			}
			found = true
			if covered[p.path()] == nil || p.ForTest == "" {
				covered[p.path()] = p
			}
		}
		if !found {
			unused = append(unused, pattern)
		}
	}
	return covered, unused, nil
}

func coveredPackage(p *listedPackage, user *target.Overlay) (coverprofile.Package, error) {
	pkg := coverprofile.Package{Path: p.path(), Local: p.local()}
	for _, base := range slices.Concat(p.GoFiles, p.CgoFiles) {
		name := filepath.Join(p.Dir, base)
		if filepath.IsAbs(base) {
			name = base
		}
		src, err := user.Source(name)
		if err != nil {
			return pkg, err
		}
		replacement := ""
		if user != nil {
			replacement = user.Replace[name]
		}
		pkg.Files = append(pkg.Files, coverprofile.NewFile(name, replacement, src))
	}
	return pkg, nil
}

// test returns what the profile has for root p: without patterns p itself, otherwise the covered packages that its test
// is linked with and those that are under test themselves.
func test(
	p *listedPackage, roots []*listedPackage, covered map[string]*listedPackage, deps []string, patterns bool,
) coverprofile.Test {
	t := coverprofile.Test{Package: p.path(), Covers: []string{}}
	add := func(path string) {
		if covered[path] != nil && !slices.Contains(t.Covers, path) {
			t.Covers = append(t.Covers, path)
		}
	}
	if !p.hasTests() || !patterns {
		add(p.path())
	} else {
		for _, path := range deps {
			add(path)
		}
	}
	if p.hasTests() && len(t.Covers) > 0 {
		t.Binary, t.Main = testBinary(p), hasTestMain(p)
	}
	if p.hasTests() && patterns {
		for _, r := range roots {
			add(r.path())
		}
	}
	slices.Sort(t.Covers)
	return t
}

// hasTestMain reports whether a package decides itself how its tests are run.
func hasTestMain(p *listedPackage) bool {
	return slices.ContainsFunc(slices.Concat(p.TestGoFiles, p.XTestGoFiles), func(name string) bool {
		if !filepath.IsAbs(name) {
			name = filepath.Join(p.Dir, name)
		}
		src, err := os.ReadFile(name)
		return err == nil && bytes.Contains(src, []byte("func TestMain("))
	})
}

var majorVersion = regexp.MustCompile(`^v([2-9]|[1-9][0-9]+)$`)

// testBinary returns the base name of a package's test binary, as cmd/go/internal/test.testBinaryName makes it.
func testBinary(p *listedPackage) string {
	if p.local() {
		return p.Name + ".test"
	}
	elem := path.Base(p.path())
	if majorVersion.MatchString(elem) && elem != p.path() {
		elem = path.Base(path.Dir(p.path()))
	}
	return elem + ".test"
}
