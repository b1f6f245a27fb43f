package page

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/goprofinstr/goprofinstr/export/internal/code"
	"github.com/goprofinstr/goprofinstr/export/internal/hot"
	"github.com/goprofinstr/goprofinstr/export/internal/known"
	"github.com/goprofinstr/goprofinstr/export/internal/stacks"
	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/internal/show"
)

// Site is a profile with what its pages have in common. It does not change, and may be used by several goroutines.
type Site struct {
	p      *profile.Profile
	name   string
	texts  *code.Texts
	stacks *stacks.Stacks

	total     profile.Coverage
	flow      *known.Flow // of all paths
	packages  []*pkg
	files     []*file
	functions []*function // of the highest flow first
	byID      map[string]*function
	fileByID  map[string]*file
	byFunc    map[*profile.Function]*function
	overview  *overview
}

// pkg is a package with its coverage.
type pkg struct {
	*profile.Package
	Coverage  profile.Coverage
	Functions []*function // in source order
	Files     []*file
}

// function is a function with its coverage.
type function struct {
	*profile.Function
	ID       string // in addresses: its name, and its place as well if another function has the same name
	Short    string
	File     *file
	Coverage profile.Coverage
	Self     int64 // CPU time, ns
}

// New returns the site of p. It is called what the import paths of the packages have in common, or name if that is nothing.
func New(p *profile.Profile, name string) *Site {
	s := &Site{
		p: p, name: cmp.Or(commonPath(p.Packages), name), texts: code.New(p), stacks: stacks.New(p), total: p.Coverage(), flow: known.FlowOf(p),
		byID: make(map[string]*function), fileByID: make(map[string]*file), byFunc: make(map[*profile.Function]*function),
	}
	for _, pp := range p.Packages {
		s.packages = append(s.packages, s.newPackage(pp))
	}
	for _, h := range hot.ByTime(p) {
		if f := s.byFunc[h.Function]; f != nil {
			f.Self = h.Self
		}
	}
	for _, f := range hot.ByFlow(p) {
		s.functions = append(s.functions, s.byFunc[f])
	}
	s.overview = s.newOverview()
	return s
}

// commonPath returns the elements that the import paths of all packages begin with.
func commonPath(packages []*profile.Package) string {
	var common []string
	for i, p := range packages {
		elements := strings.Split(show.Printable(p.Path), "/")
		if i == 0 {
			common = elements
		}
		n := 0
		for n < min(len(common), len(elements)) && common[n] == elements[n] {
			n++
		}
		common = common[:n]
	}
	return strings.Join(common, "/")
}

func (s *Site) newPackage(pp *profile.Package) *pkg {
	out := &pkg{Package: pp, Coverage: pp.Coverage()}
	for _, pf := range pp.Functions {
		f := &function{Function: pf, ID: pf.Table.Name, Short: show.Short(pf.Table.Name, pf.Package), Coverage: pf.Coverage()}
		if s.byID[f.ID] != nil {
			f.ID += fmt.Sprintf("@%s:%d", pf.Table.File[strings.LastIndexByte(pf.Table.File, '/')+1:], pf.Table.Line)
		}
		s.byID[f.ID] = f
		s.byFunc[pf] = f
		out.Functions = append(out.Functions, f)
	}
	s.addFiles(out)
	return out
}

// pathOf returns the path of a number, nil if there is none. A path that was not executed has no counts, and is not in f.Paths.
func (f *function) pathOf(id uint64) *profile.Path {
	i, ok := slices.BinarySearchFunc(f.Paths, id, func(p profile.Path, id uint64) int { return cmp.Compare(p.ID, id) })
	if ok {
		return &f.Paths[i]
	}
	if p, err := f.UncountedPath(id); err == nil {
		return &p
	}
	return nil
}

// hottest returns the paths of f, those of the highest flow first.
func (f *function) hottest() []*profile.Path {
	var list []*profile.Path
	for i := range f.Paths {
		list = append(list, &f.Paths[i])
	}
	slices.SortStableFunc(list, func(a, b *profile.Path) int {
		return cmp.Or(cmp.Compare(b.Flow(), a.Flow()), cmp.Compare(b.Count, a.Count))
	})
	return list
}

// Missing is how many branches of f were not executed.
func (f *function) Missing() int { return f.Coverage.Branches - f.Coverage.BranchesExecuted }

// functionURL is the address of the page of a function.
func functionURL(f *function) string { return (&url.URL{Path: "/f/" + f.ID}).String() }

// pathURL is the address of a path in the page of its function.
func pathURL(f *function, id uint64) string {
	return functionURL(f) + "?path=" + strconv.FormatUint(id, 10)
}

// lineURL is the address of a line in the page of a function, and pathsURL that of the paths through it.
func lineURL(f *function, line int) string  { return functionURL(f) + "#L" + strconv.Itoa(line) }
func pathsURL(f *function, line int) string { return functionURL(f) + "?line=" + strconv.Itoa(line) }

// packageURL is the address of the page of a package.
func packageURL(p *pkg) string { return (&url.URL{Path: "/p/" + p.Path}).String() }

// Calls is how often f was called, with the digits that are known.
func (f *function) Calls() string { return known.Calls(f.Function) }

// FlowShare is the share of f in the flow of the profile.
func (f *function) FlowShare(all *known.Flow) string { return all.ShareOf(f.Function) }
