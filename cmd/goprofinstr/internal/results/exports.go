package results

import (
	"os"

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
}

// Exports starts to look for the export data of a build.
func (s *Store) Exports(c *gocmd.Command, b *load.Build) *Exports {
	e := &Exports{store: s, build: b, flags: c.LoadFlags(), listed: make(map[string]*packages.Package)}
	for _, p := range b.All {
		e.listed[p.ID] = p
	}
	return e
}

// Load finds the export data of what packages import, as load.Build.LoadExports does.
func (e *Exports) Load(pkgs []*load.Package, others []*packages.Package) error {
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
