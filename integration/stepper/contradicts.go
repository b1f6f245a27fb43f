package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"
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
