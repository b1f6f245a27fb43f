//go:build go1.21

package steps

// A variable of a loop is that of all rounds in files for Go 1.21. Where it escapes it is allocated in front of the loop, with
// its own position, which is one of the body's (esbuild's toAST).

type part struct {
	n    int
	list []int
}

// Shared has such a variable.
//
//go:noinline
func Shared(parts []part, keep func(*part)) (n int) {
	for k, p := range parts {
		keep(&p)
		if len(p.list) > 0 || k == 0 {
			n++
		}
	}
	return n
}
