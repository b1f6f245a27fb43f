package client

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/goprofinstr/goprofinstr/export/fleet/credentials/credentialstest"
	"github.com/goprofinstr/goprofinstr/export/fleet/push"
)

func post(t *testing.T, c *Client) (string, push.Outcome, error) {
	t.Helper()
	answer, outcome, err := c.Post(t.Context(), "/v1/x", http.Header{"Content-Type": {"text/plain"}}, []byte("body"))
	if (err == nil) != (outcome.Verdict == push.Delivered) {
		t.Errorf("verdict %d, but error %v", outcome.Verdict, err)
	}
	return string(answer), outcome, err
}

func newClient(t *testing.T, endpoint string, o Options) *Client {
	t.Helper()
	c, err := New(endpoint, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestOutcomes has what servers answer, and what is done then.
func TestOutcomes(t *testing.T) {
	now := time.Date(2026, 11, 24, 12, 0, 0, 0, time.UTC)
	for _, test := range []struct {
		status     int
		retryAfter string
		want       push.Outcome
	}{
		{200, "", push.Outcome{Verdict: push.Delivered}},
		{202, "", push.Outcome{Verdict: push.Delivered}},
		{400, "", push.Outcome{Verdict: push.Dropped, Reason: "400 Bad Request"}},
		{413, "", push.Outcome{Verdict: push.Held}},
		{401, "", push.Outcome{}},
		{404, "", push.Outcome{}},
		{500, "", push.Outcome{Verdict: push.Held, Doubtful: true}},
		{502, "", push.Outcome{Doubtful: true}},
		{429, "17", push.Outcome{Wait: 17 * time.Second}},
		{503, "Tue, 24 Nov 2026 12:02:00 GMT", push.Outcome{Wait: 2 * time.Minute}},
		{503, "Tue, 24 Nov 2026 11:00:00 GMT", push.Outcome{}},
		{503, "999999999", push.Outcome{Wait: time.Hour}},
		{503, "soon", push.Outcome{}},
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if test.retryAfter != "" {
				w.Header().Set("Retry-After", test.retryAfter)
			}
			w.WriteHeader(test.status)
		}))
		_, outcome, _ := post(t, newClient(t, server.URL, Options{Now: func() time.Time { return now }}))
		server.Close()
		if outcome != test.want {
			t.Errorf("%d, Retry-After %q: %+v, want %+v", test.status, test.retryAfter, outcome, test.want)
		}
	}
}

// TestDoubtful has a server that reads a request and breaks off, and one that is not there.
func TestDoubtful(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		panic(http.ErrAbortHandler)
	}))
	defer server.Close()
	c := newClient(t, server.URL, Options{})
	if _, outcome, err := post(t, c); !outcome.Doubtful || outcome.Verdict != push.Later {
		t.Errorf("broken off: %+v, %v", outcome, err)
	}
	server.Close()
	if _, outcome, err := post(t, c); outcome.Doubtful || outcome.Verdict != push.Later {
		t.Errorf("nobody there: %+v, %v", outcome, err)
	}
}

// TestRedirect has a server that sends requests on to another one, which sees none of them.
func TestRedirect(t *testing.T) {
	asked := make(chan bool, 10)
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked <- true }))
	defer other.Close()
	for _, status := range []int{301, 302, 303, 307, 308} {
		server := httptest.NewServer(http.RedirectHandler(other.URL, status))
		_, outcome, err := post(t, newClient(t, server.URL, Options{Headers: "Authorization=secret-token"}))
		server.Close()
		if outcome.Verdict != push.Later || err == nil || len(asked) > 0 {
			t.Errorf("%d: %+v, %v; the other server was asked %d times", status, outcome, err, len(asked))
		}
	}
}

// TestLongAnswer has an answer without an end.
func TestLongAnswer(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for {
			if _, err := w.Write(make([]byte, 64<<10)); err != nil {
				return
			}
		}
	}))
	defer server.Close()
	answer, outcome, _ := post(t, newClient(t, server.URL, Options{}))
	if len(answer) != maxAnswer || outcome.Verdict != push.Delivered {
		t.Errorf("%d bytes, %+v", len(answer), outcome)
	}
}

