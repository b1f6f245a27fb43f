package profile

// Paths that were counted for a while and that no window has seen since: how often they were executed then only the flow
// can tell. A round of a loop is one of many in a row, or none is there: that no window was there when they were says next
// to nothing about how many there are.

// loosePaths returns the paths of which nothing tells how often they were executed since they were counted, by ID. Flow
// does not tell of rounds of a loop, nor where several such paths lead from one place to another, which can be any of
// them.
func (f *Function) loosePaths() map[uint64]bool {
	if f.Missed == nil {
		return nil
	}
	places := newPlaces(f)
	var unseen []*Path
	for i := range f.Paths {
		if p := &f.Paths[i]; f.Missed[p.last()] && p.Samples == 0 {
			unseen = append(unseen, p)
		}
	}
	loose := make(map[uint64]bool)
	for _, p := range unseen {
		loose[p.ID] = connected(places, unseen, p)
	}
	return loose
}

// connected reports whether paths other than without lead from where that begins to where it ends, in any direction.
func connected(places *places, paths []*Path, without *Path) bool {
	reached := map[int]bool{places.from(without): true}
	for more := true; more; {
		more = false
		for _, p := range paths {
			from, to := places.from(p), places.to(p)
			if p != without && reached[from] != reached[to] {
				reached[from], reached[to], more = true, true, true
			}
		}
	}
	return reached[places.to(without)]
}
