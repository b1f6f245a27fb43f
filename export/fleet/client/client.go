package client

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/goprofinstr/goprofinstr/export/fleet/credentials"
	"github.com/goprofinstr/goprofinstr/export/fleet/push"
	"github.com/goprofinstr/goprofinstr/internal/show"
)

const (
	maxAnswer  = 1 << 20
	maxMessage = 200       // runes of what a server says that errors have
	maxWait    = time.Hour // however long a server wants to be left alone
)

// Options say where credentials come from. The zero Options have none.
type Options struct {
	Headers     string // name=value,name=value, the values percent-encoded, as in OTEL_EXPORTER_OTLP_HEADERS
	HeadersFile string // lines "Name: value", or a bearer token alone; see credentials.ReadSecret for who may read it

	CA, Certificate, Key string // PEM files: whom to trust in place of the system's authorities, and who we are

	Timeout time.Duration    // of a request; 0 is 30 seconds
	Now     func() time.Time // nil is time.Now
}

// FromEnv returns options as the variables of OpenTelemetry's exporters have them. They are for a server of OTLP.
func FromEnv(getenv func(string) string) Options {
	return Options{
		Headers:     getenv("OTEL_EXPORTER_OTLP_HEADERS"),
		CA:          getenv("OTEL_EXPORTER_OTLP_CERTIFICATE"),
		Certificate: getenv("OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE"),
		Key:         getenv("OTEL_EXPORTER_OTLP_CLIENT_KEY"),
	}
}

// A Client makes requests to one server.
type Client struct {
	endpoint *url.URL
	options  Options
	headers  http.Header // of Options.Headers

	mu    sync.Mutex
	files credentials.Files // what http was made of
	http  *http.Client
}

// New returns a client of the server at an address, such as https://host:4318 or http://localhost:4040/base.
func New(endpoint string, o Options) (*Client, error) {
	u, err := url.Parse(endpoint)
	switch {
	case err != nil:
		return nil, errors.New("the server's address is no URL") // err has it whole, with a password in it
	case u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		return nil, errors.New("the server's address has to begin with http:// or https://, and a host")
	case u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return nil, errors.New("the server's address has a user, a query or a fragment: give credentials as headers")
	}
	headers, err := parseList(o.Headers)
	if err != nil {
		return nil, err
	}
	if o.Timeout == 0 {
		o.Timeout = 30 * time.Second
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	c := &Client{endpoint: u, options: o, headers: headers}
	if _, err := c.credentials(); errors.Is(err, credentials.ErrOthers) {
		return nil, err // other mistakes may go until the first request, as a file that is not there yet
	}
	if o.HeadersFile != "" || len(headers) > 0 || o.Certificate != "" {
		return c, c.checkPrivate()
	}
	return c, nil
}

// checkPrivate returns an error if what is sent can be read on its way.
func (c *Client) checkPrivate() error {
	host := c.endpoint.Hostname()
	ip := net.ParseIP(host)
	if c.endpoint.Scheme == "https" || host == "localhost" || ip != nil && ip.IsLoopback() {
		return nil
	}
	return fmt.Errorf("credentials are not sent to %s unencrypted: use https", show.Printable(host))
}

// Close closes connections that are not in use. The client can be used again.
func (c *Client) Close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.http != nil {
		c.http.CloseIdleConnections()
	}
}

