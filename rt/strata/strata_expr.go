package strata

import "github.com/goprofinstr/goprofinstr/rt"

// CountEvent is Event as an expression. It returns 0.
//
//go:norace
func CountEvent(i U, p *U, at U, rate uint32) U {
	Event(i, p, at, rate)
	return 0
}

// CountEventPath is EventPath as an expression. It returns 0.
//
//go:norace
func CountEventPath(i U, h *rt.Hash, value U, rate uint32) U {
	EventPath(i, h, value, rate)
	return 0
}

// CountFeed is Feed as an expression. It returns 0.
//
//go:norace
func CountFeed(h *rt.Hash, value U) U {
	Feed(h, value)
	return 0
}
