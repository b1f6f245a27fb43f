//go:build !linux

package replicate

// grows tells that a table can be made at a tick. It would be memory of the heap here, and the runtime's monitor can have none.
const grows = false