// TestHeaders has a token that is renewed between two requests, and one in a variable.
func TestHeaders(t *testing.T) {
	var got http.Header
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { got = r.Header.Clone() }))
	defer server.Close()
	file := filepath.Join(t.TempDir(), "token")
	write(t, file, "first\n")
	c := newClient(t, server.URL, Options{Headers: "X-Scope-OrgID=team%20a,authorization=Basic%20eA==", HeadersFile: file})
	post(t, c)
	if got.Get("Authorization") != "Bearer first" || got.Get("X-Scope-OrgID") != "team a" || got.Get("Content-Type") != "text/plain" {
		t.Errorf("headers %v", got)
	}
	write(t, file, "Authorization: Bearer second:with colon\nX-Other: 1\n")
	post(t, c)
	if got.Get("Authorization") != "Bearer second:with colon" || got.Get("X-Other") != "1" {
		t.Errorf("headers %v", got)
	}
	got = nil
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if _, outcome, err := post(t, c); err == nil || outcome != (push.Outcome{}) || got != nil {
		t.Errorf("without the file: %+v, %v, headers %v", outcome, err, got)
	}
}

// TestHeadersOthers has a file that every user of the machine may read: at the start, and when it is renewed.
func TestHeadersOthers(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("files have no such permissions")
	}
	server := httptest.NewServer(http.NotFoundHandler())
	defer server.Close()
	file := filepath.Join(t.TempDir(), "token")
	write(t, file, "hunter2")
	c := newClient(t, server.URL, Options{HeadersFile: file})
	if err := os.Chmod(file, 0o644); err != nil {
		t.Fatal(err)
	}
	_, _, posted := post(t, c)
	_, err := New(server.URL, Options{HeadersFile: file})
	for _, err := range []error{posted, err} {
		if err == nil || !strings.Contains(err.Error(), file+" can be read by every user") {
			t.Errorf("%v", err)
		}
	}
}

// TestFromEnv takes the variables by the names that OpenTelemetry has given them.
func TestFromEnv(t *testing.T) {
	o := FromEnv(func(name string) string { return "of " + name })
	if o.Headers != "of OTEL_EXPORTER_OTLP_HEADERS" || o.CA != "of OTEL_EXPORTER_OTLP_CERTIFICATE" ||
		o.Certificate != "of OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE" || o.Key != "of OTEL_EXPORTER_OTLP_CLIENT_KEY" {
		t.Errorf("got %+v", o)
	}
}

// TestSecrets has mistakes whose messages must not repeat what is secret.
func TestSecrets(t *testing.T) {
	echo := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Error(w, "bad token: "+r.Header.Get("Authorization")+"\x1b[31m", http.StatusUnauthorized)
	}))
	defer echo.Close()
	_, _, err := post(t, newClient(t, echo.URL, Options{Headers: "Authorization=Bearer%20hunter2"}))
	if err == nil || strings.Contains(err.Error(), "hunter2") || strings.Contains(err.Error(), "\x1b") || !strings.Contains(err.Error(), "bad token") {
		t.Errorf("a server repeats the token: %q", err)
	}
	file := filepath.Join(t.TempDir(), "headers")
	write(t, file, "Authorization: x\nhunter2\n")
	if _, _, err := post(t, newClient(t, echo.URL, Options{HeadersFile: file})); err == nil || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("a broken file: %q", err)
	}
	for _, headers := range []string{"hunter2", "a=%hunter2", "a b=hunter2", "=hunter2", "a=hunter2%0ab"} {
		if _, err := New(echo.URL, Options{Headers: headers}); err == nil || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%q: %v", headers, err)
		}
	}
	for _, address := range []string{"https://user:hunter2@host", "https://host/?token=hunter2", "https://host/#hunter2", "ftp://host/hunter2", "https://%hunter2", "host:80"} {
		if _, err := New(address, Options{}); err == nil || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%q: %v", address, err)
		}
	}
}

