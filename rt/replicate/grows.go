//go:build (linux && (amd64 || arm64 || riscv64)) || darwin || (windows && !386)

package replicate

// first is how many tables are made when the program starts: others are made at ticks.
const first = 0
