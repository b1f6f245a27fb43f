//go:build goprofinstr_blocks && linux && (amd64 || arm64 || riscv64)

package rt

import "runtime"

// isMessage counts an event of a stratum of the thread's.
//
//go:norace
func isMessage(i U, rate uint32) bool {
	s := (*uint32)(runtime.GoprofinstrOwn(stratum(i)))
	*s--
	if int32(*s) > 0 {
		return false
	}
	*s = rate
	return true
}
