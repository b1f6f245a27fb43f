package coverprofile

import (
	"cmp"
	"encoding/json"
	"errors"
	"maps"
	"slices"
)

// MergePlans writes to directory out what the coverage profile of the runs of all dirs together has in it. It has the tests of
// each, as if the profiles of several go test commands were put one behind the other. Directories without a plan have none to
// add.
func MergePlans(out string, dirs []string) error {
	var all *Plan
	packages := make(map[string]Package)
	for _, dir := range dirs {
		p, err := ReadPlan(dir)
		if errors.Is(err, ErrNoPlan) {
			continue
		}
		if err != nil {
			return err
		}
		if all == nil {
			all = &Plan{Go: p.Go}
		}
		// Whatever can be one thing only is the least: the order of directories does not matter.
		all.Go = min(all.Go, p.Go)
		all.Patterns = append(all.Patterns, p.Patterns...)
		all.Tests = append(all.Tests, p.Tests...)
		for _, pkg := range p.Packages {
			if known, ok := packages[pkg.Path]; !ok || compareJSON(pkg, known) < 0 {
				packages[pkg.Path] = pkg
			}
		}
	}
	if all == nil {
		return nil
	}
	slices.Sort(all.Patterns)
	all.Patterns = slices.Compact(all.Patterns)
	for _, path := range slices.Sorted(maps.Keys(packages)) {
		all.Packages = append(all.Packages, packages[path])
	}
	slices.SortFunc(all.Tests, func(a, b Test) int { return compareJSON(a, b) })
	return all.Write(out)
}

func compareJSON(a, b any) int {
	x, errX := json.Marshal(a)
	y, errY := json.Marshal(b)
	if errX != nil || errY != nil {
		panic("BUG: a plan that JSON cannot hold")
	}
	return cmp.Compare(string(x), string(y))
}
