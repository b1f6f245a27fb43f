package profile

import (
	"math"
	"math/big"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/goprofinstr/goprofinstr/export/internal/profiletest"
	"github.com/goprofinstr/goprofinstr/ssacfg/pathnum"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

func TestCoverage(t *testing.T) {
	r := profiletest.NewRun(1, 0, nil, profiletest.Lex(), loopTable())
	profiletest.CallWords(r, 2, " ")          // 1 branch into the loop, 1 at the blank, 1 out
	r.Call("example.com/m/lex.Must", 3, 1, 3) // 1 branch
	r.Call("example.com/m/lex.Version", 1, 0) // none
	r.Call("example.com/m.F", 1, 0, 1)        // abandoned before its first path ends
	p := load(t, r)

	bigInt := cmp.Comparer(func(a, b *big.Int) bool { return a.Cmp(b) == 0 })
	// Words: blocks 0 1 2 4 7 8, edges 1 2 3; paths entry→blank→loop, loop→return.
	want := Coverage{
		Functions: 4, FunctionsExecuted: 3, Declined: 1,
		Paths: big.NewInt(10 + 2 + 1 + 1), PathsExecuted: 4,
		Blocks: 9 + 3 + 1 + 1, BlocksExecuted: 6 + 2 + 1,
		Branches: 10, BranchesExecuted: 3 + 1,
		Conditions: 10, ConditionsExecuted: 3 + 1, // all branches are those of two-way conditions here
		Statements: 3, StatementsExecuted: 2,
		Flow: 2*2 + 2*1 + 3*1,
	}
	lex := p.Packages[1]
	if diff := cmp.Diff(want, lex.Coverage(), bigInt); diff != "" {
		t.Errorf("package (-want +got):\n%s", diff)
	}

	want.Functions++
	want.FunctionsExecuted++
	want.Paths.Add(want.Paths, big.NewInt(4))
	want.Blocks += 4
	want.BlocksExecuted++
	want.Branches += 2
	want.Conditions += 2
	want.Abandoned++
	if diff := cmp.Diff(want, p.Coverage(), bigInt); diff != "" {
		t.Errorf("profile (-want +got):\n%s", diff)
	}
}

// TestCoverageManyPaths adds up possible paths beyond 64 bits.
func TestCoverageManyPaths(t *testing.T) {
	f := &Function{Table: &table.Function{Values: pathnum.Values{NumPaths: math.MaxUint64}}}
	p := &Profile{Packages: []*Package{{Functions: []*Function{f, f}}}}
	if got, want := p.Coverage().Paths.String(), "36893488147419103230"; got != want {
		t.Errorf("%s paths, want %s", got, want)
	}
}
