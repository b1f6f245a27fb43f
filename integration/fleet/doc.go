// Package fleet tests the manifests of examples/agent, decoded as Kubernetes has them. It also tests what is pushed with the
// code of the servers: the Collector's receiver of OTLP, and Pyroscope's generated handler. What Pyroscope refuses is in
// limits_test.go, as its sources have it, since the server itself cannot be built here.
package fleet
