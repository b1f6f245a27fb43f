package export

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	pprof "github.com/google/pprof/profile"

	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// WritePathsPprof writes a gzipped pprof profile with a sample for each
// executed path: values path_execs and flow (the default), leaf frame
// "pkg.Func {path 3: 12→14→17}" called by pkg.Func, both at the line where the
// path starts. Labels: path, the lines in full; path_id; branches.
func WritePathsPprof(w io.Writer, p *profile.Profile) error {
	b := newPprofBuilder(p, "path_execs", "flow")
	b.prof.DefaultSampleType = "flow"
	for _, f := range p.Functions() {
		for i := range f.Paths {
			path := &f.Paths[i]
			line := f.Lines(path)[0]
			s := &pprof.Sample{
				Location: []*pprof.Location{
					b.location(f, " "+pathTitle(f, path), line),
					b.location(f, "", line),
				},
				Value:    []int64{path.Count, path.Flow()},
				Label:    map[string][]string{"path": {joinSteps(lineTexts(f, path))}},
				NumLabel: map[string][]int64{"path_id": {int64(path.ID)}, "branches": {int64(path.Branches)}},
				NumUnit:  map[string][]string{"path_id": {"id"}, "branches": {"count"}},
			}
			b.prof.Sample = append(b.prof.Sample, s)
		}
	}
	return b.write(w)
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
func WriteCallsPprof(w io.Writer, p *profile.Profile) error {
	b := newPprofBuilder(p, "call_execs")
	for _, f := range p.Functions() {
		if f.Entries == 0 {
			continue
		}
		b.prof.Sample = append(b.prof.Sample, &pprof.Sample{
			Location: []*pprof.Location{b.location(f, "", f.Table.Line)},
			Value:    []int64{f.Entries},
		})
	}
	return b.write(w)
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
	functions map[frame]*pprof.Function
	locations map[frame]*pprof.Location
}

// frame identifies a function, or with a line a location. The table, not
// the name, tells functions apart: a file may have several called init.
type frame struct {
	function *table.Function
	suffix   string
	line     int // 0 for the function itself
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
	return b
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
	key := frame{f.Table, suffix, line}
	loc := b.locations[key]
	if loc == nil {
		loc = &pprof.Location{
			ID:      uint64(len(b.prof.Location) + 1),
			Mapping: b.prof.Mapping[0],
			Line:    []pprof.Line{{Function: b.function(f, suffix), Line: int64(line)}},
		}
		b.locations[key] = loc
		b.prof.Location = append(b.prof.Location, loc)
	}
	return loc
}

func (b *pprofBuilder) function(f *profile.Function, suffix string) *pprof.Function {
	key := frame{f.Table, suffix, 0}
	fn := b.functions[key]
	if fn == nil {
		name := printable(f.Table.Name + suffix)
		fn = &pprof.Function{
			ID:         uint64(len(b.prof.Function) + 1),
			Name:       name,
			SystemName: name,
			Filename:   printable(b.filename(f)),
			StartLine:  int64(f.Table.Line),
		}
		b.functions[key] = fn
		b.prof.Function = append(b.prof.Function, fn)
	}
	return fn
}

// filename returns the absolute name of f's file if it lies in the main
// module and the module's root is known, else its name in the table.
func (b *pprofBuilder) filename(f *profile.Function) string {
	file := f.Table.File
	base, ok := strings.CutPrefix(file, f.Package+"/")
	outside := ok && !strings.Contains(base, "/")
	if b.root == "" || outside || filepath.IsAbs(file) {
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
