//go:build goprofinstr_std && goprofinstr_tests && linux && (amd64 || arm64 || riscv64)

package rt

import "runtime"

func init() {
	enrolled = enroll
	runtime.GoprofinstrTested = switchTest
}
