package estimates

import "testing"

// TestParse has a function with intervals, one without, and one that was declined.
func TestParse(t *testing.T) {
	list, err := parse([]byte(`{"version":1,"functions":[
{"name":"f","status":"instrumented","calls":{"exact":5,"estimate":5,"low":5,"high":5},
"time_per_call":{"estimate":90,"samples":7,"low":70,"high":120},
"paths":[{"id":"18446744073709551615","count":90,"exact":10,"samples":8,"low":60,"high":130}],
"edges":[{"from":1,"count":90,"exact":10,"share":{"estimate":0.5,"low":0.4,"high":0.6}}]},
{"name":"g","status":"instrumented","paths":[{"id":"0","count":3,"samples":2,"edges":[0]}],"edges":[]},
{"name":"h","status":"declined"}]}`))
	if err != nil || len(list) != 2 {
		t.Fatalf("%v, %v", list, err)
	}
	f, g := &list[0], &list[1]
	if !f.Calls.HasInterval() || !f.Calls.Sure() || !f.Calls.Holds(5) || f.Calls.Holds(6) {
		t.Errorf("calls %+v", f.Calls)
	}
	if p := &f.Paths[0]; !p.HasInterval() || p.Sure() || !p.Holds(60) || p.Holds(131) || p.Exact != 10 || p.Estimate != 90 {
		t.Errorf("path %+v", p)
	}
	if e := &f.Edges[0]; e.HasInterval() || !e.Share.Holds(0.55) || f.TimePerCall.Samples != 7 {
		t.Errorf("edge %+v, time %+v", e, f.TimePerCall)
	}
	if !HaveIntervals(list) || HaveIntervals(list[1:]) || !Never().Sure() || Never().Holds(1) {
		t.Error("intervals where there are none, or none where there are")
	}
	if g.Calls.HasInterval() || g.Paths[0].HasInterval() || g.Paths[0].Samples != 2 {
		t.Errorf("%+v", g)
	}
}
