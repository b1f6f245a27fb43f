package results

import (
	"maps"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/tools/go/packages"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/cache"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/gocmd"
	"github.com/goprofinstr/goprofinstr/rewrite/load"
)

// Exports know where in the go command's build cache export data was the last time. Of a package that has not
// changed, nor anything that it imports, it is the same as long as it is there. To ask the go command takes a tenth
// of a second.
//
// A package that has changed and is instrumented is not what the program is made of, and neither is what imports it:
// the go command would compile these for their export data alone. With Make they are made of sources without what nobody else
// can see of them.
type Exports struct {
	store  *Store
	build  *load.Build
	flags  []string // of the go command
	listed map[string]*packages.Package
	plain  *Std // the standard library as it is

	Overlay string // with which Load has compiled, or ""

	// Make returns the export data of a package whose imports have theirs. It is nil where the go command compiles packages
	// as they are in any case.
	Make func(p *packages.Package) ([]byte, error)
	Work string // folder for what it makes

	making   map[string]bool // package IDs
	finished chan struct{}
	err      error // of finishing
}

// Exports starts to look for the export data of a build.
func (s *Store) Exports(c *gocmd.Command, b *load.Build) *Exports {
	e := &Exports{store: s, build: b, flags: c.LoadFlags(), listed: make(map[string]*packages.Package)}
	e.plain = &Std{store: s, cmd: c, flags: e.flags}
	for _, p := range b.All {
		e.listed[p.ID] = p
	}
	return e
}

// Load finds the export data of what packages import, as load.Build.LoadExports does. If package runtime is not in the go
// command's build cache, everything is compiled with the overlay that hooked returns, as programs are: once, and not twice.
// What is made is not there yet: [Exports.Wait] waits for what a package imports of it, and [Exports.Finish] for all.
func (e *Exports) Load(pkgs []*load.Package, others []*packages.Package, hooked func() (overlay string, err error)) error {
	unknown := e.unknown(load.Imports(pkgs, others))
	if len(unknown) > 0 && e.plain.Missing() {
		if err := e.compileWith(hooked); err != nil {
			return err
		}
	}
	made, err := e.toMake(unknown)
	if err != nil {
		return err
	}
	e.making, e.finished = make(map[string]bool), make(chan struct{})
	for _, p := range made {
		e.making[p.ID] = true
	}
	go func() {
		defer close(e.finished)
		e.make(made)
		e.err = e.finish(pkgs, others, unknown)
	}()
	if len(made) == 0 {
		return e.Finish()
	}
	return nil
}

// finish has the go command find what is left.
func (e *Exports) finish(pkgs []*load.Package, others []*packages.Package, unknown map[string]cache.Key) error {
	if err := e.build.LoadExports(pkgs, others); err != nil {
		return err
	}
	for id, k := range unknown {
		if file := e.build.Export(id); file != "" && !e.isOurs(file) {
			e.store.Put(k, file)
		}
	}
	return nil
}

// Finish waits until all export data has been found.
func (e *Exports) Finish() error {
	<-e.finished
	return e.err
}

// Wait waits until the export data of what p imports has been found.
func (e *Exports) Wait(p *load.Package) {
	if slices.ContainsFunc(load.Imports([]*load.Package{p}, nil), func(id string) bool { return e.making[id] }) {
		<-e.finished
	}
}

// unknown looks up what is known, and returns the keys of what is not.
func (e *Exports) unknown(ids []string) map[string]cache.Key {
	unknown := make(map[string]cache.Key)
	for _, id := range ids {
		p := e.listed[id]
		if p == nil { // what the translation by cgo imports
			continue
		}
		k := e.key(p)
		var file string
		if e.store.Get(k, &file) {
			if _, err := os.Stat(file); err == nil {
				e.build.SetExport(id, file)
				continue
			}
		}
		unknown[id] = k
	}
	return unknown
}

// compileWith has everything compiled with hooks.
func (e *Exports) compileWith(hooked func() (overlay string, err error)) (err error) {
	if e.Overlay, err = hooked(); err != nil {
		return err
	}
	e.build.CompileWith(e.Overlay)
	std := Std{store: e.store, cmd: e.plain.cmd, flags: append(slices.Clip(e.flags), "-overlay="+e.Overlay)}
	if std.Missing() {
		SayStd()
	}
	return nil
}

