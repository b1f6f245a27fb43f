package known_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/goprofinstr/goprofinstr/export/internal/known"
	"github.com/goprofinstr/goprofinstr/export/internal/profiletest"
	"github.com/goprofinstr/goprofinstr/export/internal/samples"
	"github.com/goprofinstr/goprofinstr/export/profile"
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

// TestEdgeShares: the share of an edge is no better known than how often it was executed, and it is all of a block that has
// no other.
func TestEdgeShares(t *testing.T) {
	open := profiletest.NestedRun(1)
	open.Data().Replicates = nil
	for name, test := range map[string]struct {
		p    *profile.Profile
		want map[int]string
	}{
		"counted": {samples.Counted(t), map[int]string{0: "100%", 1: "~98%", 2: "~2%", 8: "~70.0%", 9: "~30.0%"}},
		"open":    {samples.Load(t, open), map[int]string{0: "100%", 1: "?", 8: "?", 9: "?"}},
		"sampled": {samples.Sampled(t), map[int]string{0: "100%", 1: "~90%", 2: "~10%", 3: "~0%", 4: "~100%", 11: "100%"}},
	} {
		f := test.p.Functions()[0]
		edges, all := known.EdgesOf(f), make([]int64, len(f.Blocks))
		for id, e := range f.Table.Edges {
			all[e.From] += f.Edges[id]
		}
		for id, want := range test.want {
			if got := edges.Share(id, f.Edges[id], all[f.Table.Edges[id].From]); got != want {
				t.Errorf("%s: edge %d, executed %s times: %s, want %s", name, id, edges.Text(f.Edges[id], id), got, want)
			}
		}
	}
}

// TestPartCounted: a sampled program whose paths were all counted has a share of them that is no estimate.
func TestPartCounted(t *testing.T) {
	r := profiletest.NewRun(1, 0, nil, profiletest.Sampled(profiletest.Lex()))
	r.Count("example.com/m/lex.Words", 300, 0, 2, 12)
	r.Count("example.com/m/lex.Must", 100, 1, 3)
	flow := known.FlowOf(samples.Load(t, r))
	if got := flow.Part(3, 4); got != "75.0%" || flow.String() != "500" {
		t.Errorf("%s of a flow of %s, want 75.0%% of 500", got, flow)
	}
}

// TestAtMost has a share that is nearly all of what is known, where others may have more.
func TestAtMost(t *testing.T) {
	r := profiletest.NestedRun(1)
	r.Data().Replicates = nil
	r.Count("example.com/m.F", 1_000_000_000, 4, 6)
	p := samples.Load(t, r)
	f := p.Functions()[0]
	i := slices.IndexFunc(f.Paths, func(p profile.Path) bool { return slices.Equal(p.Edges, []int{4, 6}) })
	if got := known.FlowOf(p).Share(f, &f.Paths[i]); got != "≤100%" {
		t.Errorf("%s, want ≤100%%", got)
	}
}
