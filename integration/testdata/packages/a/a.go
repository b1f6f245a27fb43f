// Package a has a function with more paths than there are counters for.
package a

// Bits returns how many bits are set of the lowest 24.
func Bits(n int) (bits int) {
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
	if n&(1<<12) != 0 {
		bits++
	}
	if n&(1<<13) != 0 {
		bits++
	}
	if n&(1<<14) != 0 {
		bits++
	}
	if n&(1<<15) != 0 {
		bits++
	}
	if n&(1<<16) != 0 {
		bits++
	}
	if n&(1<<17) != 0 {
		bits++
	}
	if n&(1<<18) != 0 {
		bits++
	}
	if n&(1<<19) != 0 {
		bits++
	}
	if n&(1<<20) != 0 {
		bits++
	}
	if n&(1<<21) != 0 {
		bits++
	}
	if n&(1<<22) != 0 {
		bits++
	}
	if n&(1<<23) != 0 {
		bits++
	}
	return bits
}
