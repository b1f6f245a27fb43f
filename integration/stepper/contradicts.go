package main

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/goprofinstr/goprofinstr/rewrite/pathmap"
)

// A path whose conditions contradict each other cannot be executed. Where one is counted the map is wrong. That shows also where
// exact mode has other counts for other reasons, or where counts are estimates.

// contradicts returns the paths that were counted, and whose conditions contradict each other.
func (r *row) contradicts(of map[uint64]int64) (list []uint64) {
	d, err := r.f.Decoder()
	if err != nil || r.table == nil {
		return nil
	}
	for id, n := range of {
		if p, err := d.Path(id); n > 0 && err == nil && r.table.Infeasible(p.Edges) {
			list = append(list, id)
		}
	}
	slices.Sort(list)
	return list
}

// contradictions returns an error if there are such paths among those that were counted.
func (r *report) contradictions(of counts) error {
	var list []string
	for _, row := range r.rows {
		for _, id := range row.contradicts(of[row.f]) {
			list = append(list, row.f.Name+": "+contradiction(id, of[row.f][id]))
		}
	}
	if len(list) > 0 {
		return errors.New(strings.Join(list, "; "))
	}
	return nil
}

func contradiction(id uint64, n int64) string {
	return fmt.Sprintf("path %d: %d, and its conditions contradict each other", id, n)
}

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
