package pathmap

import (
	"go/token"
	"testing"
)

func compare(x int64, op token.Token, y int64) bool {
	switch op {
	case token.LSS:
		return x < y
	case token.LEQ:
		return x <= y
	case token.GTR:
		return x > y
	case token.GEQ:
		return x >= y
	case token.EQL:
		return x == y
	}
	return x != y
}

// extended returns the number that the lower bits of a register are.
func extended(v int64, bits int, unsigned bool) int64 {
	if bits == 64 {
		return v
	}
	if v &= 1<<bits - 1; !unsigned && v >= 1<<(bits-1) {
		v -= 1 << bits
	}
	return v
}

// TestInterval compares numbers as the source does, and by the case of a look.
func TestInterval(t *testing.T) {
	const least = -1 << 63
	numbers := []int64{least, least + 1, -1 << 31, -300, -129, -128, -1, 0, 1, 2, 127, 128, 255, 256,
		1<<31 - 1, 1 << 31, 1<<32 - 1, 1<<63 - 1}
	for _, op := range []token.Token{token.LSS, token.LEQ, token.GTR, token.GEQ, token.EQL, token.NEQ} {
		for _, bits := range []int{8, 16, 32, 64} {
			for _, unsigned := range []bool{false, true} {
				for _, y := range numbers {
					c, is, some := interval(op, y, bits, unsigned)
					c.Edge = 1
					l := Look{}
					if some {
						l.Cases = []Case{c}
					}
					for _, x := range numbers {
						want := compare(extended(x, bits, unsigned), op, y)
						if got := (l.Edge(uint64(x)) == 1) == is; got != want {
							t.Fatalf("%d %v %d, %d bits, unsigned %t: %t", x, op, y, bits, unsigned, got)
						}
					}
				}
			}
		}
	}
}
