package integration

import (
	"encoding/json"
	"fmt"
	"go/format"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestMCDC holds the vectors of random decisions in all kinds of statements against what the program itself writes down
// of each condition. Some conditions panic, and so do statements behind some decisions.
func TestMCDC(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program")
	}
	for seed := range uint64(2) {
		g := &decisionGenerator{Rand: rand.New(rand.NewPCG(seed, 1))}
		dir := t.TempDir()
		g.write(t, dir)
		truth := tallyDecisions(g, runDecisions(t, dir))
		stdout, _ := run(t, dir, goprofinstr, "report", "-format", "json", "out")
		holdDecisions(t, g, truth, stdout)
	}
}

// runDecisions runs the program and returns what it says.
func runDecisions(t *testing.T, dir string) string {
	stdout, _ := run(t, dir, goprofinstr, "wrap", "-mode", "exact", "-o", "out", "go", "run", ".")
	return stdout
}

// A decisionGenerator makes a program of decisions.
type decisionGenerator struct {
	*rand.Rand
	decisions []*generatedDecision
}

// A generatedDecision is one, with its number as an index.
type generatedDecision struct {
	expr       any // string of a condition's number, or []any{op, x, y}, or []any{"!", x}
	conditions int
	line       int
	hidden     bool // nothing branches on the last condition
}

// expression returns a decision of n conditions, as Go writes it and as a tree.
func (g *decisionGenerator) expression(id, n int, next *int) (text string, tree any) {
	switch {
	case n == 1:
		text, tree = fmt.Sprintf("c(%d, %d, x)", id, *next), *next
		*next++
	default:
		left := 1 + g.IntN(n-1)
		x, tx := g.expression(id, left, next)
		y, ty := g.expression(id, n-left, next)
		op := []string{"&&", "||"}[g.IntN(2)]
		text, tree = fmt.Sprintf("(%s %s %s)", x, op, y), []any{op, tx, ty}
	}
	if g.IntN(4) == 0 {
		text, tree = "!"+text, []any{"!", tree}
	}
	return text, tree
}

// decision returns a new decision as Go writes it.
func (g *decisionGenerator) decision(hidden bool) string {
	d := &generatedDecision{hidden: hidden}
	id := len(g.decisions)
	g.decisions = append(g.decisions, d)
	text, tree := g.expression(id, 2+g.IntN(4), &d.conditions)
	d.expr = tree
	return fmt.Sprintf("/*D%d*/ %s", id, text)
}

// statement returns a statement with a decision or two.
func (g *decisionGenerator) statement() string {
	switch g.IntN(9) {
	case 0:
		return "if " + g.decision(false) + " {\n\tn++\n}\n"
	case 1:
		return "if " + g.decision(false) + " {\n\tn++\n} else if " + g.decision(false) + " {\n\tn += 2\n} else {\n\tn--\n}\n"
	case 2:
		return "for i := 0; " + g.decision(false) + " && i < 4; i++ {\n\tx += 7\n}\n"
	case 3:
		first := "switch {\ncase " + g.decision(false) + ":\n\tn++\ncase n > 5:\n\tn--\n"
		return first + "case n < 0, " + g.decision(false) + ":\n\tn += 3\n}\n"
	case 4:
		return "b = " + g.decision(true) + "\n"
	case 5:
		return "n += one(" + g.decision(true) + ")\n"
	case 6:
		return "if func() bool { return " + g.decision(false) + " }() {\n\tn++\n}\n"
	case 7:
		return "for range 2 {\n\tx += 5\n\tif " + g.decision(false) + " {\n\t\tcontinue\n\t}\n\tn++\n}\n"
	}
	return "if one(" + g.decision(true) + ") == 1 {\n\tn++\n}\n"
}

const decisionsMain = `package main

import "fmt"

// c is a condition: of a decision, its number in it, and what it is. It may panic.
func c(d, i, x int) bool {
	h := uint32(d*31+i*17+x*101) * 2654435761 >> 7
	if h%97 == 0 {
		panic("c")
	}
	is := h>>3&1 == 1
	fmt.Println(d, i, is)
	return is
}

func one(b bool) int {
	if b {
		return 1
	}
	return 0
}

func may(x int) {
	if x%13 == 5 {
		panic("may")
	}
}

func try(f func(x int) bool, x int) {
	defer func() { recover() }()
	f(x)
}

func main() {
	for x := range 60 {
		for _, f := range []func(int) bool{FUNCTIONS} {
			try(f, x)
		}
	}
}

`

