// Package pyroscope sends batches by Pyroscope's push API: JSON to /push.v1.PusherService/Push, which Grafana Alloy takes, too.
//
//	c, err := client.New("http://localhost:4040", client.Options{HeadersFile: name})
//	target := pyroscope.New(c, version)
//
// Each request has one series of one profile. Pushes are not atomic: of several series some may be stored, and the request
// fails all the same. To send it again would double them. The profile's name is ours; Pyroscope's other entrance, /ingest,
// takes types for CPU time or memory by what their names contain.
//
// Labels have no dots, which are underscores here: k8s_pod_name. The hash of the tables is the label goprofinstr_tables.
package pyroscope
