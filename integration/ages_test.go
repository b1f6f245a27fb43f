package integration

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/export/profiledir"
)

// An ageProgram is the program in testdata/contexts, which numbers its calls, built for sampling. Its
// package rt writes down what the program says of its calls at each tick. Nothing of that is in the
// programs of users.
type ageProgram struct {
	dir       string
	functions []string // by the number that calls of them have
}

func buildAgeProgram(t *testing.T, backend string) ageProgram {
	t.Helper()
	p := ageProgram{dir: copyProgram(t, "contexts"), functions: []string{"main"}}
	for _, name := range []string{"main.go", "programs.go"} {
		p.numberCalls(t, filepath.Join(p.dir, name))
		insertInFunctions(t, filepath.Join(p.dir, name), "//go:noinline\n", "") // a frame for each call
	}
	move(t, filepath.Join(p.dir, "ages_program.go.txt"), filepath.Join(p.dir, "ages_program.go"))
	_, told := run(t, p.dir, goprofinstr, "wrap", "-n", "-work", "-mode", "sampled", "-backend", backend, "-frames", "128,marks", "-cpu-budget", "100", "-period", "4ms",
		"go", "build", ".")
	work := regexp.MustCompile(`(?m)^WORK=(.*)$`).FindStringSubmatch(told)
	if work == nil {
		t.Fatalf("no folder in %s", told)
	}
	t.Cleanup(func() { os.RemoveAll(work[1]) })
	overlay := filepath.Join(work[1], "overlay.json")
	addToRT(t, overlay, filepath.Join(p.dir, "ages_rt.go.txt"))
	build := []string{"build", "-overlay=" + overlay, "-o", "program"}
	if backend != "portable" {
		build = append(build, "-toolexec="+goprofinstr+" toolexec")
	}
	run(t, p.dir, "go", append(build, ".")...)
	return p
}

func move(t *testing.T, from, to string) {
	t.Helper()
	if err := os.Rename(from, to); err != nil {
		t.Fatal(err)
	}
}

// numberCalls puts code before and behind each statement of a file that is a call, or assigns the result of
// one: see testdata/contexts/ages_program.go.txt.
func (p *ageProgram) numberCalls(t *testing.T, name string) {
	t.Helper()
	src, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, name, src, 0)
	if err != nil {
		t.Fatal(err)
	}
	type place struct {
		at   int
		text string
	}
	var places []place
	ast.Inspect(file, func(n ast.Node) bool {
		statement, _ := n.(ast.Stmt)
		call := calledIn(statement)
		if call == nil {
			return true
		}
		callee := string(src[set.Position(call.Fun.Pos()).Offset:set.Position(call.Fun.End()).Offset])
		i := slices.Index(p.functions, callee)
		if i < 0 {
			i = len(p.functions)
			p.functions = append(p.functions, callee)
		}
		before := fmt.Sprintf("ageDepth++; ageSerial++; ageCalls[ageDepth%%1024] = ageSerial<<8 | %d; ", i)
		places = append(places, place{set.Position(statement.Pos()).Offset, before}, place{set.Position(statement.End()).Offset, "; ageDepth--"})
		return false
	})
	slices.SortFunc(places, func(a, b place) int { return b.at - a.at })
	for _, i := range places {
		src = slices.Insert(src, i.at, []byte(i.text)...)
	}
	if err := os.WriteFile(name, src, 0o666); err != nil {
		t.Fatal(err)
	}
}

// calledIn returns the call that a statement is, or whose result it adds to a variable as it is or converted.
func calledIn(s ast.Stmt) *ast.CallExpr {
	switch s := s.(type) {
	case *ast.ExprStmt:
		call, _ := s.X.(*ast.CallExpr)
		return call
	case *ast.AssignStmt:
		call, _ := s.Rhs[0].(*ast.CallExpr)
		if call != nil && s.Tok == token.ADD_ASSIGN && len(call.Args) == 1 {
			if inner, ok := call.Args[0].(*ast.CallExpr); ok {
				call = inner
			}
			return call
		}
	}
	return nil
}

// addToRT adds a file to package contexts of the runtime in an overlay, and a call of its logAges where countNew has decided.
func addToRT(t *testing.T, overlay, file string) {
	t.Helper()
	var o struct{ Replace map[string]string }
	data, err := os.ReadFile(overlay)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &o); err != nil {
		t.Fatal(err)
	}
	for original, replacement := range o.Replace {
		if !strings.HasSuffix(filepath.ToSlash(original), "goprofinstr/rt/contexts/words.go") {
			continue
		}
		src, err := os.ReadFile(replacement)
		if err != nil {
			t.Fatal(err)
		}
		const decision = "w.old[:n])\n"
		if strings.Count(string(src), decision) != 1 {
			t.Fatalf("%s does not decide in one place", original)
		}
		src = []byte(strings.Replace(string(src), decision, decision+"logAges(at, n, time)\n", 1))
		if err := os.WriteFile(replacement, src, 0o666); err != nil {
			t.Fatal(err)
		}
		o.Replace[filepath.Join(filepath.Dir(original), "ages.go")] = file
		break
	}
	if data, err = json.Marshal(o); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(overlay, data, 0o666); err != nil {
		t.Fatal(err)
	}
}

// A tickOfAges is what was true and what was found at a tick.
type tickOfAges struct {
	time  uint64
	calls []agedCall // outermost first
}

