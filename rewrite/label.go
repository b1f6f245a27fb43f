package rewrite

import (
	"slices"

	"github.com/goprofinstr/goprofinstr/rewrite/label"
	"github.com/goprofinstr/goprofinstr/rewrite/load"
)

// Label gives the functions of a package labels, in place of code.
func Label(p *load.Package) (*label.Package, error) {
	var sources []label.Source
	for _, f := range p.Compilation() {
		sources = append(sources, label.Source{
			Name: f.Name, Src: f.Src, Beside: !slices.Contains(p.Files, f), Declined: f.Declined,
		})
		if p.Declined != "" {
			sources[len(sources)-1].Declined = p.Declined
		}
	}
	return label.Insert(p.ID, sources)
}
