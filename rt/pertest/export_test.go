//go:build linux && (amd64 || arm64 || riscv64)

package pertest

import "github.com/goprofinstr/goprofinstr/rt/runfile"

// PerTest has SwitchTest record what tests count, in packages that are registered from then on. The result ends that.
func PerTest() (stop func()) {
	runfile.Enrolled = enroll
	return func() {
		tests.packages, tests.head, tests.chunk = nil, nil, nil
		tests.chunks, tests.name, tests.length, tests.end, tests.failed = 0, "", 0, 0, false
	}
}

// SwitchTest says that another test runs.
func SwitchTest(name string) { switchTest(name) }
