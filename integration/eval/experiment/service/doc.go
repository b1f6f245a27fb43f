// Package service holds the profiles of a real HTTP service against what a load generator has counted: eval service.
//
//	testdata/service  the service: four handlers, with hot loops and conditions that are rarely true
//	generator.go      sends requests at four rates, and counts them
//	server.go         the service as a process, and what it has measured itself
//	profiles.go       what a run's profile says of functions: calls, time of a call
//	experiment.go     flags, and the runs
//	tables.go         the tables, and the verdict
//
// The truth of the handlers is what the generator has counted. That of the functions in them is what exact counts of
// the same requests say. The truth of the time of a call is what the service has measured with its threads' clocks.
//
// # Not handled
//
// Other systems than Linux: the service reads the clocks of its threads.
package service
