package profile

import (
	"cmp"
	"slices"
	"strings"

	"github.com/goprofinstr/goprofinstr/rt/rundata"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
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

// Is reports whether t is the test with a name or belongs to it. The name is the test's own, or has that of its package and a dot before it.
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

// testPathKey is what paths of tests are sorted by.
type testPathKey struct{ function, path int }

// addTests sets p.Tests.
func (p *Profile) addTests(runs []*rundata.Run) {
	sums := make(map[testKey]map[testPathKey]int64)
	functions := p.Functions()
	find := newPathFinder(functions)
	for _, r := range runs {
		for _, t := range r.Tests {
			key := testKey{pkg: t.Package}
			key.name, key.parallel = strings.CutSuffix(t.Name, parallel)
			if sums[key] == nil {
				sums[key] = make(map[testPathKey]int64)
			}
			for _, c := range t.Counts {
				if at, ok := find.path(c); ok {
					own := functions[at.function].Paths[at.path].Count // more is damage: nobody else has checked c.Count
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
			f := functions[at.function]
			t.Paths = append(t.Paths, TestPath{f, &f.Paths[at.path], n})
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

// A pathFinder finds the paths that counters are of.
type pathFinder struct {
	functions []*Function
	arrays    map[string][]int // functions of each package whose paths have counters, by the first one
	hashes    map[hashKey]int  // functions whose paths are in hash tables
}

type hashKey struct {
	pkg  string
	hash int
}

func newPathFinder(functions []*Function) *pathFinder {
	p := &pathFinder{functions, make(map[string][]int), make(map[hashKey]int)}
	for i, f := range functions {
		switch {
		case f.Declined():
		case f.Table.Storage == table.StorageHash:
			p.hashes[hashKey{f.Package, f.Table.Hash}] = i
		default:
			p.arrays[f.Package] = append(p.arrays[f.Package], i)
		}
	}
	for _, list := range p.arrays {
		slices.SortFunc(list, func(a, b int) int { return cmp.Compare(functions[a].Table.First, functions[b].Table.First) })
	}
	return p
}

// path finds the path that a counter is of; there is none for those of other things.
func (p *pathFinder) path(c rundata.TestCount) (testPathKey, bool) {
	i, id := 0, c.Number
	if c.Hash >= 0 {
		var ok bool
		if i, ok = p.hashes[hashKey{c.Package.Path, c.Hash}]; !ok {
			return testPathKey{}, false
		}
	} else {
		list := p.arrays[c.Package.Path]
		at, _ := slices.BinarySearchFunc(list, c.Number, func(i int, n uint64) int {
			if p.functions[i].Table.First <= n {
				return -1
			}
			return 1
		})
		if at == 0 {
			return testPathKey{}, false
		}
		i = list[at-1]
		id -= p.functions[i].Table.First
	}
	at, ok := slices.BinarySearchFunc(p.functions[i].Paths, id, func(path Path, id uint64) int { return cmp.Compare(path.ID, id) })
	return testPathKey{i, at}, ok && id < p.functions[i].Table.Values.NumPaths
}
