package results

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/cache"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/progress"
	"github.com/goprofinstr/goprofinstr/rewrite"
	"github.com/goprofinstr/goprofinstr/rewrite/link"
	"github.com/goprofinstr/goprofinstr/rewrite/load"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// A Result is a rewritten package.
type Result struct {
	Table []byte            // encoded; nil if the package has none
	Files map[string][]byte // as of rewrite.Package

	Instrumented, Declined int // functions

	Unchecked bool // as of rewrite.Package

	Link *link.Record // as of rewrite.Package
}

// A Rewriting is the rewritten packages of a build.
type Rewriting struct {
	store   *Store
	build   *load.Build
	options rewrite.Options
	keys    []cache.Key
	all     []*Result // nil until known
}

// Rewriting looks up what is in the cache.
func (s *Store) Rewriting(b *load.Build, o rewrite.Options) *Rewriting {
	n := len(b.Packages)
	w := &Rewriting{store: s, build: b, options: o, keys: make([]cache.Key, n), all: make([]*Result, n)}
	for i, p := range b.Packages {
		w.keys[i] = s.packageKey(b, p, o)
	}
	InParallel(sizes(b.Packages), func(i int) { w.all[i] = s.known(w.keys[i]) })
	return w
}

// Missing returns the packages to be rewritten.
func (w *Rewriting) Missing() (list []*load.Package) {
	for i, p := range w.build.Packages {
		if w.all[i] == nil {
			list = append(list, p)
		}
	}
	return list
}

// Typed returns the packages to be rewritten that need export data of what they import. Test files that have labels only need
// none: for these the go command would compile the packages of the test as they are, and nothing else needs those.
func (w *Rewriting) Typed() []*load.Package {
	return slices.DeleteFunc(w.Missing(), func(p *load.Package) bool { return !w.options.NeedsTypes(p) })
}

// Run rewrites the packages that are missing, several at a time; wait waits until the export data of a package's imports is
// known. It returns all in order but the unparsed ones, which the go command complains of. The line shows how far it is.
func (w *Rewriting) Run(line *progress.Line, wait func(p *load.Package)) (all []*Result, unparsed int, err error) {
	errs := make([]error, len(w.all))
	missing := len(w.Missing())
	InParallel(sizes(w.build.Packages), func(i int) {
		if w.all[i] == nil {
			if w.options.NeedsTypes(w.build.Packages[i]) {
				wait(w.build.Packages[i])
			}
			w.all[i], errs[i] = w.store.rewrite(w.build, w.build.Packages[i], w.options, w.keys[i])
			line.Step("rewriting packages", missing, w.build.Packages[i].Path)
		}
	})
	if err := cmp.Or(errs...); err != nil {
		return nil, 0, err
	}
	parsed := slices.DeleteFunc(w.all, func(p *Result) bool { return p == nil })
	return parsed, len(w.build.Packages) - len(parsed), nil
}

// sizes returns the number of bytes in each package.
func sizes(list []*load.Package) []int {
	sizes := make([]int, len(list))
	for i, p := range list {
		for _, f := range p.Files {
			sizes[i] += len(f.Src)
		}
	}
	return sizes
}

// packageKey returns the key of a rewritten package.
func (s *Store) packageKey(b *load.Build, p *load.Package, o rewrite.Options) cache.Key {
	sum := b.Sum(p)
	measured := o.Measured[p.Path]
	o.Sizes, o.Measured = nil, nil // sizes follow from GOARCH
	h := s.Hash("package")
	h.Add(fmt.Sprintf("%+v", o), string(sum[:]), fmt.Sprintf("%v", measured)) // maps are printed in order
	return h.Key()
}

// known returns a result from the cache, or nil.
func (s *Store) known(k cache.Key) *Result {
	p := new(Result)
	if !s.Get(k, p) {
		return nil
	}
	return p
}

// rewrite rewrites a package and keeps the result; it returns nil for one that does not parse. What does not
// type-check is not kept: that may be the fault of what the package imports, or of how that was compiled.
func (s *Store) rewrite(b *load.Build, p *load.Package, o rewrite.Options, k cache.Key) (*Result, error) {
	if err := p.Parse(); err != nil {
		return nil, nil
	}
	defer p.Forget()
	rewritten, err := rewrite.Rewrite(b, p, o)
	if err != nil {
		return nil, err
	}
	out := &Result{Files: rewritten.Files, Unchecked: rewritten.Unchecked, Link: rewritten.Link}
	if err := out.addTable(rewritten.Table); err != nil {
		return nil, err
	}
	if !out.Unchecked {
		s.Put(k, out)
	}
	return out, nil
}

// addTable adds a table, if there is one.
func (r *Result) addTable(t *table.Package) (err error) {
	if t == nil {
		return nil
	}
	for _, f := range t.Functions {
		if f.Declined == "" {
			r.Instrumented++
		} else {
			r.Declined++
		}
	}
	r.Table, err = t.Encode()
	return err
}
