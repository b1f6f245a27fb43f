package main

import (
	"fmt"
	"maps"
	"strings"

	"github.com/goprofinstr/goprofinstr/rewrite/pathmap"
)

// Tests may draw random numbers, wait, or go through maps. Then exact mode differs from itself from run to run.

// runsMore is how often exact mode runs again where counts differ.
const runsMore = 3

// steady returns the lines of functions that exact mode counts equally in all of some runs, and those of others.
func (b *bench) steady(lines, args, env []string) (same, others []string, err error) {
	var runs []*report
	for range runsMore {
		r, err := b.exactly(args, env...)
		if err != nil {
			return nil, nil, err
		}
		runs = append(runs, r)
	}
	first, unsteady := make(map[*pathmap.Func]map[uint64]int64), make(map[string]bool)
	for _, row := range runs[0].rows {
		first[row.f] = row.exact
	}
	for _, r := range runs[1:] {
		for _, row := range r.rows {
			if !maps.Equal(row.exact, first[row.f]) {
				unsteady[row.f.Name] = true
			}
		}
	}
	for _, l := range lines {
		if name, _, _ := strings.Cut(l, ": "); unsteady[name] {
			others = append(others, l)
		} else {
			same = append(same, l)
		}
	}
	return same, others, nil
}

// printDiffering prints the functions that differ from what exact mode counts, and returns those that it counts steadily.
func (b *bench) printDiffering(lines, args, env []string) ([]string, error) {
	if len(lines) == 0 {
		return nil, nil
	}
	same, others, err := b.steady(lines, args, env)
	for _, l := range same {
		fmt.Println(" ", l)
	}
	for _, l := range others {
		fmt.Printf("  exact mode differs from itself in %d runs: %s\n", runsMore, l)
	}
	return same, err
}
