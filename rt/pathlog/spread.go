package pathlog

// With a file for counters, a function that has too many paths for a counter each has spread ones: a hash table of pairs, from
// Target.At on. A pair is a path and 1, or 0 where the slot is free, and how often the path was counted. Pair 0 is of all paths
// that are not known, and of those without room.

// Spread is in a Target's At, with a file for counters, if they are spread.
const Spread = 1 << 63

const (
	spreadBits  = 17
	spreadPairs = 1 << spreadBits
)

// Room returns where in a file the counters of a target begin, and behind its last one.
//
//go:norace
func (t *Target) Room() (from, to U) {
	if t.At&Spread != 0 {
		return t.At &^ Spread, t.At&^Spread + 2*spreadPairs
	}
	return t.At, t.At + t.Paths + 1
}

// Counter returns which of the counters in a file is that of a path.
//
//go:norace
func (t *Target) Counter(counters []U, path U) U {
	if t.At&Spread == 0 {
		return t.At + path
	}
	at := t.At &^ Spread
	if path >= t.Paths {
		return at + 1
	}
	const a = 0x9e37_79b9_7f4a_7c15
	for i, n := path*a>>(64-spreadBits), 0; n < spreadPairs; i, n = i+1, n+1 {
		k := i % spreadPairs
		if pair := at + 2*k; k > 0 && (counters[pair] == 0 || counters[pair] == path+1) {
			counters[pair] = path + 1
			return pair + 1
		}
	}
	return at + 1
}

// Counts calls visit for each path of a target that was counted, and how often that was.
func (t *Target) Counts(counters []U, visit func(path, n U)) {
	from, to := t.Room()
	if t.At&Spread == 0 {
		for path, n := range counters[from : to-1] {
			if n > 0 {
				visit(U(path), n)
			}
		}
		return
	}
	for pair := from + 2; pair < to; pair += 2 {
		if counters[pair] > 0 {
			visit(counters[pair]-1, counters[pair+1])
		}
	}
}
