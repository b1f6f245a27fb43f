// Package otlp sends batches as OpenTelemetry's profiles, by HTTP, to a Collector, Pyroscope or Parca.
//
//	c, err := client.New("https://collector.example.com:4318", client.FromEnv(os.Getenv))
//	target := otlp.New(c, version)
//
// The signal is alpha: its format still changes. All that depends on it is in encode.go. It is written by
// go.opentelemetry.io/collector/pdata/pprofile, without its package pprofileotlp, which links gRPC: ProfilesData and the
// request to export it have the same bytes.
//
// # Worked example
//
// A prepared batch goprofinstr_calls with the sample types call_execs/count and time/nanoseconds becomes
//
//	resource  service.name=checkout, k8s.pod.name=checkout-0, goprofinstr.tables=HASH
//	scope     goprofinstr, version
//	profile   type call_execs/count, period type goprofinstr_calls/count, period 1
//	profile   type time/nanoseconds, period type goprofinstr_calls/count, period 1
//
// in one request. Pyroscope names what comes by OTLP by the period type, Parca by the scope.
package otlp
