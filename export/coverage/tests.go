package coverage

import (
	"cmp"
	"slices"

	"github.com/goprofinstr/goprofinstr/export/profile"
)

// tests returns what each test has covered, and at last what is in no test: nil if that was not recorded. Of a file they
// have the functions that the test has called.
func tests(p *profile.Profile, layouts []*layout) []Test {
	if len(p.Tests) == 0 {
		return nil
	}
	rest := make(parts)
	var list []Test
	for _, t := range p.Tests {
		if t.Name == "" {
			continue // in the rest
		}
		mine := make(parts)
		for _, path := range t.Paths {
			mine.add(path.Function, path.Path, path.Count)
			rest.add(path.Function, path.Path, path.Count)
		}
		if one := (Test{Name: t.Title(), Files: files(layouts, mine.of)}); len(one.Files) > 0 {
			list = append(list, one)
		}
	}
	slices.SortStableFunc(list, func(a, b Test) int { return cmp.Compare(a.Name, b.Name) })
	return append(list, Test{Files: files(layouts, rest.without)})
}

// files returns the files in which there is a function of a view.
func files(layouts []*layout, of view) (list []*File) {
	for _, l := range layouts {
		if f := l.file(of); len(f.Functions) > 0 {
			list = append(list, f)
		}
	}
	sortFiles(list)
	return list
}

// parts are some of the executions of functions.
type parts map[*profile.Function]*profile.Function

// add adds executions of a path.
func (p parts) add(f *profile.Function, path *profile.Path, n int64) {
	part := p[f]
	if part == nil {
		copied := *f
		part = &copied
		part.Entries, part.Paths, part.Partials = 0, nil, nil
		part.Blocks, part.Edges = make([]int64, len(f.Blocks)), make([]int64, len(f.Edges))
		p[f] = part
	}
	if !path.Loop {
		part.Entries += n
		part.Blocks[path.Start] += n
	}
	for _, e := range path.Edges {
		part.Edges[e] += n
		part.Blocks[f.Table.Edges[e].To] += n
	}
}

// of returns the part of a function, nil if it has none.
func (p parts) of(f *profile.Function) *profile.Function { return p[f] }

// without returns what a function has besides its part.
func (p parts) without(f *profile.Function) *profile.Function {
	part := p[f]
	if part == nil {
		return f
	}
	rest := *f
	rest.Entries = max(f.Entries-part.Entries, 0)
	rest.Paths = nil
	rest.Blocks, rest.Edges = less(f.Blocks, part.Blocks), less(f.Edges, part.Edges)
	return &rest
}

func less(a, b []int64) []int64 {
	out := slices.Clone(a)
	for i := range out {
		out[i] = max(out[i]-b[i], 0)
	}
	return out
}
