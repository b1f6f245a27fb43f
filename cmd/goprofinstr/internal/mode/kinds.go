package mode

import (
	"strings"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/guess"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/usage"
	"github.com/goprofinstr/goprofinstr/rewrite"
)

// readKinds reads the flags that say which events are counted besides paths.
func (f *Flags) readKinds(k *rewrite.Kinds) error {
	if f.kinds == "" {
		return nil
	}
	if f.perTest {
		return usage.Errorf("-kinds and -per-test cannot be had at once; tests are told apart by their paths")
	}
	for name := range strings.SplitSeq(f.kinds, ",") {
		switch name {
		case "paths", "edges": // which are counted anyway: branches follow from paths
		case "calls":
			k.Calls = true
		case "trips":
			k.Trips = true
		case "values":
			k.Values = true
		default:
			hint := guess.Hint(name, "", []string{"paths", "edges", "calls", "trips", "values"})
			return usage.Errorf("unknown -kinds %q%s; use paths, edges, calls, trips and values", name, hint)
		}
	}
	if f.kindsIn != "" {
		k.In = strings.Split(f.kindsIn, ",")
	}
	return nil
}
