package instrument

import (
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/usage"
	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/rewrite"
)

// readMeasured reads the edges of an earlier profile; nil if dir is "".
func readMeasured(dir string) (rewrite.Measured, error) {
	if dir == "" {
		return nil, nil
	}
	p, err := profile.Load(dir)
	if err != nil {
		return nil, usage.Errorf("-profile: %w", err)
	}
	m := make(rewrite.Measured)
	for _, f := range p.Functions() {
		if !f.Executed() {
			continue
		}
		if m[f.Package] == nil {
			m[f.Package] = make(map[string]rewrite.MeasuredFunction)
		}
		m[f.Package][f.Table.Name] = rewrite.MeasuredFunction{Edges: f.Table.Edges, Counts: f.Edges}
	}
	return m, nil
}
