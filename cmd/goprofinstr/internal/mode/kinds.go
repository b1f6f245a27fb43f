package main

import "strings"

// settleKinds reads the flags that say which events are counted besides paths.
func (f *wrapFlags) settleKinds() error {
	if f.kinds == "" {
		return nil
	}
	if f.perTest {
		return usagef("wrap: -kinds and -per-test cannot be had at once; tests are told apart by their paths")
	}
	for name := range strings.SplitSeq(f.kinds, ",") {
		switch name {
		case "paths", "edges": // which are counted anyway: branches follow from paths
		case "calls":
			f.events.Calls = true
		case "trips":
			f.events.Trips = true
		case "values":
			f.events.Values = true
		default:
			return usagef("wrap: unknown -kinds %q; use paths, edges, calls, trips and values", name)
		}
	}
	if f.kindsIn != "" {
		f.events.In = strings.Split(f.kindsIn, ",")
	}
	return nil
}
