package export_test

import (
	"io"
	"testing"

	"github.com/goprofinstr/goprofinstr/export"
	"github.com/goprofinstr/goprofinstr/export/internal/samples"
	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/export/report"
)

func TestGolden(t *testing.T) {
	p := samples.Sample(t)
	if err := p.Check(); err != nil {
		t.Fatal(err)
	}
	samples.Golden(t, "sample.json", samples.Write(t, export.WriteJSON, p))
	samples.Golden(t, "sample.folded", samples.Write(t, export.WriteFolded, p))
	sampled := samples.Sampled(t)
	samples.Golden(t, "sampled.json", samples.Write(t, export.WriteJSON, sampled))
	samples.Golden(t, "sampled.folded", samples.Write(t, export.WriteFolded, sampled))
}

// text writes a report with 20 paths.
func text(w io.Writer, p *profile.Profile) error { return report.WriteText(w, p, 20) }
