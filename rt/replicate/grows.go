//go:build linux

package replicate

// grows tells that a table can be made at a tick.
const grows = true
