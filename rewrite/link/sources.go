package link

import (
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"iter"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/goprofinstr/goprofinstr/rewrite/inline"
	"github.com/goprofinstr/goprofinstr/rewrite/pathmap"
)

// A source is what is compiled as one package, with its functions that are counted.
type source struct {
	*pathmap.Source
	symbols []string // what symbols of the package begin with
}

// A place is a function in the list of a package's descriptor.
type place struct {
	of *counted
	k  int
}

// A sources has all packages of a program that are counted.
type sources struct {
	list   []*source
	places map[*pathmap.Func]place
	named  map[string]sourced // by symbol, as pathmap.PlainName has it

	imports types.Importer
	isMain  func(path string) bool // it is the program's main package
}

// A sourced is a function with the package that it is in.
type sourced struct {
	*pathmap.Func
	*source
}

// readArchives reads the linker's list of archives, by import path.
func readArchives(importcfg string) (map[string]string, error) {
	data, err := os.ReadFile(importcfg)
	if err != nil {
		return nil, err
	}
	archives := make(map[string]string)
	for line := range strings.Lines(string(data)) {
		if rest, ok := strings.CutPrefix(strings.TrimSpace(line), "packagefile "); ok {
			if path, file, ok := strings.Cut(rest, "="); ok {
				archives[path] = file
			}
		}
	}
	return archives, nil
}

// newSources returns the sources of a program that is linked from archives, and the main one of them.
func newSources(archives map[string]string, main string) *sources {
	open := func(path string) (io.ReadCloser, error) {
		file, ok := archives[path]
		if !ok {
			file = archives["vendor/"+path] // of the standard library
		}
		return os.Open(file)
	}
	return &sources{
		places: make(map[*pathmap.Func]place), named: make(map[string]sourced),
		imports: importer.ForCompiler(token.NewFileSet(), "gc", open),
		isMain:  func(path string) bool { return archives[path] == main },
	}
}

// A unit is what is compiled as one: a package, and its own test files.
type unit struct {
	records []*Record
	of      []*counted
}

// units joins the records of packages that are compiled as one. Those of test files come last.
func units(records []*Record, of []*counted) []*unit {
	byPath := make(map[string]*unit)
	order := make([]int, len(records))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		return strings.Compare(records[a].ID, records[b].ID)
	})
	for _, i := range order {
		r := records[i]
		u := byPath[r.Path]
		if u == nil {
			u = new(unit)
			byPath[r.Path] = u
		}
		u.records, u.of = append(u.records, r), append(u.of, of[i])
	}
	list := make([]*unit, 0, len(byPath))
	for _, path := range slices.Sorted(maps.Keys(byPath)) {
		list = append(list, byPath[path])
	}
	return list
}

// translated returns what cgo has made of files. Test files are compiled with the same.
func (u *unit) translated() (texts [][]byte, err error) {
	for _, r := range u.records {
		for _, name := range r.Translated {
			text, err := os.ReadFile(name)
			if err != nil {
				return nil, err
			}
			texts = append(texts, text)
		}
		if texts != nil {
			break
		}
	}
	return texts, nil
}

// add reads and analyses a unit.
func (s *sources) add(u *unit) error {
	first := u.records[0]
	table := *first.Table
	for _, r := range u.records[1:] {
		table.Files = append(slices.Clone(table.Files), r.Table.Files...)
	}
	read, err := pathmap.ReadFrom(&table, func(name string) ([]byte, error) {
		for _, r := range u.records {
			if _, ok := r.Sources[name]; ok {
				return r.source(name)
			}
		}
		return first.source(name)
	})
	if err != nil {
		return err
	}
	if read.Translated, err = u.translated(); err != nil {
		return err
	}
	read.GoVersion = first.GoVersion
	if err := read.Analyze(first.Path, s.imports); err != nil {
		return err
	}
	src := &source{Source: read, symbols: s.symbols(u)}
	s.list = append(s.list, src)
	byName := make(map[string]*pathmap.Func)
	for _, f := range read.Funcs {
		byName[f.Name] = f
		for _, symbol := range src.symbols {
			s.named[pathmap.PlainName(symbol+"."+f.Name)] = sourced{f, src}
		}
	}
	for i, r := range u.records {
		for k, fn := range r.Functions {
			f := byName[fn.Name]
			if f == nil {
				continue // its code is not followed, and it is not counted
			}
			if d, err := f.Decoder(); err != nil || d.NumPaths() != fn.Paths || len(f.Graph.Edges) != fn.Edges {
				continue // nor is one whose numbers mean others
			}
			s.places[f] = place{u.of[i], k}
		}
	}
	return nil
}

// placed returns the functions that have places, in the order of the sources.
func (s *sources) placed() iter.Seq[*pathmap.Func] {
	return func(yield func(*pathmap.Func) bool) {
		for _, src := range s.list {
			for _, f := range src.Funcs {
				if _, ok := s.places[f]; ok && !yield(f) {
					return
				}
			}
		}
	}
}

// isWanted returns a function that reports whether a symbol is of a package whose symbols begin so. It is asked of few names often.
func isWanted(symbols []string) func(name string) bool {
	known := make(map[string]bool)
	return func(name string) bool {
		is, ok := known[name]
		if !ok {
			is = slices.ContainsFunc(symbols, func(prefix string) bool { return inline.InPackage(name, prefix) })
			known[name] = is
		}
		return is
	}
}

// symbols returns what the symbols of a unit begin with.
func (s *sources) symbols(u *unit) []string {
	first := u.records[0]
	return slices.DeleteFunc(inline.Symbols(first.Path), func(p string) bool {
		return (p == "main") != (first.Main && s.isMain(first.Path))
	})
}
