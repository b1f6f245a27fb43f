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
	symbols   []string          // what symbols of the package begin with
	functions [][]*pathmap.Func // by record: its functions, nil for those that are not counted
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

	archives map[string]string // that the program is linked from, by import path

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

// readSources returns sources, none of which has been read, of a program that is linked from a list of archives, and the main one
// of them.
func readSources(importcfg, main string) (*sources, error) {
	archives, err := readArchives(importcfg)
	if err != nil {
		return nil, err
	}
	open := func(path string) (io.ReadCloser, error) {
		file, ok := archives[path]
		if !ok {
			file = archives["vendor/"+path] // of the standard library
		}
		return os.Open(file)
	}
	return &sources{
		archives: archives, places: make(map[*pathmap.Func]place), named: make(map[string]sourced),
		imports: importer.ForCompiler(token.NewFileSet(), "gc", open),
		isMain:  func(path string) bool { return archives[path] == main },
	}, nil
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

// analyze reads and analyses a unit.
func (s *sources) analyze(u *unit) (*source, error) {
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
		return nil, err
	}
	if read.Translated, err = u.translated(); err != nil {
		return nil, err
	}
	read.GoVersion, read.RangeNames = first.GoVersion, first.RangeNames
	if err := read.Analyze(first.Path, s.imports); err != nil {
		return nil, err
	}
	src := &source{Source: read, symbols: s.symbols(u), functions: make([][]*pathmap.Func, len(u.records))}
	byName := make(map[string]*pathmap.Func)
	for _, f := range read.Funcs {
		byName[f.Name] = f
	}
	for i, r := range u.records {
		src.functions[i] = make([]*pathmap.Func, len(r.Functions))
		for k, fn := range r.Functions {
			f := byName[fn.Name]
			if f == nil {
				continue // its code is not followed, and it is not counted
			}
			if d, err := f.Decoder(); err != nil || d.NumPaths() != fn.Paths || len(f.Graph.Edges) != fn.Edges {
				continue // nor is one whose numbers mean others
			}
			src.functions[i][k] = f
		}
	}
	return src, nil
}

// add adds a unit that has been analysed.
func (s *sources) add(u *unit, src *source) {
	s.list = append(s.list, src)
	for _, f := range src.Funcs {
		for _, symbol := range src.symbols {
			s.named[pathmap.PlainName(symbol+"."+f.Name)] = sourced{f, src}
		}
	}
	for i, list := range src.functions {
		for k, f := range list {
			if f != nil {
				s.places[f] = place{u.of[i], k}
			}
		}
	}
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

// isWanted returns a function that reports whether a symbol is of a package whose symbols begin so.
func isWanted(symbols []string) func(name string) bool {
	return func(name string) bool {
		return slices.ContainsFunc(symbols, func(prefix string) bool { return inline.InPackage(name, prefix) })
	}
}

// symbols returns what the symbols of a unit begin with.
func (s *sources) symbols(u *unit) []string {
	first := u.records[0]
	return slices.DeleteFunc(inline.Symbols(first.Path), func(p string) bool {
		return (p == "main") != (first.Main && s.isMain(first.Path))
	})
}
