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
	rename(p.Sample)
	var raw bytes.Buffer
	if err := p.Write(&raw); err != nil {
		return nil, err
	}
	return json.Marshal(request{[]series{{labels(b), []sample{{raw.Bytes(), b.ID}}}}})
}

// labels returns the labels of a series. A label with a dot gives way to one whose name it would get.
func labels(b push.Batch) []label {
	names := map[string]string{"__name__": b.Name, "goprofinstr_tables": b.Tables}
	for _, name := range slices.Backward(slices.Sorted(maps.Keys(b.Labels))) { // underscores come after dots
		if valid := push.PrometheusName(name); names[valid] == "" {
			names[valid] = b.Labels[name]
		}
	}
	var list []label
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if names[name] != "" {
			list = append(list, label{name, names[name]})
		}
	}
	return list
}

// rename gives samples labels that have no dots, since they become labels of series.
func rename(samples []*profile.Sample) {
	for _, s := range samples {
		renamed := make(map[string][]string)
		for _, name := range slices.Sorted(maps.Keys(s.Label)) {
			renamed[push.PrometheusName(name)] = s.Label[name]
		}
		s.Label = renamed
	}
}
