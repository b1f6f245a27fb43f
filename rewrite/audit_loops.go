package rewrite

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"github.com/goprofinstr/goprofinstr/rt/audit"
	"github.com/goprofinstr/goprofinstr/ssacfg"
	"github.com/goprofinstr/goprofinstr/ssacfg/mark"
	"github.com/goprofinstr/goprofinstr/ssacfg/timing"
)

// An AuditedLoop is a loop of an audited function.
type AuditedLoop struct {
	Name    string // of the function, with the line of the timing point
	Line    int    // of the point, or of the loop if it has none
	Refused string // why it has none, or ""
}

// loops gives the versions of audited functions timing points, where package timing wants them. It comes last, for the
// analysis puts markers into the syntax trees.
func (d *dispatcher) loops(importer types.Importer, contests []*contest, audited []AuditedFunction, o AuditOptions) error {
	funcs, err := analyzeWith(importer, d.pkg, Options{Sizes: o.Sizes, Measured: o.Measured})
	if err != nil {
		return err
	}
	byNode := make(map[ast.Node]*ssacfg.Func)
	for _, fn := range funcs {
		byNode[fn.Node] = fn
	}
	thresholds := timing.Estimated
	if o.Measured != nil {
		thresholds = timing.Measured
	}
	for i, c := range contests {
		var versions []*ssacfg.Func
		for _, v := range c.versions {
			// What an activation knows of its laps would be in the heap, for the closures of a range over a function.
			if fn := byNode[v.decl]; fn != nil && fn.Declined == "" && !fn.RangesFunc {
				versions = append(versions, fn)
			}
		}
		if len(versions) == len(c.versions) {
			audited[i].Loops = d.points(c, audited[i], versions, thresholds)
		}
	}
	return nil
}

// points writes the timing points of one function's versions.
func (d *dispatcher) points(c *contest, f AuditedFunction, versions []*ssacfg.Func, o timing.Options) (loops []AuditedLoop) {
	var graphs []*timing.Graph
	var places [][]*mark.Place
	for _, fn := range versions {
		g, p := fn.Timing()
		graphs, places = append(graphs, g), append(places, p)
	}
	choice, blocks := timing.Versions(graphs, o)
	at := func(pos token.Pos) token.Position { return d.pkg.Fset.Position(pos) }
	for i := range choice.Points {
		pos := at(places[0][blocks[0][i]].From)
		l := AuditedLoop{Name: fmt.Sprintf("%s%s%d)", f.Name, audit.LoopMark, pos.Line), Line: pos.Line}
		taken := func() bool {
			return slices.ContainsFunc(loops, func(other AuditedLoop) bool { return other.Name == l.Name })
		}
		if taken() {
			l.Name = fmt.Sprintf("%s%s%d:%d)", f.Name, audit.LoopMark, pos.Line, pos.Column)
		}
		for n := 2; taken(); n++ { // several blocks begin there
			l.Name = fmt.Sprintf("%s%s%d:%d, point %d)", f.Name, audit.LoopMark, pos.Line, pos.Column, n)
		}
		loops = append(loops, l)
		a := fmt.Sprintf("%sA%d", d.Prefix, d.n)
		d.n++
		d.trailers[c.original().file] += d.register("audit.RegisterLoop", a, f, l.Name)
		for v := range versions {
			d.point(c.versions[v], versions[v].Opened, places[v][blocks[v][i]], a, v)
		}
	}
	for _, l := range choice.Loops {
		if l.Refused != "" {
			loops = append(loops, AuditedLoop{Name: f.Name, Line: at(versions[0].Graph.Blocks[l.Header].From).Line, Refused: l.String()})
		}
	}
	return loops
}

// point writes one point of a version.
func (d *dispatcher) point(v *declared, opened, at *mark.Place, a string, version int) {
	l := a + "l"
	e := d.editsOf(v.file)
	if d.trailers[v.file] == "" {
		d.trailers[v.file] = "\n" // the file imports rt
	}
	e.insert(opened.Pos, opened.Order, d.Sprintf("var %s $audit.Laps;%s.Left=%s.First;", l, l, a))
	lap := d.Sprintf("if %s.Left--;%s.Left==0{$audit.Lap(&%s,%d,&%s)};", l, l, a, version+1, l)
	if at.Kind == mark.After {
		lap = ";" + lap
	}
	e.insert(at.Pos, at.Order, lap)
}
