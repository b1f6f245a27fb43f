package main

import (
	"maps"
	"slices"
)

// A difference is a test, a package or an exit code whose result was another one with goprofinstr.
// It has the results of the first comparison and of those that were made to see whether it is always so.
type difference struct {
	Name           string
	Plain, Wrapped []string
}

// What differences are called.
const (
	different = "different" // no result is one of the plain ones
	flaky     = "flaky"     // plain results vary, too
	unsettled = "unsettled" // some results are the plain one
)

// kind says how much a difference means.
func (d *difference) kind() string {
	switch {
	case d.once():
		return flaky
	case slices.ContainsFunc(d.Plain, func(r string) bool { return r != d.Plain[0] }):
		return flaky
	case slices.Contains(d.Wrapped, d.Plain[0]):
		return unsettled
	}
	return different
}

// once reports whether the test was there in one run of several: its name has a time or an address in it.
func (d *difference) once() bool {
	there := 0
	for _, r := range slices.Concat(d.Plain, d.Wrapped) {
		if r != absent {
			there++
		}
	}
	return there == 1 && len(d.Plain) > 1
}

// compare returns what differs, by name.
func compare(plain, wrapped results) []*difference {
	names := maps.Clone(plain)
	maps.Copy(names, wrapped)
	var differences []*difference
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if plain.of(name) != wrapped.of(name) {
			differences = append(differences, &difference{name, []string{plain.of(name)}, []string{wrapped.of(name)}})
		}
	}
	return differences
}

// packages returns the packages that differences are in; none if only exit codes differ.
func packages(differences []*difference) []string {
	var all []string
	for _, d := range differences {
		if pkg := packageOf(d.Name); pkg != "" {
			all = append(all, pkg)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// addRun adds the results of another run both ways, in which there may be more that differs.
func addRun(differences []*difference, plain, wrapped results) []*difference {
	known := make(map[string]bool)
	for _, d := range differences {
		known[d.Name] = true
		d.Plain = append(d.Plain, plain.of(d.Name))
		d.Wrapped = append(d.Wrapped, wrapped.of(d.Name))
	}
	for _, d := range compare(plain, wrapped) {
		// A name that is new in this run, and in no earlier one, varies.
		if !known[d.Name] && d.Plain[0] != absent && d.Wrapped[0] != absent {
			differences = append(differences, d)
		}
	}
	return differences
}
