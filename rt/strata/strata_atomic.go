//go:build !goprofinstr_shards || !linux || !(amd64 || arm64 || riscv64) || goprofinstr_basic

package strata

import (
	"github.com/goprofinstr/goprofinstr/rt"
	"github.com/goprofinstr/goprofinstr/rt/sys"
)

// The twin of strata_shards.go where there are no shards: all threads have the same strata.

// Event counts an event of a stratum in word at of an array that starts at p, if it is a message. Every rate-th one is.
//
//go:norace
func Event(i U, p *U, at U, rate uint32) {
	if IsMessage(i, rate) {
		sys.Add64(sys.Word(p, at), 1)
	}
}

// Due reports that an event has to be counted with EventPath.
func Due(U) bool { return true }

// EventPath is Event for messages that are counted in a hash table, by path or another value.
//
//go:norace
func EventPath(i U, h *rt.Hash, value U, rate uint32) {
	if IsMessage(i, rate) {
		rt.Path(h, value)
	}
}

// IsMessage counts an event of a stratum.
//
//go:norace
func IsMessage(i U, rate uint32) bool {
	s := (*uint32)(stratum(i))
	for {
		left := sys.Load32(s)
		next := left - 1
		if left <= 1 {
			next = rate
		}
		if sys.CAS32(s, left, next) {
			return left <= 1
		}
	}
}
