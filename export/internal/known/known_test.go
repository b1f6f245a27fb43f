package known_test

import (
	"strings"
	"testing"

	"github.com/goprofinstr/goprofinstr/export/internal/known"
	"github.com/goprofinstr/goprofinstr/export/internal/profiletest"
	"github.com/goprofinstr/goprofinstr/export/internal/samples"
)

// TestNeverInAWindow has paths that were counted for a while, and then in windows that never saw them. What was counted
// is the least that they can be. No share of a sum with them may be more than it looks.
func TestNeverInAWindow(t *testing.T) {
	r := profiletest.NestedRun(1)
	r.Data().Replicates = nil
	p := samples.Load(t, r)
	flow, least, exact := known.FlowOf(p), 0, 0
	if !flow.Open() || !strings.HasPrefix(flow.String(), "≥") {
		t.Errorf("flow %s, open: %v", flow, flow.Open())
	}
	for _, f := range p.Functions() {
		for i := range f.Paths {
			count, share := known.Count(f, &f.Paths[i]), flow.Share(f, &f.Paths[i])
			if strings.HasPrefix(count, "≥") && share == "?" {
				least++
			} else if !strings.ContainsAny(count, "~≥?") && (strings.HasPrefix(share, "≤") || share == "0%") {
				exact++
			} else {
				t.Errorf("%s of flow, %s times: %v", share, count, f.Paths[i])
			}
		}
	}
	if least == 0 || exact == 0 {
		t.Errorf("%d paths were executed so often at least, and %d as often", least, exact)
	}
	f := p.Functions()[0]
	if got := known.EdgesOf(f).Text(f.Edges[8], 8); !strings.HasPrefix(got, "≥") {
		t.Errorf("an edge of these was executed %s times", got)
	}
}
