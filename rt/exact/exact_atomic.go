//go:build !goprofinstr_shards || !linux || !(amd64 || arm64 || riscv64) || goprofinstr_basic

package exact

import "github.com/goprofinstr/goprofinstr/rt/sys"

// The twin of exact_shards.go where there are no shards.

// UseShards does nothing.
func UseShards() U { return 0 }

// Exact is Inc.
//
//go:norace
func Exact(p *U) { sys.Add64(p, 1) }

// CountExact is CountInc.
//
//go:norace
func CountExact(c *U) U {
	sys.Add64(c, 1)
	return 0
}
