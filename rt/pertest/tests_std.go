//go:build goprofinstr_std && goprofinstr_tests && linux && (amd64 || arm64 || riscv64)

package pertest

import (
	"runtime"

	"github.com/goprofinstr/goprofinstr/rt/runfile"
)

func init() {
	runfile.Enrolled = enroll
	runtime.GoprofinstrTested = switchTest
}
