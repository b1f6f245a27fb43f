// Package pgoservice measures what profiles for the compiler are worth to a service of JSON over HTTP: eval pgo-service. Most of
// the time of such a service is spent in packages that are not its own, encoding/json, regexp, net/http and the runtime.
//
//	testdata/shop    the service: orders, a search, invoices, events and logs
//	requests.go      what is asked of it
//	load.go          sends requests over a few connections, and compares the answers
//	shop.go          the service as a process
//	profiles.go      the profiles: what was recorded of the service at work, and what the compiler gets
//	experiment.go    flags, and the rounds
//	instructions.go  the same in callgrind
//	tables.go        the tables
//
// Each profile is of the same requests. Then the service is built with each, all packages of it, and the builds serve the same
// requests in turn. Two things are measured: the CPU time that the service's process takes for a request, by getrusage, and
// the time until all requests are answered. With -callgrind the instructions for a request are, too.
//
// # Not handled
//
// Other systems than Unix, where a process has another way to its CPU time. Windows and macOS, where sampled runs have no CPU
// time of what is not instrumented.
package pgoservice
