package integration

import (
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/internal/longtest"
)

const (
	pairRounds = 600_000
	pairGroups = 8
)

// writePairsProgram writes a program with a loop of conditions, and of 2^conditions paths. It writes down which of these
// each round takes, as four bytes whose bits are outcomes of the conditions. Some rounds repeat one path, so that there are
// frequent pairs, too.
func writePairsProgram(t *testing.T, dir string, conditions int) {
	var b strings.Builder
	b.WriteString("package main\n\nimport \"os\"\n\n" +
		"func walk(n int, x uint64, out []byte) []byte {\n\tfor range n {\n" +
		"\t\tx ^= x << 13; x ^= x >> 7; x ^= x << 17; y, s := x>>20, 0\n\t\tif x&3 == 0 {\n\t\t\ty = 5\n\t\t}\n")
	for bit := range conditions {
		fmt.Fprintf(&b, "\t\tif y&%d != 0 {\n\t\t\ts |= %d // bit %d\n\t\t}\n", 1<<bit, 1<<bit, bit)
	}
	fmt.Fprintf(&b, "\t\tout = append(out, byte(s), byte(s>>8), byte(s>>16), byte(s>>24))\n\t}\n\treturn out\n}\n\n"+
		"func main() {\n\tif err := os.WriteFile(os.Args[1], walk(%d, uint64(len(os.Args[1]))*0x9e3779b97f4a7c15, nil), 0o666); err != nil {\n"+
		"\t\tpanic(err)\n\t}\n}\n", pairRounds)
	for name, text := range map[string]string{"main.go": b.String(), "go.mod": "module example.com/pairs\n\ngo 1.26\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// TestPairsSampled holds the pairs of paths of a function that has too many of them against what the program writes down of each
// round. What is certain is true in each run, and the estimates of some runs add up to the truth within five standard errors.
func TestPairsSampled(t *testing.T) {
	longtest.Skip(t)
	t.Run("numbers", func(t *testing.T) {
		dir := samplePairs(t, 11, 5)
		stdout, _ := run(t, dir, goprofinstr, "report", "-format", "prime", "data0")
		if !strings.Contains(stdout, "of pairs of paths were sampled") || !strings.Contains(stdout, "    about ") {
			t.Errorf("the report does not say that pairs were sampled:\n%s", stdout)
		}
	})
	t.Run("folded", func(t *testing.T) { samplePairs(t, 31, 2) }) // of so many paths, pairs have no numbers
}

// samplePairs holds some runs of a program against their traces, and returns its folder.
func samplePairs(t *testing.T, conditions, runs int) (dir string) {
	dir = t.TempDir()
	writePairsProgram(t, dir, conditions)
	run(t, dir, goprofinstr, "wrap", "-mode", "exact", "-iterations", "2", "go", "build", "-o", "prog", ".")
	var got, want [pairGroups]float64
	for i := range runs {
		trace := filepath.Join(dir, "trace"+strings.Repeat("x", i)) // its length is the seed
		data := fmt.Sprintf("data%d", i)
		run(t, dir, "env", "GOPROFINSTR_DIR="+data, "./prog", trace)
		holdSampledPairs(t, filepath.Join(dir, data), trace, &got, &want)
	}
	for i := range got {
		// Of events that are sampled with a weight of 256, the variance is less than 256 for each.
		if err := math.Sqrt(256 * want[i]); math.Abs(got[i]-want[i]) > 5*err {
			t.Errorf("group %d: %.0f executions estimated, want %.0f ± %.0f", i, got[i], want[i], err)
		}
		t.Logf("group %d: %.0f executions estimated, want %.0f", i, got[i], want[i])
	}
	return dir
}

// holdSampledPairs compares the profile of a run with its trace, and adds estimates and true numbers of executions to those
// of groups of pairs.
func holdSampledPairs(t *testing.T, data, trace string, got, want *[pairGroups]float64) {
	t.Helper()
	truth := tracedPairs(t, trace)
	p, err := profile.Load(data)
	if err != nil {
		t.Fatal(err)
	}
	f := findFunction(t, p, ".walk")
	outcomes := make(map[uint64]int)
	for i := range f.Paths {
		outcomes[f.Paths[i].ID] = outcomesOf(f, &f.Paths[i])
	}
	var certain, sampled int64
	least := make(map[[2]int]int64)
	for _, pair := range f.Pairs {
		at := [2]int{outcomes[pair.Before], outcomes[pair.Path]}
		certain += pair.Least
		if pair.Least < pair.Count {
			sampled++
		}
		if at[1] >= 0 { // the loop goes on
			least[at] += pair.Least
			got[(at[0]+at[1])%pairGroups] += float64(pair.Count)
		}
	}
	for at, n := range least {
		if true := truth[at]; n > true || true > n+f.LostPairs {
			t.Errorf("path %b after %b: %d executions for certain and %d of others, want %d", at[1], at[0], n, f.LostPairs, true)
		}
	}
	for at, n := range truth {
		want[(at[0]+at[1])%pairGroups] += float64(n)
	}
	if certain+f.LostPairs != pairRounds {
		t.Errorf("%d executions of pairs for certain and %d of others, want %d", certain, f.LostPairs, pairRounds)
	}
	if sampled < 1000 || f.LostPairs < pairRounds/4 {
		t.Errorf("only %d pairs have estimates, and %d executions are not certain", sampled, f.LostPairs)
	}
}

// tracedPairs counts the pairs of a trace.
func tracedPairs(t *testing.T, trace string) map[[2]int]int64 {
	t.Helper()
	b, err := os.ReadFile(trace)
	if err != nil || len(b) != 4*pairRounds {
		t.Fatalf("%d bytes of trace: %v", len(b), err)
	}
	truth := make(map[[2]int]int64)
	for ; len(b) > 4; b = b[4:] {
		truth[[2]int{int(binary.LittleEndian.Uint32(b)), int(binary.LittleEndian.Uint32(b[4:]))}]++
	}
	return truth
}

// outcomesOf returns the outcomes of the conditions on a path, or -1 if it passes none.
func outcomesOf(f *profile.Function, p *profile.Path) int {
	const firstLine, lines = 11, 3 // of the conditions, and of each
	outcomes, passed := 0, false
	for _, id := range p.Edges {
		e := f.Table.Edges[id]
		bit := (e.Line - firstLine) / lines
		if e.Line < firstLine || !strings.HasPrefix(string(e.Kind), "if.") {
			continue
		}
		passed = true
		if e.Kind == "if.then" {
			outcomes |= 1 << bit
		}
	}
	if !passed {
		return -1
	}
	return outcomes
}

// findFunction returns the function of a profile that has a name.
func findFunction(t *testing.T, p *profile.Profile, name string) *profile.Function {
	t.Helper()
	for _, f := range p.Functions() {
		if strings.HasSuffix(f.Table.Name, name) {
			return f
		}
	}
	t.Fatalf("no function %s", name)
	return nil
}
