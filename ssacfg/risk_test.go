package ssacfg

import (
	"go/token"
	"slices"
	"testing"
)

func riskOf(positions ...token.Pos) (r Risk) {
	for _, p := range positions {
		r.add(Source{p, p + 1})
	}
	return r
}

// TestRisk holds risks against sorted lists of sources, each once.
func TestRisk(t *testing.T) {
	want := riskOf(1, 2, 3, 5)
	if got := riskOf(5, 2, 2, 1, 3, 5); !slices.Equal(got, want) {
		t.Errorf("added one by one: %v, want %v", got, want)
	}
	if got := riskOf(1, 3, 5).Join(riskOf(2, 3)); !slices.Equal(got, want) {
		t.Errorf("joined: %v, want %v", got, want)
	}
}

// TestRiskShared joins two risks with the same one, which has room for more behind its end.
func TestRiskShared(t *testing.T) {
	shared := slices.Grow(riskOf(4), 4)
	a, b := shared.Join(riskOf(6)), shared.Join(riskOf(2, 8))
	for _, r := range []struct{ got, want Risk }{{a, riskOf(4, 6)}, {b, riskOf(2, 4, 8)}, {shared, riskOf(4)}} {
		if !slices.Equal(r.got, r.want) {
			t.Errorf("%v, want %v", r.got, r.want)
		}
	}
}
