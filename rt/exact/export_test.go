//go:build linux && (amd64 || arm64 || riscv64)

package exact

// SpanShards has shards for what lies from lo to hi.
func SpanShards(lo, hi uintptr) { spanShards(lo, hi) }

// NewShard returns the distance of a new shard from that, 0 if there is none.
func NewShard() uintptr { return newShard() }

// ForgetShards has no shards again.
func ForgetShards() {
	shards.lo, shards.hi, shards.list, shards.arrays, shards.latest, shards.failed = 0, 0, nil, nil, nil, 0
}
