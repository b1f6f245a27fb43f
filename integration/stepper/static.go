package main

import (
	"fmt"
	"io"

	"github.com/goprofinstr/goprofinstr/rewrite/pathmap"
)

// A static is what the map says of a package without any run.
type static struct {
	functions, mapped, whole int // functions of the source with machine code; with a map of all of it; whose edges are all told
	edges, told              int // of the functions with machine code
	targets, kills, doubts   int // of these, ways of the machine that are none of the source, and alternatives
	inMachine, left          int // machine functions, and those that are not decoded
}

// static sums up what the map says.
func (r *report) static() (s static) {
	for _, row := range r.rows {
		if len(row.targets) == 0 {
			continue
		}
		p := pathmap.Prove(row.f, row.targets)
		s.functions++
		if p.Failed() == "" {
			s.mapped++
		}
		if p.Whole() {
			s.whole++
		}
		for _, told := range p.Edges() {
			s.edges++
			if told {
				s.told++
			}
		}
		s.targets += len(row.targets)
		for _, t := range row.targets {
			s.kills, s.doubts = s.kills+len(t.Kills), s.doubts+len(t.Doubts)
		}
	}
	s.inMachine, s.left = len(r.program.image.Funcs), len(r.program.left)
	return s
}

// printStatic prints a row of a table.
func (r *report) printStatic(w io.Writer) {
	s := r.static()
	share := func(n, of int) float64 { return 100 * float64(n) / float64(max(1, of)) }
	fmt.Fprintf(w, "%s: %d functions, %d mapped (%.2f%%), %d whole (%.2f%%); %d edges, %d told (%.2f%%); ", r.pkg.path, s.functions,
		s.mapped, share(s.mapped, s.functions), s.whole, share(s.whole, s.functions), s.edges, s.told, share(s.told, s.edges))
	fmt.Fprintf(w, "%d targets, %d kills, %d doubts; %d machine functions, %d left out\n", s.targets, s.kills, s.doubts, s.inMachine,
		s.left)
}
