package builds

import (
	"slices"

	"github.com/goprofinstr/goprofinstr/export/fleet/labels"
	"github.com/goprofinstr/goprofinstr/rt/rundata"
)

// hosts returns the hosts of runs, each once, as far as they have said.
func hosts(runs []*rundata.Run) (names []string) {
	for _, r := range runs {
		if name := labels.Of(r)[labels.HostName]; name != "" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
