//go:build linux && (amd64 || arm64 || riscv64)

package rt

// StartIn begins a new run with its file in dir, or with none, and returns a
// function that ends it.
func StartIn(dir string) (stop func()) {
	start(dir)
	return func() {
		closeFile(run.fd)
		run.head, run.end, run.full, run.told = nil, 0, 0, 0
		tests.packages, tests.head, tests.chunk = nil, nil, nil
		tests.chunks, tests.length, tests.end, tests.failed = 0, 0, 0, false
		enrolled = nil
		blocks.lo, blocks.hi, blocks.list, blocks.arrays, blocks.failed = 0, 0, nil, nil, 0
	}
}

// PerTest has SwitchTest record what tests count, in packages that are registered from then on.
func PerTest() { enrolled = enroll }

// SwitchTest says that another test runs.
func SwitchTest(name string) { switchTest(name) }

// SpanBlocks has blocks for what lies from lo to hi.
func SpanBlocks(lo, hi uintptr) { blocks.lo, blocks.hi = U(lo)&^(page-1), roundUp(U(hi), page) }

// NewBlock returns the distance of a new block from that, 0 if there is none.
func NewBlock() uintptr { return newBlock() }
