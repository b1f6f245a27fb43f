package coverprofile

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/goprofinstr/goprofinstr/export/internal/source"
	"github.com/goprofinstr/goprofinstr/export/profile"
)

// A Source is a source file that Go's coverage has extents of.
type Source struct {
	Package string
	Local   bool   // Go files on the command line; see Package
	Name    string // absolute
	Text    []byte
	Extents []SourceExtent
}

// A SourceExtent is an extent with its place in the file, and the run of statements that has its count.
type SourceExtent struct {
	Extent
	Real      Extent            // where it is in the file, whatever //line directives say
	Function  *profile.Function // that it is in; nil if it is in none of the profile's
	Statement int               // index in Function.Table.Statements; -1 if its count is not known
	Why       string            // the count is not known
}

// Line and Col say where the counter of the extent is in the file.
func (e *SourceExtent) Line() int { return e.at.line }

// Col is described at Line.
func (e *SourceExtent) Col() int { return e.at.col }

// Sources returns the files that a profile has counts of, in the order of packages. These are the files of the plan, which
// may be nil, and of other packages below the profile's root those that have functions. Of the former it is an error if one
// has changed; of the latter those functions have no counts that are not what ran. ByTool asks the cover tool about all of
// them, whose order the extents have then. LeftOut are the import paths of packages that the profile has counts of, and that have
// no file in the plan or below the root.
func Sources(p *profile.Profile, plan *Plan, byTool bool) (list []Source, leftOut []string, err error) {
	tool := Tool{Go: "go"}
	if plan != nil {
		tool = plan.Tool()
	}
	whole, planned, leftOut := withOthers(p, plan)
	if len(whole.Packages) == 0 {
		return nil, nil, ErrNoSources
	}
	d := newDivider(p, tool)
	results, err := eachFile(whole, func(pkg *Package, f File) (Source, error) { return d.source(pkg, f, byTool) })
	if err != nil {
		return nil, nil, err
	}
	functions, is := indexFunctions(p), newChanges(p)
	for _, r := range results {
		s := r.answer
		of := is
		if planned[s.Package] {
			of = nil
		}
		for i := range s.Extents {
			e := &s.Extents[i]
			e.Function, e.Statement, e.Why = functions.find(s.Package, filepath.Base(s.Name), e.at, of)
		}
		list = append(list, s)
	}
	return list, leftOut, nil
}

// MissingOf returns the extents of files whose counts are not known.
func MissingOf(sources []Source) (list []Missing) {
	for i := range sources {
		for _, e := range sources[i].Extents {
			if e.Why == "" {
				continue
			}
			name := ""
			if e.Function != nil {
				name = e.Function.Table.Name
			}
			list = addMissing(list, sources[i].Package, name, e.Why, e.Extent)
		}
	}
	return list
}

// changes know of functions whether they are what ran.
type changes struct {
	files *source.Files
	known map[*profile.Function]string
}

func newChanges(p *profile.Profile) *changes {
	return &changes{source.New(p), make(map[*profile.Function]string)}
}

// changed says why a function is not what ran, or not where it was; "" if it is.
func (c *changes) changed(f *profile.Function) string {
	why, ok := c.known[f]
	if !ok {
		switch file, err := c.files.Function(f); {
		case err != nil:
			why = err.Error()
		case file.Edited || file.Moved != 0:
			why = file.Name + " has changed since the run"
		}
		c.known[f] = why
	}
	return why
}

// withOthers returns a plan with packages that a profile has below its root besides those of a plan, and tells the latter.
// Packages of which it finds no file are left out.
func withOthers(p *profile.Profile, plan *Plan) (whole *Plan, planned map[string]bool, leftOut []string) {
	whole, planned = new(Plan), make(map[string]bool)
	if plan != nil {
		for _, pkg := range plan.Packages {
			whole.Packages = append(whole.Packages, pkg)
			planned[pkg.Path] = true
		}
	}
	isTest := func(f File) bool { return strings.HasSuffix(f.Name, "_test.go") }
	for _, known := range p.Packages {
		if planned[known.Path] {
			continue
		}
		pkg := packageOf(p, known)
		if len(pkg.Files) == 0 && len(known.Functions) > 0 {
			leftOut = append(leftOut, known.Path)
		}
		if pkg.Files = slices.DeleteFunc(pkg.Files, isTest); len(pkg.Files) > 0 {
			whole.Packages = append(whole.Packages, pkg)
		}
	}
	slices.SortStableFunc(whole.Packages, func(a, b Package) int { return strings.Compare(a.Path, b.Path) })
	return whole, planned, leftOut
}

// source returns a file with its extents, without counts.
func (d *divider) source(pkg *Package, f File, byTool bool) (Source, error) {
	s := Source{Package: pkg.Path, Local: pkg.Local, Name: f.Name}
	var err error
	if s.Text, err = f.read(); err != nil {
		return s, err
	}
	extents, located, err := d.located(pkg, f, s.Text, byTool)
	if err != nil {
		return s, err
	}
	for i, e := range extents {
		s.Extents = append(s.Extents, SourceExtent{Extent: e, Real: located[i]})
	}
	return s, nil
}

// located returns the extents of a file, and where each really is. A path table does not have the latter if there are line
// directives, and has none of a file that has changed.
func (d *divider) located(pkg *Package, f File, text []byte, byTool bool) (extents, real []Extent, err error) {
	plain := withoutLines(text)
	if t := d.table(pkg, f); t != nil && !byTool && plain == nil && t.Sum.Is(text) {
		extents, err = d.carried(pkg, f, t)
		return extents, extents, err
	}
	if extents, err = d.tool.Extents(pkg.Path, pkg.Local, f); err != nil || plain == nil {
		return extents, extents, err
	}
	real, err = d.tool.extentsOf(f, plain)
	return extents, real, err
}

// extentsOf returns the extents of a text in place of a file's.
func (t Tool) extentsOf(f File, text []byte) ([]Extent, error) {
	dir, err := os.MkdirTemp("", "goprofinstr")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	name := filepath.Join(dir, filepath.Base(f.Name))
	if err := os.WriteFile(name, text, 0o600); err != nil {
		return nil, err
	}
	return t.Extents("", true, NewFile(name, "", text))
}

// lineDirective is the start of what may be a line directive.
var lineDirective = regexp.MustCompile(`(?m)^//line |/\*line `)

// withoutLines returns a text in which no comment is a line directive, and everything is where it was; nil if none was.
func withoutLines(text []byte) []byte {
	if !lineDirective.Match(text) {
		return nil
	}
	return lineDirective.ReplaceAllFunc(text, func(d []byte) []byte { return append(d[:2:2], "Line "...) })
}
