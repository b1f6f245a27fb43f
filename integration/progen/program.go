package progen

import (
	_ "embed"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
)

// Module is the import path of generated modules.
const Module = "progen.test/m"

//go:embed tr/tr.go
var tracer string

// TraceVar is the environment variable that names the file a program writes its trace to; see package tr.
const TraceVar = "PROGEN_TRACE"

// Program is the source of a generated module.
type Program struct {
	Seed  uint64
	Files map[string]string // by name relative to the module root
}

// Config says how large a program is.
type Config struct {
	Packages  int  // besides main
	Functions int  // of each package, not counting literals, methods and iterators
	Fatal     bool // end in some other way than by returning from main
}

// New generates a program.
func New(seed uint64, c Config) *Program {
	p := &Program{Seed: seed, Files: map[string]string{
		"go.mod":   "module " + Module + "\n\ngo 1.26.0\n",
		"tr/tr.go": tracer,
	}}
	ids := 0
	var main strings.Builder
	main.WriteString("package main\n\nimport (\n")
	for i := range c.Packages {
		fmt.Fprintf(&main, "\t%q\n", fmt.Sprintf("%s/p%d", Module, i))
	}
	main.WriteString(")\n\nfunc main() {\n")
	for i := range c.Packages {
		name := fmt.Sprintf("p%d", i)
		g := &gen{Rand: rand.New(rand.NewPCG(seed, uint64(i))), pkg: name, id: ids, leaks: !c.Fatal}
		p.Files[fmt.Sprintf("%s/%s.go", name, name)] = g.file(c.Functions, c.Fatal && i == c.Packages-1)
		ids = g.id
		fmt.Fprintf(&main, "\t%s.Run()\n", name)
	}
	if c.Fatal {
		fmt.Fprintf(&main, "\tp%d.Fatal()\n", c.Packages-1)
	}
	main.WriteString("}\n")
	p.Files["main.go"] = main.String()
	return p
}

// Site is a call of Enter, T or B.
type Site struct {
	Func string // "Enter", "T" or "B"
	File string // as in Program.Files
	Line int
	Col  int // in bytes, from 1
	End  int // column where the note behind a B ends, which is before the operator if it is compared

	// Loop tells of a B that it starts the condition of a for statement.
	Loop bool

	// Whole tells of a B that it is a whole operand, so that the block that ends with it branches by its outcome.
	// Negated tells that there is an odd number of ! before it.
	Whole, Negated bool
}

var site = regexp.MustCompile(`\btr\.(Enter|T|B)\((?:\w+, )?(\d+)`)

// The generator's notes on calls of B: +N is a whole operand, -N one below an odd number of negations,
// =N one that is compared.
var note = regexp.MustCompile(`/\*([+=-])(\d+)\*/`)

// Sites finds the calls of Enter, T and B by their ids.
func (p *Program) Sites() map[int]*Site {
	sites := make(map[int]*Site)
	for name, src := range p.Files {
		if name == "tr/tr.go" {
			continue
		}
		for i, line := range strings.Split(src, "\n") {
			for _, m := range site.FindAllStringSubmatchIndex(line, -1) {
				id, _ := strconv.Atoi(line[m[4]:m[5]])
				sites[id] = &Site{Func: line[m[2]:m[3]], File: name, Line: i + 1, Col: m[0] + 1, Loop: strings.Contains(line[:m[0]], "for ")}
			}
			for _, m := range note.FindAllStringSubmatchIndex(line, -1) {
				id, _ := strconv.Atoi(line[m[4]:m[5]])
				if s := sites[id]; s != nil {
					sign := line[m[2]:m[3]]
					s.End, s.Whole, s.Negated = m[1]+1, sign != "=", sign == "-"
				}
			}
		}
	}
	return sites
}
