//go:build linux && (amd64 || arm64 || riscv64)

package rt

// StartIn begins a new run with its file in dir, or with none, and returns a
// function that ends it.
func StartIn(dir string) (stop func()) {
	start(dir)
	return func() {
		closeFile(run.fd)
		run.head, run.end, run.full, run.told = nil, 0, 0, 0
	}
}