type agedCall struct {
	serial, function uint64
	verdict          uint64 // foundNew, or 1 for old, or notLooked
	kind             uint64 // a pcct.ActivationKind
}

// Verdicts of logAges.
const (
	foundNew  = 0
	notLooked = 2
)

func readAges(t *testing.T, name string) []tickOfAges {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var words []uint64
	for ; len(data) >= 8; data = data[8:] {
		words = append(words, binary.LittleEndian.Uint64(data))
	}
	var ticks []tickOfAges
	for len(words) >= 2 {
		tick := tickOfAges{time: words[0]}
		n := words[1]
		words = words[2:]
		for ; n > 0; n-- {
			tick.calls = append(tick.calls, agedCall{words[0] >> 8, words[0] & 0xff, words[1], words[2]})
			words = words[3:]
		}
		ticks = append(ticks, tick)
	}
	return ticks
}

// ages are how often activations were rightly found to be new or old, main's left out.
type ages struct {
	right, all int
	isNew      int
	new        map[string]float64 // by context: CPU time of ticks that were the first in an activation
	wrong      map[string]int     // by function, kind and what was found
}

// judge compares what was found with the truth: an activation is new at the first tick that finds it.
func (p *ageProgram) judge(ticks []tickOfAges, program string) ages {
	a := ages{new: make(map[string]float64), wrong: make(map[string]int)}
	seen := make(map[uint64]bool)
	for _, tick := range ticks {
		context := ""
		for depth, c := range tick.calls {
			name := p.functions[c.function]
			if name == "program" { // as main calls it
				name = program
			}
			context = strings.TrimPrefix(context+";"+name, ";")
			if c.verdict == notLooked {
				continue
			}
			isNew := !seen[c.serial]
			seen[c.serial] = true
			if isNew && !strings.Contains(name, ".") {
				a.new[context] += float64(tick.time)
			}
			if depth == 0 {
				continue // main's
			}
			a.all++
			if isNew {
				a.isNew++
			}
			if isNew == (c.verdict == foundNew) {
				a.right++
			} else {
				a.wrong[fmt.Sprintf("%s of kind %d is new: %v", name, c.kind, isNew)]++
			}
		}
	}
	return a
}

func (a ages) String() string {
	s := fmt.Sprintf("%d of %d activations right (%.2f%%), %d are new", a.right, a.all, 100*float64(a.right)/float64(a.all), a.isNew)
	for _, what := range slices.Sorted(maps.Keys(a.wrong)) {
		s += fmt.Sprintf("\n%5d %s", a.wrong[what], what)
	}
	return s
}

// newTime returns the CPU time of samples that found an activation new, by context.
func newTime(p *profile.Profile) map[string]float64 {
	sums := make(map[string]float64)
	for _, c := range p.Contexts {
		var names []string
		for outer := c; outer != nil && len(outer.Frames) > 0; outer = outer.Parent {
			f := outer.Frames[len(outer.Frames)-1] // the others are inlined into it
			names = append(names, strings.TrimPrefix(f.Name, "main."))
		}
		slices.Reverse(names)
		if i := slices.Index(names, "main"); i >= 0 && !strings.Contains(names[len(names)-1], ".") {
			sums[strings.Join(names[i:], ";")] += float64(c.New)
		}
	}
	return sums
}

// worthOf returns how many ticks of the same time as good as these would be: a late one has the time of several.
func worthOf(ticks []tickOfAges) float64 {
	sum, squares := 0.0, 0.0
	for _, tick := range ticks {
		sum += float64(tick.time)
		squares += float64(tick.time) * float64(tick.time)
	}
	return sum * sum / squares
}

// TestAges holds what ticks find out about activations, new or old (PCCT 5.2), against real ones. It does the same
// with what the run file has of them for each edge of the tree.
func TestAges(t *testing.T) {
	t.Run("native", func(t *testing.T) {
		testAges(t, "auto", "deep", "mutual", "figure5", "figure6", "figure9", "figure10", "again", "caller", "fibonacci", "sequence", "slowly")
	})
	t.Run("portable", func(t *testing.T) { testAges(t, "portable", "mutual", "figure9", "sequence") })
}

func testAges(t *testing.T, backend string, programs ...string) {
	p := buildAgeProgram(t, backend)
	for _, program := range programs {
		t.Run(program, func(t *testing.T) {
			log, dir := filepath.Join(p.dir, "ages"), filepath.Join(p.dir, "of."+program)
			t.Setenv(profiledir.Var, dir)
			run(t, p.dir, "./program", "-cpu="+contextsCPU.String(), program)
			ticks := readAges(t, log)
			a := p.judge(ticks, program)
			t.Logf("%d ticks, %v", len(ticks), a)
			n := worthOf(ticks)
			if n < leastTicks {
				t.Skipf("only %.0f ticks: nothing can be said of them", n)
			}
			checkLeast(t, "activations right", float64(a.right)/float64(a.all), 0.99, n)
			if program != "figure10" { // whose contexts have no root
				got := newTime(load(t, dir))
				share := overlap(a.new, got) / max(total(a.new), total(got))
				checkLeast(t, fmt.Sprintf("time of new activations by %d edges", len(a.new)), share, 0.97, n)
				if t.Failed() {
					t.Logf("found\n%strue\n%s", contextShares(got).hottest(), contextShares(a.new).hottest())
				}
			}
			if err := os.Remove(log); err != nil {
				t.Error(err)
			}
		})
	}
}
