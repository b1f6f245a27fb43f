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
	Packages  int // besides main
	Functions int // of each package, not counting literals, methods and iterators
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
		g := &gen{Rand: rand.New(rand.NewPCG(seed, uint64(i))), pkg: name, id: ids}
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

	// For a B that is a whole operand: IfThen is the outcome that makes control take an edge
	// into a then block, 1 or 0; -1 if the call's outcome tells nothing.
	Direct, IfThen int
}

var site = regexp.MustCompile(`\btr\.(Enter|T|B)\((?:\w+, )?(\d+)`)

// The generator's notes on calls of B: +N is a whole operand, -N one below an odd number of negations.
var note = regexp.MustCompile(`/\*([+-])(\d+)\*/`)

// Sites finds the calls of Enter, T and B by their ids.
func (p *Program) Sites() map[int]*Site {
	sites := make(map[int]*Site)
	for name, src := range p.Files {
		if name == "tr/tr.go" {
			continue
		}
		for i, line := range strings.Split(src, "\n") {
			for _, m := range site.FindAllStringSubmatch(line, -1) {
				id, _ := strconv.Atoi(m[2])
				sites[id] = &Site{Func: m[1], File: name, Line: i + 1, Direct: -1}
			}
			for _, m := range note.FindAllStringSubmatch(line, -1) {
				id, _ := strconv.Atoi(m[2])
				if s := sites[id]; s != nil {
					s.Direct, s.IfThen = 1, 0
					if m[1] == "+" {
						s.IfThen = 1
					}
				}
			}
		}
	}
	return sites
}