func (e *Exports) key(p *packages.Package) cache.Key {
	sum := e.build.SumOf(p)
	h := e.store.Hash("export")
	h.Add(p.ID, string(sum[:]), e.described(p))
	h.Add(e.flags...)
	return h.Key()
}

// described returns what decides how a package is compiled, beside flags and sources.
func (e *Exports) described(p *packages.Package) string {
	if p.Module == nil && p.PkgPath != load.FilesPackage {
		return e.store.tc.DescribedStd()
	}
	return e.store.tc.Described()
}

// toMake returns which of the unknown packages are to be made, with those that they import of that kind, each behind its
// imports. It has the go command compile what all others of their imports are.
func (e *Exports) toMake(unknown map[string]cache.Key) (list []*packages.Package, err error) {
	if e.Make == nil || len(unknown) == 0 || slices.ContainsFunc(slices.Collect(maps.Keys(unknown)), load.IsRecompiled) {
		return nil, nil
	}
	changes := e.changes()
	var others []string
	seen := make(map[string]bool)
	var visit func(p *packages.Package)
	visit = func(p *packages.Package) {
		if seen[p.ID] || e.build.Export(p.ID) != "" {
			return
		}
		seen[p.ID] = true
		if !changes[p.ID] {
			others = append(others, p.ID)
			return
		}
		imports := slices.DeleteFunc(load.Imports(nil, []*packages.Package{p}), func(id string) bool { return e.listed[id] == nil })
		e.unknown(imports)
		for _, id := range imports {
			visit(e.listed[id])
		}
		list = append(list, p)
	}
	for _, id := range slices.Sorted(maps.Keys(unknown)) {
		visit(e.listed[id])
	}
	if len(list) == 0 {
		return nil, nil
	}
	return list, e.build.LoadExportsOf(others)
}

// changes returns the packages that are not in the program as they are: instrumented ones, and what imports them.
func (e *Exports) changes() map[string]bool {
	changes := make(map[string]bool)
	for _, p := range e.build.Packages {
		if p.Declined == "" {
			changes[p.Path] = true
		}
	}
	packages.Visit(e.build.Roots, nil, func(p *packages.Package) { // imports first
		for _, imported := range p.Imports {
			changes[p.ID] = changes[p.ID] || changes[imported.ID]
		}
	})
	return changes
}

// make makes export data, of each package when its imports have theirs. What cannot be made is left to the go command.
func (e *Exports) make(list []*packages.Package) {
	done := make(map[string]chan bool)
	for _, p := range list {
		done[p.ID] = make(chan bool)
	}
	sizes := make([]int, len(list)) // equal: imports stay first
	InParallel(sizes, func(i int) {
		p := list[i]
		defer close(done[p.ID])
		for _, imported := range p.Imports {
			if c := done[imported.ID]; c != nil {
				<-c
			}
		}
		e.makeOne(p)
	})
}

func (e *Exports) makeOne(p *packages.Package) {
	k := e.madeKey(p)
	var data []byte
	if !e.store.Get(k, &data) {
		var err error
		if data, err = e.Make(p); err != nil {
			return
		}
		e.store.Put(k, data)
	}
	f, err := os.CreateTemp(e.Work, "export")
	if err != nil {
		return
	}
	_, err = f.Write(data)
	if f.Close() == nil && err == nil {
		e.build.SetExport(p.ID, f.Name())
	}
}

func (e *Exports) madeKey(p *packages.Package) cache.Key {
	h := e.store.Hash("made export")
	k := e.key(p)
	h.Add(string(k[:]))
	return h.Key()
}

// Made reports whether the export data of a package has been made, now or earlier.
func (e *Exports) Made(id string) bool {
	var data []byte
	p := e.listed[id]
	return p != nil && e.store.Get(e.madeKey(p), &data)
}

// isOurs reports whether a file was made.
func (e *Exports) isOurs(file string) bool {
	return e.Work != "" && filepath.Dir(file) == filepath.Clean(e.Work)
}