// TestPlain has credentials and addresses that are not encrypted.
func TestPlain(t *testing.T) {
	for _, test := range []struct {
		address string
		allowed bool
	}{
		{"http://127.0.0.1:4318", true},
		{"http://[::1]:4318", true},
		{"http://localhost:4318", true},
		{"https://collector.example.com", true},
		{"http://collector.example.com", false},
		{"http://10.0.0.1", false},
		{"http://localhost.example.com", false},
		{"http://0.0.0.0", false},
	} {
		for _, o := range []Options{{Headers: "a=b"}, {HeadersFile: "token"}, {Certificate: "cert.pem", Key: "key.pem"}} {
			if _, err := New(test.address, o); (err == nil) != test.allowed {
				t.Errorf("%s with %+v: %v", test.address, o, err)
			}
		}
		if _, err := New(test.address, Options{}); err != nil {
			t.Errorf("%s without credentials: %v", test.address, err)
		}
	}
}

// serve starts a server that demands certificates of an authority.
func serve(t *testing.T, a credentialstest.Authority, config *tls.Config, names chan<- string) *httptest.Server {
	t.Helper()
	certificate, key := a.Issue("server")
	pair, err := tls.X509KeyPair([]byte(certificate), []byte(key))
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if len(r.TLS.PeerCertificates) > 0 {
			names <- r.TLS.PeerCertificates[0].Subject.CommonName
		}
	}))
	config.Certificates = []tls.Certificate{pair}
	server.TLS = config
	server.Config.ErrorLog = log.New(io.Discard, "", 0) // refused handshakes are what is tested
	server.StartTLS()
	t.Cleanup(server.Close)
	return server
}

// TestCertificates has a server that knows us by our certificate, which is renewed, as is the authority.
func TestCertificates(t *testing.T) {
	first, second := credentialstest.NewAuthority(t), credentialstest.NewAuthority(t)
	names := make(chan string, 10)
	clients := x509.NewCertPool()
	clients.AddCert(first.Cert)
	server := serve(t, first, &tls.Config{ClientCAs: clients, ClientAuth: tls.RequireAndVerifyClientCert}, names)

	dir := t.TempDir()
	o := Options{CA: filepath.Join(dir, "ca"), Certificate: filepath.Join(dir, "cert"), Key: filepath.Join(dir, "key")}
	certificate, key := first.Issue("agent 1")
	write(t, o.CA, first.PEM())
	write(t, o.Certificate, certificate)
	write(t, o.Key, key)
	c := newClient(t, server.URL, o)
	if _, _, err := post(t, c); err != nil || <-names != "agent 1" {
		t.Fatalf("the first certificate: %v", err)
	}
	certificate, key = first.Issue("agent 2")
	write(t, o.Certificate, certificate)
	if _, outcome, err := post(t, c); err == nil || outcome.Verdict != push.Later {
		t.Error("half renewed: a certificate and the key of another one were taken")
	}
	write(t, o.Key, key)
	if _, _, err := post(t, c); err != nil || <-names != "agent 2" {
		t.Errorf("renewed: %v", err)
	}
	write(t, o.CA, second.PEM())
	if _, _, err := post(t, c); err == nil {
		t.Error("a server of an authority that is not trusted any more was believed")
	}
	write(t, o.CA, "no certificate")
	if _, _, err := post(t, c); err == nil {
		t.Error("a file without authorities was taken")
	}
}

// TestOldTLS has a server that knows nothing newer than TLS 1.1.
func TestOldTLS(t *testing.T) {
	a := credentialstest.NewAuthority(t)
	server := serve(t, a, &tls.Config{MinVersion: tls.VersionTLS10, MaxVersion: tls.VersionTLS11}, nil)
	ca := filepath.Join(t.TempDir(), "ca")
	write(t, ca, a.PEM())
	if _, outcome, err := post(t, newClient(t, server.URL, Options{CA: ca})); err == nil || outcome.Doubtful {
		t.Errorf("%+v, %v", outcome, err)
	}
	server = serve(t, a, &tls.Config{MaxVersion: tls.VersionTLS12}, nil)
	if _, _, err := post(t, newClient(t, server.URL, Options{CA: ca})); err != nil {
		t.Errorf("TLS 1.2: %v", err)
	}
}

// TestCancelled ends a request of which the server makes no end.
func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		cancel()
		<-r.Context().Done()
	}))
	defer server.Close()
	_, outcome, err := newClient(t, server.URL, Options{}).Post(ctx, "/", nil, []byte("body"))
	if err == nil || !outcome.Doubtful || outcome.Verdict != push.Later {
		t.Errorf("%+v, %v", outcome, err)
	}
}
