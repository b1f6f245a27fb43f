package rewrite

import (
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/goprofinstr/goprofinstr/rewrite/label"
	"github.com/goprofinstr/goprofinstr/rewrite/load"
)

// Label gives the functions of a package labels, in place of code.
func Label(p *load.Package) (*label.Package, error) {
	var sources []label.Source
	for _, f := range p.Compilation() {
		sources = append(sources, label.Source{
			Name: f.Name, Trimmed: trimmed(p, f.Name), Src: f.Src, Beside: !slices.Contains(p.Files, f), Declined: f.Declined,
		})
		if p.Declined != "" {
			sources[len(sources)-1].Declined = p.Declined
		}
	}
	return label.Insert(p.ID, sources)
}

// trimmed returns what a file is called in programs that are built with -trimpath (cmd/go/internal/work, trimpath).
func trimmed(p *load.Package, file string) string {
	m := p.Module
	if m == nil || m.Main || m.Version == "" {
		return path.Join(strings.TrimSuffix(p.Path, "_test"), filepath.Base(file))
	}
	return m.Path + "@" + m.Version + filepath.ToSlash(strings.TrimPrefix(file, m.Dir))
}
