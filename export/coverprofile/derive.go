package coverprofile

import (
	"cmp"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// A Profile is a coverage profile.
type Profile struct {
	Tests []TestProfile // those that ran, and packages without test files, in the order of the go command

	// Missing are extents of unknown count, which are in no test: their functions
	// were not instrumented.
	Missing []Missing

	patterns []string // of -coverpkg
}

// A TestProfile is the part of a profile that is about one test binary.
type TestProfile struct {
	Package string // under test
	Extents []Count
}

// A Count is an extent with its count.
type Count struct {
	Extent
	Function *profile.Function // that it is in
	Count    int64
}

// Missing are the extents in a package whose counts are not known for one reason.
type Missing struct {
	Package   string
	Functions []string // names of the functions that the extents are in, where they are known
	Reason    string
	Extents   []Extent
}

// Derive makes the coverage profile of the runs in profile directory dir. p is the profile of dir. The tool is asked about
// packages whose path tables do not have their extents: those that are not instrumented, and all of an earlier goprofinstr.
// The error, one line long, says which file of these has changed or what else keeps the extents from being found.
func Derive(dir string, p *profile.Profile, plan *Plan, tool Tool) (*Profile, error) {
	extents, err := newDivider(p, tool).packages(plan)
	if err != nil {
		return nil, err
	}
	runs, err := readRuns(dir)
	if err != nil {
		return nil, err
	}
	d := deriver{
		located: make(map[string][]locatedExtent),
	}
	functions := indexFunctions(p)
	for _, pkg := range plan.Packages {
		d.locate(functions, pkg.Path, extents[pkg.Path])
	}
	out := &Profile{patterns: plan.Patterns}
	assigned := plan.assign(runs)
	for i, t := range plan.Tests {
		if t.Binary != "" && assigned[i] == nil {
			continue // did not run, for it did not compile
		}
		counted, err := profile.New(assigned[i], nil)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", dir, err)
		}
		out.Tests = append(out.Tests, d.test(t, counted))
	}
	out.Missing = d.missing
	return out, nil
}

// A fileExtent is an extent and the base name of the file that it is really in.
type fileExtent struct {
	Extent
	base    string
	carried bool // it is of the file that was built, whatever has become of it
}

// packages returns the extents of the packages of a plan, sorted as Go sorts them.
func (d *divider) packages(plan *Plan) (map[string][]fileExtent, error) {
	extents := make(map[string][]fileExtent)
	results, err := eachFile(plan, d.extents)
	if err != nil {
		return nil, err
	}
	for _, r := range results {
		carried := d.table(r.pkg, r.file) != nil
		for _, b := range r.answer {
			extents[r.pkg.Path] = append(extents[r.pkg.Path], fileExtent{b, filepath.Base(r.file.Name), carried})
		}
	}
	for _, list := range extents {
		slices.SortStableFunc(list, func(a, b fileExtent) int { return compare(a.Extent, b.Extent) })
	}
	return extents, nil
}

// compare orders extents of a package as internal/coverage/cformat does.
func compare(a, b Extent) int {
	return cmp.Or(
		strings.Compare(a.File, b.File),
		cmp.Compare(a.StartLine, b.StartLine),
		cmp.Compare(a.EndLine, b.EndLine),
		cmp.Compare(a.StartCol, b.StartCol),
		cmp.Compare(a.EndCol, b.EndCol),
		cmp.Compare(a.Stmts, b.Stmts),
	)
}

// fileFunctions are the functions of a file, by import path and base name of the file, in source order.
type fileFunctions map[string][]*profile.Function

func indexFunctions(p *profile.Profile) fileFunctions {
	index := make(fileFunctions)
	for _, f := range p.Functions() {
		key := path.Join(f.Package, path.Base(f.Table.File))
		index[key] = append(index[key], f)
	}
	for _, list := range index {
		slices.SortStableFunc(list, func(a, b *profile.Function) int {
			return cmp.Or(cmp.Compare(a.Table.Body.Line, b.Table.Body.Line), cmp.Compare(a.Table.Body.Col, b.Table.Body.Col))
		})
	}
	return index
}

// innermost returns the innermost function of a file around a position.
func (ff fileFunctions) innermost(pkg, base string, at position) *profile.Function {
	list := ff[path.Join(pkg, base)]
	i, _ := slices.BinarySearchFunc(list, at, func(f *profile.Function, at position) int {
		if (position{f.Table.Body.Line, f.Table.Body.Col}).before(at) {
			return -1
		}
		return 1
	})
	for i--; i >= 0; i-- {
		if body := list[i].Table.Body; at.before(position{body.EndLine, body.EndCol}) {
			return list[i]
		}
	}
	return nil
}

