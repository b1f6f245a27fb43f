package profile

import (
	"cmp"
	"slices"
	"strings"

	"github.com/goprofinstr/goprofinstr/rt/rundata"
)

// parallel is what the runtime puts behind the name of a test for all of its subtests that ran in parallel.
const parallel = " (parallel)"

// A Test is a test, or one of its subtests, without what its own subtests did.
type Test struct {
	Package  string // import path of the package under test
	Name     string // "" for what ran before, between and after tests
	Parallel bool   // stands for all subtests of the test that ran in parallel, and for theirs
	Paths    []TestPath
}

// A TestPath is a path that a test took, in the order of functions and path numbers.
type TestPath struct {
	Function *Function
	Path     *Path // one of Function's
	Count    int64
}

// Is reports whether t is the test with a name or belongs to it. The name is the test's own, or has that of its package and a
// dot before it.
func (t *Test) Is(name string) bool {
	if t.Name == "" {
		return false
	}
	for _, full := range []string{t.Name, t.Package + "." + t.Name} {
		if full == name || strings.HasPrefix(full, name+"/") {
			return true
		}
	}
	return false
}

// Title returns the test's name with its package, as people read it.
func (t *Test) Title() string {
	switch {
	case t.Name == "" && t.Parallel:
		return t.Package + ": tests in parallel"
	case t.Name == "":
		return t.Package + ": outside of tests"
	case t.Parallel:
		return t.Package + "." + t.Name + ": subtests in parallel"
	}
	return t.Package + "." + t.Name
}

// testKey tells tests apart. Those of several runs are one.
type testKey struct {
	pkg, name string
	parallel  bool
}

// testPathKey is a path that a test took, by its index in the function.
type testPathKey struct {
	function *Function
	path     int
}

// addTests sets p.Tests.
func (p *Profile) addTests(runs []*rundata.Run) {
	sums := make(map[testKey]map[testPathKey]int64)
	functions := p.Functions()
	counters := newCounters(functions)
	for _, r := range runs {
		for _, t := range r.Tests {
			key := testKey{pkg: t.Package}
			key.name, key.parallel = strings.CutSuffix(t.Name, parallel)
			if sums[key] == nil {
				sums[key] = make(map[testPathKey]int64)
			}
			for _, c := range t.Counts {
				if at, ok := counters.executed(c); ok {
					own := at.function.Paths[at.path].Count // more is damage: nobody else has checked c.Count
					sums[key][at] = int64(min(uint64(sums[key][at])+min(c.Count, uint64(own)), uint64(own)))
				}
			}
		}
	}
	index := make(map[*Function]int)
	for i, f := range functions {
		index[f] = i
	}
	for key, paths := range sums {
		t := &Test{Package: key.pkg, Name: key.name, Parallel: key.parallel}
		for at, n := range paths {
			t.Paths = append(t.Paths, TestPath{at.function, &at.function.Paths[at.path], n})
		}
		slices.SortFunc(t.Paths, func(a, b TestPath) int {
			return cmp.Or(cmp.Compare(index[a.Function], index[b.Function]), cmp.Compare(a.Path.ID, b.Path.ID))
		})
		p.Tests = append(p.Tests, t)
	}
	slices.SortFunc(p.Tests, func(a, b *Test) int {
		return cmp.Or(cmp.Compare(a.Package, b.Package), cmp.Compare(a.Name, b.Name), cmp.Compare(countParallel(a), countParallel(b)))
	})
}

func countParallel(t *Test) int {
	if t.Parallel {
		return 1
	}
	return 0
}

// executed finds the path that a counter of a test is of; there is none for those of other things.
func (c *counters) executed(count rundata.TestCount) (testPathKey, bool) {
	f, id := c.find(rundata.PathAt{Package: count.Package, Hash: count.Hash, Number: count.Number})
	if f == nil {
		return testPathKey{}, false
	}
	at, ok := slices.BinarySearchFunc(f.Paths, id, func(path Path, id uint64) int { return cmp.Compare(path.ID, id) })
	return testPathKey{f, at}, ok
}
