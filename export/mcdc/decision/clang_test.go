package decision

import (
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

var clang = flag.String("clang", "",
	"hold decisions against a clang, 19 or later, such as clang-19; llvm-profdata-19 and llvm-cov-19 are to be there, too")

// TestClang writes decisions as C and runs them with some of their vectors. What clang's own coverage says of
// their conditions (-fcoverage-mcdc) must be what is found here by unique cause. LLVM takes what was not evaluated
// for equal to both values, too.
func TestClang(t *testing.T) {
	if *clang == "" {
		t.Skip("needs -clang")
	}
	rnd := rand.New(rand.NewPCG(5, 6))
	var list []*Expr
	for n := 2; n <= 4; n++ {
		list = append(list, trees(n, 0, true)...)
	}
	for i := range 1000 {
		list = append(list, randomTree(rnd, 5+i%2, 0))
	}
	var program, calls strings.Builder
	var seen [][]Observation
	for i, e := range list {
		n := e.Conditions()
		fmt.Fprintf(&program, "int d%d(%s) { if (%s) return 1; return 0; }\n", i, parameters(n), text(inward(e, false)))
		var observed []Observation
		for x := range 1 << n {
			if rnd.IntN(1<<n) > 4 {
				continue
			}
			v, _ := e.Evaluate(n, func(c int) Value { return valueOf(x>>c&1 == 1) })
			observed = append(observed, Observation{[]Vector{v}})
			var arguments []string
			for c := range n {
				arguments = append(arguments, fmt.Sprint(x>>c&1))
			}
			fmt.Fprintf(&calls, "\td%d(%s);\n", i, strings.Join(arguments, ", "))
		}
		seen = append(seen, observed)
	}
	covered := runClang(t, program.String()+"int main(void) {\n"+calls.String()+"\treturn 0;\n}\n")
	shown, all := 0, 0
	for i, e := range list {
		r := Assess(&Problem{Expr: e}, seen[i])
		record := covered[i+1] // by line
		if len(record) != len(r.Effects) {
			t.Fatalf("%s: clang has %d conditions", text(e), len(record))
		}
		for c, effect := range r.Effects {
			all++
			if effect.By == UniqueCause {
				shown++
			}
			if got := effect.By == UniqueCause; got != record[c] {
				t.Errorf("%s with %v: condition %d is shown: %v, clang has %v", text(e), seen[i], c, got, record[c])
			}
		}
	}
	t.Logf("%d decisions, %d conditions, %d shown by unique cause", len(list), all, shown)
}

// inward returns a decision, or its negation, without negations but of conditions: clang takes no others. It is
// evaluated in the same order with the same vectors (De Morgan).
func inward(e *Expr, negated bool) *Expr {
	switch {
	case e.Op == Not:
		return inward(e.X, !negated)
	case e.Op == Condition && negated:
		return &Expr{Op: Not, X: e}
	case e.Op == Condition:
		return e
	}
	op := e.Op
	if negated {
		op = And + Or - e.Op
	}
	return &Expr{Op: op, X: inward(e.X, negated), Y: inward(e.Y, negated)}
}

func parameters(n int) string {
	var list []string
	for c := range n {
		list = append(list, fmt.Sprintf("int %c", 'a'+c))
	}
	return strings.Join(list, ", ")
}

// runClang returns which conditions of the decision on each line are covered, in a program that has run.
func runClang(t *testing.T, program string) map[int][]bool {
	dir := t.TempDir()
	file := func(name string) string { return filepath.Join(dir, name) }
	if err := os.WriteFile(file("d.c"), []byte(program), 0o666); err != nil {
		t.Fatal(err)
	}
	tool := func(name string, args ...string) []byte {
		cmd := exec.Command(name, args...)
		cmd.Env = append(os.Environ(), "LLVM_PROFILE_FILE="+file("d.profraw"))
		cmd.Stderr = os.Stderr
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%s %v: %v", name, args, err)
		}
		return out
	}
	version := strings.TrimPrefix(filepath.Base(*clang), "clang")
	coverage := []string{"-fprofile-instr-generate", "-fcoverage-mapping", "-fcoverage-mcdc"}
	tool(*clang, append(coverage, "-O0", "-w", "-o", file("d"), file("d.c"))...)
	tool(file("d"))
	tool("llvm-profdata"+version, "merge", "-o", file("d.profdata"), file("d.profraw"))
	var report struct {
		Data []struct {
			Files []struct {
				Records [][]json.RawMessage `json:"mcdc_records"`
			}
		}
	}
	if err := json.Unmarshal(tool("llvm-cov"+version, "export", "-instr-profile="+file("d.profdata"), file("d")), &report); err != nil {
		t.Fatal(err)
	}
	covered := make(map[int][]bool)
	for _, record := range report.Data[0].Files[0].Records {
		var line int
		var conditions []bool
		if err := json.Unmarshal(record[0], &line); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(record[len(record)-1], &conditions); err != nil {
			t.Fatal(err)
		}
		covered[line] = conditions
	}
	return covered
}
