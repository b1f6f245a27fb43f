//go:build !(linux && (amd64 || arm64 || riscv64)) && !darwin && !(windows && !386)

package sys

// Pad is the number of words that a counter array has before and after its
// counters.
const Pad = 0
