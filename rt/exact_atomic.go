//go:build !goprofinstr_blocks || !linux || !(amd64 || arm64 || riscv64)

package rt

// The twin of exact_blocks.go where there are no blocks.

// UseBlocks does nothing.
func UseBlocks() U { return 0 }

// Exact is Inc.
//
//go:norace
func Exact(p *U) { add64(p, 1) }

// CountExact is CountInc.
//
//go:norace
func CountExact(c *U) U {
	add64(c, 1)
	return 0
}
