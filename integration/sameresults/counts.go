package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/goprofinstr/goprofinstr/export/profile"
)

// counts has what an exact profile says of each function that was executed: its paths and how often they were, as a text.
type counts map[string]string

// readCounts reads the counts in a profile directory.
func readCounts(dir string) (counts, error) {
	p, err := profile.Load(dir)
	if err != nil {
		return nil, err
	}
	all := make(counts)
	for _, f := range p.Functions() {
		if f.Entries == 0 && len(f.Paths) == 0 {
			continue
		}
		var text strings.Builder
		fmt.Fprintf(&text, "%d entries", f.Entries)
		for _, path := range f.Paths {
			fmt.Fprintf(&text, ", path %d %d", path.ID, path.Count)
		}
		// The same function may have been compiled for several test binaries, and functions of one name be in several files.
		all[fmt.Sprintf("%s %s:%d", f.Table.Name, f.Table.File, f.Table.Line)] += text.String() + "; "
	}
	return all, nil
}

// A countRow says how the counts of functions on a target are those that the same tests have here.
type countRow struct {
	Same    int      // functions of equal counts
	Varying int      // those whose counts differ from run to run, here or there
	Other   []string // the rest
}

// compareCounts compares the counts of several runs here with those of several there.
func compareCounts(here, there []counts) *countRow {
	varying := make(map[string]bool)
	vary(varying, here)
	vary(varying, there)
	names := maps.Clone(here[0])
	maps.Copy(names, there[0])
	row := &countRow{Varying: len(varying)}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		switch {
		case varying[name]:
		case here[0][name] == there[0][name]:
			row.Same++
		default:
			row.Other = append(row.Other, name)
		}
	}
	return row
}

// vary notes the functions whose counts are not the same in all runs.
func vary(varying map[string]bool, runs []counts) {
	for _, a := range runs[1:] {
		for name, text := range a {
			if runs[0][name] != text {
				varying[name] = true
			}
		}
		for name := range runs[0] {
			if a[name] == "" {
				varying[name] = true
			}
		}
	}
}

// countsFor makes the count row of a subject and a mode, whose counts on the target are known of one run. Two runs here tell
// which counts vary. While functions differ, both sides are run again, as often as differing tests are.
func (r *runner) countsFor(s *subject, m mode, counted counts) (*countRow, error) {
	native := *r
	native.target = target{}
	var here []counts
	there := []counts{counted}
	run := func(on *runner, runs *[]counts, where string) error {
		_, c, err := on.wrapped(s, m, fmt.Sprintf("%s counted %s, %d", m.name, where, len(*runs)), s.Patterns)
		*runs = append(*runs, c)
		return err
	}
	for len(here) < 2 {
		if err := run(&native, &here, "here"); err != nil {
			return nil, err
		}
	}
	row := compareCounts(here, there)
	for round := 0; round < r.times && len(row.Other) > 0; round++ {
		if err := run(r, &there, "there"); err != nil {
			return nil, err
		}
		if err := run(&native, &here, "here"); err != nil {
			return nil, err
		}
		row = compareCounts(here, there)
	}
	return row, nil
}