// Post sends a body to a path below the server's address. It returns the beginning of the answer, and what
// has become of the batch in the body; the error says why that is not Delivered.
func (c *Client) Post(ctx context.Context, path string, header http.Header, body []byte) ([]byte, push.Outcome, error) {
	secrets, err := c.credentials()
	if err != nil {
		return nil, push.Outcome{}, err
	}
	client, err := c.current()
	if err != nil {
		return nil, push.Outcome{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, c.options.Timeout)
	defer cancel()
	var sent atomic.Bool
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{WroteHeaders: func() { sent.Store(true) }})
	req, err := http.NewRequestWithContext(ctx, "POST", c.endpoint.JoinPath(path).String(), bytes.NewReader(body))
	if err != nil {
		return nil, push.Outcome{}, err
	}
	for _, h := range []http.Header{secrets, header} {
		for name, values := range h {
			req.Header[name] = values
		}
	}
	resp, err := client.Do(req)
	if err != nil {
		return nil, push.Outcome{Doubtful: sent.Load()}, redact(err.Error(), secrets)
	}
	defer resp.Body.Close()
	// What is wrong with the body does not change what the status says.
	answer, _ := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	outcome := c.outcome(resp)
	if outcome.Verdict == push.Delivered {
		return answer, outcome, nil
	}
	return answer, outcome, redact(resp.Status+": "+message(answer), secrets)
}

// outcome returns what a status says of the batch.
func (c *Client) outcome(resp *http.Response) push.Outcome {
	switch code := resp.StatusCode; code {
	case http.StatusBadRequest:
		return push.Outcome{Verdict: push.Dropped, Reason: "400 Bad Request"}
	case http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType, http.StatusUnprocessableEntity:
		return push.Outcome{Verdict: push.Held} // mostly of something between us and the server
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		return push.Outcome{Wait: retryAfter(resp.Header.Get("Retry-After"), c.options.Now())}
	case http.StatusInternalServerError:
		return push.Outcome{Verdict: push.Held, Doubtful: true} // a Collector says so of what it will never take; a part of the server may have it
	case http.StatusBadGateway, http.StatusGatewayTimeout:
		return push.Outcome{Doubtful: true} // the server behind the gateway may have it
	default:
		if 200 <= code && code <= 299 {
			return push.Outcome{Verdict: push.Delivered}
		}
		return push.Outcome{}
	}
}

// retryAfter returns how long to wait, by seconds or a date.
func retryAfter(text string, now time.Time) time.Duration {
	wait := time.Duration(0)
	if seconds, err := strconv.ParseInt(text, 10, 32); err == nil {
		wait = time.Duration(seconds) * time.Second
	} else if date, err := http.ParseTime(text); err == nil {
		wait = date.Sub(now)
	}
	return min(max(wait, 0), maxWait)
}

// message returns what people can read of an answer, which may be a protobuf message with a text in it.
func message(answer []byte) string {
	return strings.ReplaceAll(show.Printable(string(answer[:min(len(answer), 4*maxMessage)])), "\uFFFD", "")
}

// redact returns an error of a text that may come from a server, without the values of headers.
func redact(text string, secrets http.Header) error {
	for _, values := range secrets {
		for _, v := range values {
			for _, word := range append(strings.Fields(v), v) {
				if len(word) > 3 {
					text = strings.ReplaceAll(text, word, "[hidden]")
				}
			}
		}
	}
	return errors.New(show.ShortenRight(show.Printable(text), maxMessage))
}

// current returns the HTTP client with the certificates as they are now.
func (c *Client) current() (*http.Client, error) {
	o := &c.options
	files, err := credentials.Read(o.Certificate, o.Key, o.CA)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.http != nil && files.Equal(c.files) {
		return c.http, nil
	}
	config, err := tlsConfig(files, o.Now())
	if err != nil {
		return nil, err
	}
	if c.http != nil {
		c.http.CloseIdleConnections()
	}
	c.files = files
	c.http = newHTTP(config)
	return c.http, nil
}

func newHTTP(config *tls.Config) *http.Client {
	return &http.Client{
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{
			Proxy:                  http.ProxyFromEnvironment,
			TLSClientConfig:        config,
			TLSHandshakeTimeout:    10 * time.Second,
			ForceAttemptHTTP2:      true,
			IdleConnTimeout:        90 * time.Second, // longer than a minute, which is the usual interval
			MaxResponseHeaderBytes: 64 << 10,
			DisableCompression:     true, // answers are short, and a short one may inflate to a long one
		},
	}
}
