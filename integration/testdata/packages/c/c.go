// Package c has counters on many pages.
package c

import "example.com/packages/b"

// Bits returns how many bits are set.
func Bits(n int) int {
	return b.Bits(n&(1<<8-1)) + low(n>>8) + b.Bits(n>>20)
}

// low returns how many of twelve bits are set.
func low(n int) (bits int) {
	if n&(1<<0) != 0 {
		bits++
	}
	if n&(1<<1) != 0 {
		bits++
	}
	if n&(1<<2) != 0 {
		bits++
	}
	if n&(1<<3) != 0 {
		bits++
	}
	if n&(1<<4) != 0 {
		bits++
	}
	if n&(1<<5) != 0 {
		bits++
	}
	if n&(1<<6) != 0 {
		bits++
	}
	if n&(1<<7) != 0 {
		bits++
	}
	if n&(1<<8) != 0 {
		bits++
	}
	if n&(1<<9) != 0 {
		bits++
	}
	if n&(1<<10) != 0 {
		bits++
	}
	if n&(1<<11) != 0 {
		bits++
	}
	return bits
}
