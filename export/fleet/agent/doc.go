// Package agent knows what the programs of a machine have counted, and serves it while they run.
//
//	a := agent.New(agent.Options{Follow: follow.Options{Dirs: []string{"/run/goprofinstr/*"}}})
//	http.Handle("/debug/pprof/", a.Handler(true))
//
//	go tool pprof http://localhost:6065/debug/pprof/calls?seconds=5
//
// The addresses are those of net/http/pprof. Without seconds a profile has everything since the programs began, with calling
// contexts and CPU time where these were sampled. With seconds it has what was counted in that time. Runs are put together by
// service. Runs of different builds of one program come as one pprof profile, whose names and lines are those of each build.
//
// Nothing is added to the programs: their run files are read. See package follow for what is not read.
//
// # Not handled
//
// A program that was sampled has, of seconds, its estimates without intervals.
package agent
