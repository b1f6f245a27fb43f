package export

import (
	"fmt"
	"io"
	"path/filepath"

	pprof "github.com/google/pprof/profile"

	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// WritePathsPprof writes a gzipped pprof profile with a sample for each
// executed path: values path_execs and flow (the default), leaf frame
// "pkg.Func {path 3: 12→14→17}" called by pkg.Func, both at the line where the
// path starts. Labels: path, the lines in full; path_id; branches.
//
// Where calling contexts are known there is a sample for each that a path was seen in, with its callers and the
// goroutine's labels, and a third value, the CPU time spent on the path.
func WritePathsPprof(w io.Writer, p *profile.Profile) error {
	b := newPprofBuilder(p, "path_execs", "flow")
	b.prof.DefaultSampleType = "flow"
	if len(p.Contexts) > 0 {
		b.addTime()
	}
	for _, f := range p.Functions() {
		for i := range f.Paths {
			b.pathSamples(f, &f.Paths[i])
		}
	}
	return b.write(w)
}

// pathSamples adds the samples of a path.
func (b *pprofBuilder) pathSamples(f *profile.Function, path *profile.Path) {
	title, lines, line := pathTitle(f, path), joinSteps(lineTexts(f, path)), f.Lines(path)[0]
	add := func(count, time int64, labels map[string][]string, callers []*pprof.Location) {
		labels["path"] = []string{lines}
		values := []int64{count, count * int64(path.Branches), time}
		b.prof.Sample = append(b.prof.Sample, &pprof.Sample{
			Location: append([]*pprof.Location{b.location(f, " "+title, line), b.location(f, "", line)}, callers...),
			Value:    values[:len(b.prof.SampleType)],
			Label:    labels,
			NumLabel: map[string][]int64{"path_id": {int64(path.ID)}, "branches": {int64(path.Branches)}},
			NumUnit:  map[string][]string{"path_id": {"id"}, "branches": {"count"}},
		})
	}
	rest := path.Count
	for _, c := range path.Contexts {
		add(c.Count, c.Time, labelsOf(c.Context), b.stack(b.known.callers(f, c.Context)))
		rest -= c.Count
	}
	if rest > 0 {
		add(rest, 0, make(map[string][]string), nil)
	}
}

// WriteEdgesPprof writes a gzipped pprof profile with a sample for each
// executed edge: value edge_execs, leaf frame "pkg.Func {edge 5: if.then 12→14}"
// at the line of the branch, called by pkg.Func at the line the edge leads to, so that
// listings of pkg.Func show how often control came to each line. An edge to
// the exit leads to the closing brace, and one to a block without source to where
// that block leads. Labels: kind; edge_id.
func WriteEdgesPprof(w io.Writer, p *profile.Profile) error {
	b := newPprofBuilder(p, "edge_execs")
	for _, f := range p.Functions() {
		next := nextBlocks{f.Table, onlyEdges(f.Table)}
		for id, n := range f.Edges {
			e := f.Table.Edges[id]
			if n == 0 || next.passed(e.From) {
				continue
			}
			from, to := next.lines(e)
			// The id is there because pprof takes frames of one name for one.
			title := fmt.Sprintf(" {edge %d: %s %d→%d}", id, e.Kind, from, to)
			b.prof.Sample = append(b.prof.Sample, &pprof.Sample{
				Location: []*pprof.Location{b.location(f, title, from), b.location(f, "", to)},
				Value:    []int64{n},
				Label:    map[string][]string{"kind": {string(e.Kind)}},
				NumLabel: map[string][]int64{"edge_id": {int64(id)}},
				NumUnit:  map[string][]string{"edge_id": {"id"}},
			})
		}
	}
	return b.write(w)
}

// nextBlocks finds where edges lead in the source. A block without source that has only
// one edge out of it, such as the end of a loop's body, is not where anything happens: edges into it
// lead on to its target, and the edge out of it is not counted again.
type nextBlocks struct {
	*table.Function
	only []int // see onlyEdges
}

// onlyEdges returns for each block the one edge out of it, or -1 if there are more or none.
func onlyEdges(f *table.Function) []int {
	only := make([]int, len(f.Blocks))
	for i := range only {
		only[i] = -1
	}
	seen := make([]bool, len(f.Blocks))
	for id, e := range f.Edges {
		only[e.From] = id
		if seen[e.From] {
			only[e.From] = -1
		}
		seen[e.From] = true
	}
	return only
}

func (f nextBlocks) passed(block int) bool {
	return f.Blocks[block].Line == 0 && f.only[block] >= 0
}

// lines returns the line of the branch that takes e and the line e leads to.
func (f nextBlocks) lines(e table.Edge) (from, to int) {
	from = firstNonZero(e.Line, f.Blocks[e.From].Line, f.Line)
	block := e.To
	for range f.Blocks { // at most: there may be a loop of nothing
		if block == f.Exit || !f.passed(block) {
			break
		}
		block = f.Edges[f.only[block]].To
	}
	if block == f.Exit {
		return from, firstNonZero(f.EndLine, from)
	}
	return from, firstNonZero(f.Blocks[block].Line, from)
}

func firstNonZero(lines ...int) int {
	for _, l := range lines {
		if l != 0 {
			return l
		}
	}
	return 0
}

// WriteCallsPprof writes a gzipped pprof profile with a sample for each
// function that was entered: value call_execs, its activations.
//
// Where calling contexts are known there is a sample for each that a function was entered in, and there is time: CPU time by the
// line of the innermost function, which need not be an instrumented one. Both have the goroutine's labels.
func WriteCallsPprof(w io.Writer, p *profile.Profile) error {
	b := newPprofBuilder(p, "call_execs")
	for _, c := range p.Contexts {
		if c.Time > 0 {
			b.prof.Sample = append(b.prof.Sample, &pprof.Sample{Location: b.stack(c.Stack()), Value: []int64{0, c.Time}, Label: labelsOf(c)})
		}
	}
	if len(p.Contexts) > 0 {
		b.addTime()
		b.prof.DefaultSampleType = "time"
	}
	for _, f := range p.Functions() {
		if f.Entries > 0 {
			b.callSamples(f)
		}
	}
	return b.write(w)
}

// callSamples adds the samples of the activations of a function: each begins with a path that starts at its entry.
func (b *pprofBuilder) callSamples(f *profile.Function) {
	add := func(count int64, labels map[string][]string, callers []*pprof.Location) {
		values := []int64{count, 0}
		b.prof.Sample = append(b.prof.Sample, &pprof.Sample{
			Location: append([]*pprof.Location{b.location(f, "", f.Table.Line)}, callers...),
			Value:    values[:len(b.prof.SampleType)],
			Label:    labels,
		})
	}
	rest := f.Entries
	for _, c := range f.Calls() {
		add(c.Count, labelsOf(c.Context), b.stack(b.known.callers(f, c.Context)))
		rest -= c.Count
	}
	if rest > 0 {
		add(rest, nil, nil)
	}
}

// pprofBuilder makes the functions and locations of a pprof profile, each once.
//
// Samples must give their num-labels a unit: the decoder of package
// profile drops those of value 0 that have none, and path 0 is a path.
//
// Addresses are left 0: there are none, and pprof gives locations without
// address made-up ones where it needs them (its source view).
type pprofBuilder struct {
	prof      *pprof.Profile
	root      string
	known     *knownFunctions
	functions map[frame]*pprof.Function
	locations map[frame]*pprof.Location
}

// frame identifies a function, or with a line a location. The table, not
// the name, tells functions apart: a file may have several called init. Functions that are not in the profile
// have no table.
type frame struct {
	function   *table.Function
	suffix     string
	name, file string
	line       int // 0 for the function itself
}

// newPprofBuilder starts a profile with values of unit count.
func newPprofBuilder(p *profile.Profile, sampleTypes ...string) *pprofBuilder {
	b := &pprofBuilder{
		prof: &pprof.Profile{
			// The mapping tells pprof that nothing is left to symbolize.
			Mapping: []*pprof.Mapping{{
				ID: 1, File: printable(program(p.Runs)),
				HasFunctions: true, HasFilenames: true, HasLineNumbers: true,
			}},
			Comments: []string{"goprofinstr: " + kind(p) + " counts of " + plural(len(p.Runs), "run")},
		},
		root:      p.Root,
		functions: make(map[frame]*pprof.Function),
		locations: make(map[frame]*pprof.Location),
	}
	for _, t := range sampleTypes {
		b.prof.SampleType = append(b.prof.SampleType, &pprof.ValueType{Type: t, Unit: "count"})
	}
	if len(p.Runs) > 0 && !p.Runs[0].Start.IsZero() {
		b.prof.TimeNanos = p.Runs[0].Start.UnixNano()
	}
	b.known = newKnownFunctions(b, p)
	return b
}

// addTime adds CPU time to the sample types.
func (b *pprofBuilder) addTime() {
	b.prof.SampleType = append(b.prof.SampleType, &pprof.ValueType{Type: "time", Unit: "nanoseconds"})
}

// program returns the base name of the program that ran, or "" if it was
// not one and the same: test binaries lie in a new temporary directory each time.
func program(runs []profile.Run) string {
	name := ""
	for _, r := range runs {
		if len(r.Args) == 0 {
			return ""
		}
		base := filepath.Base(r.Args[0])
		if name != "" && base != name {
			return ""
		}
		name = base
	}
	return name
}

// location returns the location of a line in the frame called as f plus suffix.
func (b *pprofBuilder) location(f *profile.Function, suffix string, line int) *pprof.Location {
	return b.locationOf(frame{function: f.Table, suffix: suffix, line: line}, b.function(f, suffix))
}

func (b *pprofBuilder) locationOf(key frame, fn *pprof.Function) *pprof.Location {
	loc := b.locations[key]
	if loc == nil {
		loc = &pprof.Location{
			ID:      uint64(len(b.prof.Location) + 1),
			Mapping: b.prof.Mapping[0],
			Line:    []pprof.Line{{Function: fn, Line: int64(key.line)}},
		}
		b.locations[key] = loc
		b.prof.Location = append(b.prof.Location, loc)
	}
	return loc
}

func (b *pprofBuilder) function(f *profile.Function, suffix string) *pprof.Function {
	key := frame{function: f.Table, suffix: suffix}
	fn := b.functions[key]
	if fn == nil {
		fn = b.newFunction(f.Table.Name+suffix, b.filename(f), f.Table.Line)
		b.functions[key] = fn
	}
	return fn
}

func (b *pprofBuilder) newFunction(name, file string, line int) *pprof.Function {
	name = printable(name)
	fn := &pprof.Function{
		ID:         uint64(len(b.prof.Function) + 1),
		Name:       name,
		SystemName: name,
		Filename:   printable(file),
		StartLine:  int64(line),
	}
	b.prof.Function = append(b.prof.Function, fn)
	return fn
}

// filename returns the absolute name of f's file if it lies in the main
// module and the module's root is known, else its name in the table.
func (b *pprofBuilder) filename(f *profile.Function) string {
	file := f.Table.File
	if b.root == "" || f.Outside() || filepath.IsAbs(file) {
		return file
	}
	return filepath.Join(b.root, filepath.FromSlash(file))
}

func (b *pprofBuilder) write(w io.Writer) error {
	if err := b.prof.CheckValid(); err != nil {
		panic("BUG: invalid pprof profile: " + err.Error())
	}
	return b.prof.Write(w)
}
