//go:build !goprofinstr_std || !goprofinstr_sampler

package sys

// Without help of package runtime threads have no numbers.

func Thread() U     { return 0 }
func Slot() uint8   { return 0 }
func LastThread() U { return 0 }