// A deriver knows where the extents of all packages are in the graphs.
type deriver struct {
	located map[string][]locatedExtent // by import path
	missing []Missing
	is      *changes // nil if files are known to be what was instrumented; not asked about carried extents
}

// A locatedExtent is an extent, and the run of statements that has its count.
type locatedExtent struct {
	Extent
	function  *profile.Function
	statement int // index in the function's table
}

func (d *deriver) locate(functions fileFunctions, pkg string, extents []fileExtent) {
	for _, b := range extents {
		is := d.is
		if b.carried {
			is = nil
		}
		f, i, why := functions.find(pkg, b.base, b.at, is)
		if why == "" {
			d.located[pkg] = append(d.located[pkg], locatedExtent{b.Extent, f, i})
			continue
		}
		name := ""
		if f != nil {
			name = f.Table.Name
		}
		d.miss(pkg, name, why, b.Extent)
	}
}

// find returns the function and the run of statements that have the count of an extent, by the position of its counter.
// Else it returns why the count is not known. Is may be nil.
func (ff fileFunctions) find(pkg, base string, at position, is *changes) (f *profile.Function, statement int, why string) {
	f = ff.innermost(pkg, base, at)
	switch {
	case f == nil:
		return nil, -1, "not instrumented"
	case f.Declined():
		return f, -1, f.Table.Declined
	}
	if is != nil {
		if why := is.changed(f); why != "" {
			return f, -1, why
		}
	}
	if statement = f.StatementAt(at.line, at.col); statement < 0 {
		return f, -1, "its path table does not have the statements"
	}
	return f, statement, ""
}

func (d *deriver) miss(pkg, function, reason string, b Extent) {
	d.missing = addMissing(d.missing, pkg, function, reason, b)
}

// addMissing adds an extent to those that are missing for the same reason.
func addMissing(list []Missing, pkg, function, reason string, b Extent) []Missing {
	i := slices.IndexFunc(list, func(m Missing) bool { return m.Package == pkg && m.Reason == reason })
	if i < 0 {
		i = len(list)
		list = append(list, Missing{Package: pkg, Reason: reason})
	}
	m := &list[i]
	m.Extents = append(m.Extents, b)
	if function != "" && !slices.Contains(m.Functions, function) {
		m.Functions = append(m.Functions, function)
	}
	return list
}

// test returns the part of a profile for a test whose runs have counted p.
func (d *deriver) test(t Test, p *profile.Profile) TestProfile {
	counts := make(map[functionKey][]int64) // of runs of statements
	known := make(map[functionKey][]bool)   // blocks
	for _, f := range p.Functions() {
		counts[keyOf(f)] = f.StatementCounts()
		if !f.Declined() && f.Certainty() < profile.Whether {
			known[keyOf(f)] = f.KnownBlocks()
		}
	}
	out := TestProfile{Package: t.Package}
	for _, pkg := range t.Covers {
		for _, b := range d.located[pkg] {
			c := Count{Extent: b.Extent, Function: b.function}
			if n := counts[keyOf(b.function)]; b.statement < len(n) { // nil: not linked into the binary, or left out of its runs
				c.Count = n[b.statement]
			}
			if c.Count == 0 && !isKnown(known[keyOf(b.function)], b.function.Table.Statements[b.statement].Block) {
				d.miss(pkg, b.function.Table.Name, notSeen, b.Extent)
				continue
			}
			out.add(c)
		}
	}
	return out
}

// add adds an extent that is not before the last one. Extents of one function that are the same in the profile are one for Go
// (AddUnit of internal/coverage/cformat): //line directives may make them so.
func (t *TestProfile) add(c Count) {
	if n := len(t.Extents); n > 0 {
		last := &t.Extents[n-1]
		if compare(last.Extent, c.Extent) == 0 && last.Function.Declaration() == c.Function.Declaration() {
			last.Count += c.Count
			return
		}
	}
	t.Extents = append(t.Extents, c)
}

// notSeen is the reason for which extents are missing that may have been executed.
const notSeen = "it was not seen, and may have been executed: paths were sampled"

// isKnown reports whether it is known of a block that was not seen that it was not executed. Known is nil for functions
// whose paths were not sampled. Dead code has no block.
func isKnown(known []bool, block int) bool { return known == nil || block < 0 || known[block] }

// A functionKey identifies a function in different profiles of one build.
type functionKey struct {
	pkg, file string
	body      table.Block
}

func keyOf(f *profile.Function) functionKey {
	return functionKey{f.Package, f.Table.File, f.Table.Body}
}
