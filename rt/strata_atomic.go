//go:build !goprofinstr_blocks || !linux || !(amd64 || arm64 || riscv64)

package rt

// The twin of strata_blocks.go where there are no blocks: all threads have the same strata.

// Event counts an event of a stratum in word at of an array that starts at p, if it is a message. Every rate-th one is.
//
//go:norace
func Event(i U, p *U, at U, rate uint32) {
	if isMessage(i, rate) {
		add64(Word(p, at), 1)
	}
}

// Due reports that an event has to be counted with EventPath.
func Due(U) bool { return true }

// EventPath is Event for messages that are counted in a hash table, by path or another value.
//
//go:norace
func EventPath(i U, h *Hash, value U, rate uint32) {
	if isMessage(i, rate) {
		Path(h, value)
	}
}

// isMessage counts an event of a stratum.
//
//go:norace
func isMessage(i U, rate uint32) bool {
	s := (*uint32)(stratum(i))
	for {
		left := load32(s)
		next := left - 1
		if left <= 1 {
			next = rate
		}
		if cas32(s, left, next) {
			return left <= 1
		}
	}
}
