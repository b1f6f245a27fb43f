package pyroscope

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"slices"

	"github.com/google/pprof/profile"

	"github.com/goprofinstr/goprofinstr/export/fleet/client"
	"github.com/goprofinstr/goprofinstr/export/fleet/push"
)

const path = "/push.v1.PusherService/Push"

// Target is a server of Pyroscope.
type Target struct {
	client  *client.Client
	version string
}

var _ push.Target = (*Target)(nil)

// New returns the server of a client. The version is that of goprofinstr.
func New(c *client.Client, version string) *Target { return &Target{c, version} }

// Close closes connections.
func (t *Target) Close() { t.client.Close() }

// request is a push.v1.PushRequest as JSON.
type request struct {
	Series []series `json:"series"`
}

type series struct {
	Labels  []label  `json:"labels"`
	Samples []sample `json:"samples"`
}

type label struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

type sample struct {
	RawProfile []byte `json:"rawProfile"` // gzipped pprof; JSON has it in base64
	ID         string `json:"ID,omitempty"`
}

// Push sends a batch.
func (t *Target) Push(ctx context.Context, b push.Batch) (push.Outcome, error) {
	body, err := encode(b)
	if err != nil {
		return push.Outcome{Verdict: push.Dropped, Reason: "cannot be encoded"}, err
	}
	_, outcome, err := t.client.Post(ctx, path, http.Header{
		"Content-Type":             {"application/json"},
		"Connect-Protocol-Version": {"1"},
		"User-Agent":               {"goprofinstr/" + t.version},
	}, body)
	return outcome, err
}

func encode(b push.Batch) ([]byte, error) {
	p := b.Profile.Copy()
	p.TimeNanos = b.Start.UnixNano()
	p.DurationNanos = int64(b.Duration)
	of := labels(b)
	rename(p.Sample, of)
	var raw bytes.Buffer
	if err := p.Write(&raw); err != nil {
		return nil, err
	}
	return json.Marshal(request{[]series{{list(of), []sample{{raw.Bytes(), b.ID}}}}})
}

// labels returns the labels of a series. Our own two come before labels of a process with the same names.
func labels(b push.Batch) map[string]string {
	names := push.PrometheusLabels(b.Labels)
	names["__name__"], names["goprofinstr_tables"] = b.Name, b.Tables
	maps.DeleteFunc(names, func(_, value string) bool { return value == "" })
	return names
}

// list returns labels by name.
func list(labels map[string]string) (list []label) {
	for _, name := range slices.Sorted(maps.Keys(labels)) {
		list = append(list, label{name, labels[name]})
	}
	return list
}

// rename gives samples labels that have no dots, since they become labels of series. One that the series has, too, would be there
// twice, and is left out.
func rename(samples []*profile.Sample, series map[string]string) {
	for _, s := range samples {
		values := make(map[string]string)
		for name, all := range s.Label {
			values[name] = all[0] // Prepare leaves one of each
		}
		s.Label = make(map[string][]string)
		for name, value := range push.PrometheusLabels(values) {
			if _, twice := series[name]; !twice {
				s.Label[name] = []string{value}
			}
		}
	}
}
