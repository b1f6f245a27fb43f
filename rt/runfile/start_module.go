//go:build !goprofinstr_std && ((linux && (amd64 || arm64 || riscv64)) || darwin || (windows && !386))

package runfile

import "github.com/goprofinstr/goprofinstr/rt/sys"

// StartIn begins a new run with its file in dir, or with none, and returns a function that ends it. It is for tests, where
// nothing starts a run.
func StartIn(dir string) (stop func()) {
	start(environment{dir: dir})
	return func() {
		sys.CloseFile(run.fd)
		run.header, run.end, run.full, run.told = nil, 0, 0, 0
		Registered, Enrolled, ShardsReserve = nil, nil, nil
	}
}
