package profile

// Paths that were counted for a while and that no window has seen since: how often they were executed then only the flow
// can tell. A round of a loop is one of many in a row, or none is there. That no window was there at the same time says
// next to nothing about how many rounds there are.

// loosePaths returns the paths of which nothing tells how often they were executed since they were counted, by ID. Flow
// does not tell of rounds of a loop. Nor does it where several such paths lead from one place to another, which can be
// any of them.
func (f *Function) loosePaths() map[uint64]bool {
	if f.Missed == nil {
		return nil
	}
	places := newPlaces(f)
	ways := make(map[way][]*Path) // of thousands of paths there are few
	for i := range f.Paths {
		if p := &f.Paths[i]; f.Missed[p.last()] && p.Samples == 0 {
			w := newWay(places.from(p), places.to(p))
			ways[w] = append(ways[w], p)
		}
	}
	loose := make(map[uint64]bool)
	for w, paths := range ways {
		is := len(paths) > 1 || connected(ways, w)
		for _, p := range paths {
			loose[p.ID] = is
		}
	}
	return loose
}

// A way is two places that a path leads between, in any direction.
type way [2]int

func newWay(from, to int) way { return way{min(from, to), max(from, to)} }

// connected reports whether other ways lead from where one begins to where it ends.
func connected(ways map[way][]*Path, without way) bool {
	reached := map[int]bool{without[0]: true}
	for more := true; more; {
		more = false
		for w := range ways {
			if w != without && reached[w[0]] != reached[w[1]] {
				reached[w[0]], reached[w[1]], more = true, true, true
			}
		}
	}
	return reached[without[1]]
}
