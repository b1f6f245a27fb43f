package otlp

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"net/http"

	"github.com/goprofinstr/goprofinstr/export/fleet/client"
	"github.com/goprofinstr/goprofinstr/export/fleet/push"
	"github.com/goprofinstr/goprofinstr/internal/show"
)

// Target is a server of OTLP/HTTP.
type Target struct {
	client  *client.Client
	version string
}

var _ push.Target = (*Target)(nil)

// New returns the server of a client. The version is that of goprofinstr.
func New(c *client.Client, version string) *Target { return &Target{c, version} }

// Close closes connections.
func (t *Target) Close() { t.client.Close() }

// Push sends a batch. A server that rejects a part of it will never take that: the rest is not sent again, for it would be
// counted twice.
func (t *Target) Push(ctx context.Context, b push.Batch) (push.Outcome, error) {
	raw, err := encode(b, t.version)
	if err != nil {
		return push.Outcome{Verdict: push.Dropped, Reason: "cannot be encoded"}, err
	}
	var body bytes.Buffer
	z := gzip.NewWriter(&body)
	z.Write(raw) // to memory
	z.Close()
	answer, outcome, err := t.client.Post(ctx, path, http.Header{
		"Content-Type":                         {"application/x-protobuf"},
		"Content-Encoding":                     {"gzip"},
		"User-Agent":                           {"goprofinstr/" + t.version},
		http.CanonicalHeaderKey(versionHeader): {version},
	}, body.Bytes())
	if err != nil {
		return outcome, err
	}
	if rejected, message := partialSuccess(answer); rejected > 0 {
		return push.Outcome{Verdict: push.Dropped, Reason: "partial success"},
			fmt.Errorf("the server has rejected %d profiles: %s", rejected, show.ShortenRight(show.Printable(message), 200))
	}
	return outcome, nil
}
