// Package push has what is sent to servers of profiles: one interval's counts, within the limits that servers have.
//
//	b := push.Batch{
//		Name:     push.Paths,
//		Labels:   map[string]string{"service_name": "checkout"},
//		Tables:   hash,
//		Start:    start,
//		Duration: time.Minute,
//		Profile:  delta, // as package export/pprof writes it
//	}
//	b, err := b.Prepare()
//	outcome, err := target.Push(ctx, b)
//
// # Worked example
//
// A delta has the samples
//
//	m.F {path 3: 12→14} under m.F    path_execs 5, flow 10    path:[12→14] path_id:[3] branches:[2]
//	m.F {path 4: 12→16} under m.F    path_execs 1, flow 2     path:[12→16] path_id:[4] branches:[2]
//
// Prepared, it has
//
//	m.F {path 3: 12→14} under m.F    path_execs 5
//	m.F {path 4: 12→16} under m.F    path_execs 1
//
// and the period type goprofinstr_paths/count with the period 1. With room for one sample only it has
//
//	m.F {other paths} under m.F      path_execs 6
//
// # Not handled
//
// Sums beyond 2⁶³-1 overflow. Samples that are folded lose their callers and labels; the values of their functions stay.
package push