// write writes the program.
func (g *decisionGenerator) write(t *testing.T, dir string) {
	var b, names strings.Builder
	for i := range 25 {
		fmt.Fprintf(&names, "f%d, ", i)
		fmt.Fprintf(&b, "func f%d(x int) (b bool) {\n\tn := 0\n\t_ = n\n", i)
		for range g.IntN(2) * i { // so that there are more paths than 64 bits can number
			b.WriteString("if " + g.decision(false) + " {\n\tn++\n}\n")
		}
		for range 1 + g.IntN(3) {
			b.WriteString(g.statement())
			if g.IntN(2) == 0 {
				b.WriteString("may(x + n)\n")
			}
		}
		fmt.Fprintf(&b, "\treturn %s\n}\n\n", g.decision(false))
	}
	source, err := format.Source([]byte(strings.Replace(decisionsMain, "FUNCTIONS", names.String(), 1) + b.String()))
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"main.go": string(source), "go.mod": "module example.com/decisions\n\ngo 1.26\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for i, line := range strings.Split(string(source), "\n") {
		for id := range g.decisions {
			if strings.Contains(line, fmt.Sprintf("/*D%d*/", id)) {
				g.decisions[id].line = i + 1
			}
		}
	}
}

// A decisionTruth is what a program says of one decision.
type decisionTruth struct {
	vectors map[string]int64
	cut     int64
}

// tallyDecisions reads what a program says of conditions. An evaluation begins with condition 0.
func tallyDecisions(g *decisionGenerator, output string) []decisionTruth {
	truth, now := make([]decisionTruth, len(g.decisions)), make([][]byte, len(g.decisions))
	end := func(d int) {
		if now[d] == nil {
			return
		}
		of := g.decisions[d]
		if _, whole := evaluateDecision(of.expr, now[d]); !whole {
			truth[d].cut++
		} else {
			if last := len(now[d]) - 1; of.hidden && now[d][last] != '-' {
				now[d][last] = '?'
			}
			truth[d].vectors[string(now[d])]++
		}
		now[d] = nil
	}
	for d := range truth {
		truth[d].vectors = make(map[string]int64)
	}
	for line := range strings.Lines(output) {
		fields := strings.Fields(line)
		d, _ := strconv.Atoi(fields[0])
		i, _ := strconv.Atoi(fields[1])
		if i == 0 {
			end(d)
			now[d] = slices.Repeat([]byte{'-'}, g.decisions[d].conditions)
		}
		now[d][i] = fields[2][0]
	}
	for d := range now {
		end(d)
	}
	return truth
}

// evaluateDecision returns the outcome of a decision, and whether it has one.
func evaluateDecision(e any, values []byte) (is, whole bool) {
	if i, ok := e.(int); ok {
		return values[i] == 't', values[i] != '-'
	}
	node := e.([]any)
	is, whole = evaluateDecision(node[1], values)
	switch {
	case node[0] == "!":
		return !is, whole
	case !whole || is != (node[0] == "&&"):
		return is, whole
	}
	return evaluateDecision(node[2], values)
}

// holdDecisions compares a report with what a program says.
func holdDecisions(t *testing.T, g *decisionGenerator, truth []decisionTruth, report string) {
	var r struct {
		MCDC struct {
			List []struct {
				Line     int
				Text     string
				Cut      int64 `json:"cut_short"`
				Why      string
				Doubtful bool
				Joined   int64 `json:"not_told_apart"`
				Vectors  []struct {
					Values string
					Count  int64
				}
			}
		}
	}
	if err := json.Unmarshal([]byte(report), &r); err != nil {
		t.Fatal(err)
	}
	whole, cut, joined := 0, int64(0), int64(0)
	for _, d := range r.MCDC.List {
		var id int
		if _, err := fmt.Sscanf(strings.TrimLeft(d.Text, "!("), "c(%d,", &id); err != nil {
			t.Fatalf("%q: %v", d.Text, err)
		}
		want := truth[id]
		if d.Why != "" {
			t.Errorf("line %d: %s: not known: %q", d.Line, d.Text, d.Why)
		}
		got := make(map[string]int64)
		for _, v := range d.Vectors {
			values := v.Values
			if of := g.decisions[id]; of.conditions < len(values) { // a loop's own condition behind it
				values = values[:of.conditions]
			}
			got[values] += v.Count
		}
		for values, n := range want.vectors { // in functions that counters of edges tell, what was abandoned is not known
			if (d.Doubtful || d.Joined > 0) && got[values] <= n {
				got[values] = n
			}
		}
		if fmt.Sprint(got) != fmt.Sprint(want.vectors) {
			t.Errorf("line %d: %s: vectors\n%v, the program says\n%v", d.Line, d.Text, got, want.vectors)
		}
		whole++
		cut += d.Cut
		joined += d.Joined
	}
	t.Logf("%d decisions, %d evaluations cut short, %d in paths that do not tell", whole, cut, joined)
	if whole < len(g.decisions) || cut == 0 {
		t.Errorf("%d decisions of %d, %d evaluations cut short", whole, len(g.decisions), cut)
	}
}
