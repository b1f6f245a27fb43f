package callers

import (
	"bytes"
	"fmt"
	"go/format"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"text/template"

	"github.com/goprofinstr/goprofinstr/integration/eval/lab"
)

// A program says how calls go in one of the generated programs.
type program struct {
	rounds int   // of the loop in the one that is called
	turns  int   // how often the callers take turns
	shares []int // of all calls, in percent, by caller
	branch bool  // there is a branch in the loop
}

// programs are the ten: one caller, with short and long loops; and several ones, that take turns or do not.
var programs = []program{
	{rounds: 100, turns: 1, shares: []int{100}},
	{rounds: 100, turns: 1, shares: []int{100}, branch: true},
	{rounds: 10, turns: 1, shares: []int{100}},
	{rounds: 1000, turns: 1, shares: []int{100}},
	{rounds: 100, turns: 100, shares: []int{50, 50}},
	{rounds: 100, turns: 1, shares: []int{75, 25}},
	{rounds: 100, turns: 100, shares: []int{90, 10}, branch: true},
	{rounds: 100, turns: 100, shares: []int{60, 30, 10}},
	{rounds: 10, turns: 1, shares: []int{80, 20}},
	{rounds: 1000, turns: 100, shares: []int{50, 30, 15, 5}, branch: true},
}

// roundsPerSecond is about how many rounds of the loop a machine of today does in a second. 10.8 million calls of 100
// rounds took 2 s.
const roundsPerSecond = 540e6

// name is that of a row.
func (p *program) name() string {
	var shares []string
	for _, s := range p.shares {
		shares = append(shares, strconv.Itoa(s))
	}
	name := fmt.Sprintf("%d rounds, %s%%", p.rounds, strings.Join(shares, "/"))
	if p.branch {
		name += ", branch"
	}
	if p.turns > 1 {
		name += fmt.Sprintf(", %d turns", p.turns)
	}
	return name
}

// perTurn returns how many calls each caller does in each turn, in runs of some seconds.
func (p *program) perTurn(seconds float64) []int {
	calls := seconds * roundsPerSecond / float64(p.rounds*p.turns)
	var all []int
	for _, s := range p.shares {
		all = append(all, max(1, int(calls*float64(s)/100)))
	}
	return all
}

// Functions must not be inlined: a call that is none has no caller in the sense of the experiment.
var source = template.Must(template.New("main.go").Parse(`
package main

import (
	"os"
	"strconv"
)

//go:noinline
func work(x uint32) uint32 {
	for range {{.Rounds}} {
		x ^= x << 13
		x ^= x >> 17
		x ^= x << 5
{{- if .Branch}}
		if x&7 == 0 {
			x += 3
		}
{{- end}}
	}
	return x
}
{{range .Callers}}
//go:noinline
func caller{{.}}(calls int) (sum uint32) {
	for i := range calls {
		sum += work(uint32(i))
	}
	return sum
}
{{end}}
// calls returns an argument: how often a caller is to call in each turn.
func calls(i int) int {
	n, err := strconv.Atoi(os.Args[1+i])
	if err != nil {
		panic(err)
	}
	return n
}

func main() {
	sum := uint32(0)
	for range {{.Turns}} {
{{- range .Callers}}
		sum += caller{{.}}(calls({{.}}))
{{- end}}
	}
	println(sum)
}
`))

// write writes the program's source to its folder.
func (p *program) write(to *lab.Program) error {
	var callers []int
	for i := range p.shares {
		callers = append(callers, i)
	}
	var text bytes.Buffer
	err := source.Execute(&text, struct {
		Rounds, Turns int
		Branch        bool
		Callers       []int
	}{p.rounds, p.turns, p.branch, callers})
	if err != nil {
		return err
	}
	formatted, err := format.Source(text.Bytes())
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(to.Dir, "main.go"), formatted, 0o666)
}
