package results

import (
	"os"
	"slices"

	"golang.org/x/tools/go/packages"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/cache"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/gocmd"
	"github.com/goprofinstr/goprofinstr/rewrite/load"
)

// Exports know where in the go command's build cache export data was the last time. Of a package that has not
// changed, nor anything that it imports, it is the same as long as it is there. To ask the go command takes a tenth
// of a second.
type Exports struct {
	store  *Store
	build  *load.Build
	flags  []string // of the go command
	listed map[string]*packages.Package
	plain  *Std // the standard library as it is

	Overlay string // with which Load has compiled, or ""
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

// Load finds the export data of what packages import, as load.Build.LoadExports does. If package runtime is not in the go command's
// build cache, everything is compiled with the overlay that hooked returns, as programs are: once, and not twice.
func (e *Exports) Load(pkgs []*load.Package, others []*packages.Package, hooked func() (overlay string, err error)) error {
	unknown := make(map[string]cache.Key)
	for _, id := range load.Imports(pkgs, others) {
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
	if len(unknown) > 0 && e.plain.Missing() {
		var err error
		if e.Overlay, err = hooked(); err != nil {
			return err
		}
		e.build.CompileWith(e.Overlay)
		std := Std{store: e.store, cmd: e.plain.cmd, flags: append(slices.Clip(e.flags), "-overlay="+e.Overlay)}
		if std.Missing() {
			SayStd()
		}
	}
	if err := e.build.LoadExports(pkgs, others); err != nil {
		return err
	}
	for id, k := range unknown {
		if file := e.build.Export(id); file != "" {
			e.store.Put(k, file)
		}
	}
	return nil
}

func (e *Exports) key(p *packages.Package) cache.Key {
	sum := e.build.SumOf(p)
	h := e.store.Hash("export")
	h.Add(p.ID, string(sum[:]), e.store.tc.Described())
	h.Add(e.flags...)
	return h.Key()
}
