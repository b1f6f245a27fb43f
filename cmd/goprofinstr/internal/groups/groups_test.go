package groups

import (
	"testing"

	"github.com/goprofinstr/goprofinstr/rt/rundata"
)

// TestGroupOfRun has runs that were told their service in both ways. It is the group's, and not among the labels.
func TestGroupOfRun(t *testing.T) {
	for _, run := range []*rundata.Run{
		{Service: "shop", Attributes: "host.name=web1,region=eu"},
		{Attributes: "service.name=shop,host.name=web1,region=eu"},
		{Service: "shop", Attributes: "service.name=other,host.name=web1,region=eu"},
	} {
		g := groupOfRun("out/run.7.1.gpi", run)
		if g.Service != "shop" || g.Host != "web1" || len(g.Labels) != 1 || g.Labels["region"] != "eu" || g.Run != "7.1" {
			t.Errorf("%q and %q: service %q, host %q, labels %v, run %q",
				run.Service, run.Attributes, g.Service, g.Host, g.Labels, g.Run)
		}
	}
}
