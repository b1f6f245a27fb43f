package access

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/goprofinstr/goprofinstr/export/fleet/credentials/credentialstest"
)

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// A fixture is a server whose files are in a folder, and an authority that signs for it.
type fixture struct {
	t       *testing.T
	dir     string
	options Options
	said    []string
	server  *httptest.Server
	pool    *x509.CertPool
}

// serve starts a server with TLS that asks for what is named: "ca" or "tokens".
func serve(t *testing.T, a credentialstest.Authority, asks string) *fixture {
	t.Helper()
	f := &fixture{t: t, dir: t.TempDir(), pool: x509.NewCertPool()}
	f.pool.AddCert(a.Cert)
	f.options = Options{
		Certificate: f.file("cert"), Key: f.file("key"), Now: time.Now,
		Say: func(line string) { f.said = append(f.said, line) },
	}
	f.renew(a.Issue("server"))
	if strings.Contains(asks, "ca") {
		f.options.ClientCA = f.file("ca")
		write(t, f.options.ClientCA, a.PEM())
	}
	if strings.Contains(asks, "tokens") {
		f.options.Tokens = f.file("tokens")
		write(t, f.options.Tokens, "first-token-of-readers\n\nother-token-of-readers\n")
	}
	access, err := New(f.options)
	if err != nil {
		t.Fatal(err)
	}
	f.server = httptest.NewUnstartedServer(access.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, "secret counts")
	})))
	f.server.TLS = access.TLS()
	f.server.Config.ErrorLog = log.New(io.Discard, "", 0)
	f.server.StartTLS()
	t.Cleanup(f.server.Close)
	return f
}

func (f *fixture) file(name string) string { return filepath.Join(f.dir, name) }

func (f *fixture) renew(certificate, key string) {
	f.t.Helper()
	write(f.t, f.options.Certificate, certificate)
	write(f.t, f.options.Key, key)
}

// client returns a reader, with a certificate if there is one.
func (f *fixture) client(certificate, key string) *http.Client {
	f.t.Helper()
	config := &tls.Config{RootCAs: f.pool, ClientSessionCache: tls.NewLRUClientSessionCache(8)}
	if certificate != "" {
		pair, err := tls.X509KeyPair([]byte(certificate), []byte(key))
		if err != nil {
			f.t.Fatal(err)
		}
		config.Certificates = []tls.Certificate{pair}
	}
	transport := &http.Transport{TLSClientConfig: config, ForceAttemptHTTP2: true}
	f.t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

// get returns the status of a request, and 0 if there is no answer.
func (f *fixture) get(c *http.Client, token string, host ...string) int {
	f.t.Helper()
	r, err := http.NewRequest("GET", f.server.URL, nil)
	if err != nil {
		f.t.Fatal(err)
	}
	if token != "" {
		r.Header.Set("Authorization", token)
	}
	if len(host) > 0 {
		r.Host = host[0]
	}
	resp, err := c.Do(r)
	if err != nil {
		return 0
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		f.t.Fatal(err)
	}
	if (resp.StatusCode == http.StatusOK) != (string(body) == "secret counts") {
		f.t.Errorf("status %d with %q", resp.StatusCode, body)
	}
	return resp.StatusCode
}

func (f *fixture) want(what string, got, want int) {
	f.t.Helper()
	if got != want {
		f.t.Errorf("%s: status %d, want %d", what, got, want)
	}
}

// TestTokens has readers with and without a token of the file, which is renewed, damaged, and removed.
func TestTokens(t *testing.T) {
	f := serve(t, credentialstest.NewAuthority(t), "tokens")
	c := f.client("", "")
	for token, want := range map[string]int{
		"Bearer first-token-of-readers":  200,
		"bearer other-token-of-readers":  200,
		"":                               401,
		"Bearer ":                        401,
		"first-token-of-readers":         401,
		"Basic first-token-of-readers":   401,
		"Bearer first-token-of-reader":   401,
		"Bearer first-token-of-readers2": 401,
		"Bearer \x00":                    0,
	} {
		f.want(fmt.Sprintf("%q", token), f.get(c, token), want)
	}
	write(t, f.options.Tokens, "third-token-of-readers")
	f.want("renewed, the old one", f.get(c, "Bearer first-token-of-readers"), 401)
	f.want("renewed, the new one", f.get(c, "Bearer third-token-of-readers"), 200)
	write(t, f.options.Tokens, "short")
	for range 2 {
		f.want("damaged", f.get(c, "Bearer third-token-of-readers"), 503)
	}
	if len(f.said) != 1 || strings.Contains(f.said[0], "short\"") || !strings.Contains(f.said[0], "line 1 has 5 characters") {
		t.Errorf("said %q", f.said)
	}
	write(t, f.options.Tokens, "third-token-of-readers")
	f.want("good again", f.get(c, "Bearer third-token-of-readers"), 200)
}

// TestClients has readers with certificates, of the authority that is asked for and of others.
func TestClients(t *testing.T) {
	first, second := credentialstest.NewAuthority(t), credentialstest.NewAuthority(t)
	f := serve(t, first, "ca")
	good := f.client(first.Issue("reader"))
	f.want("a reader", f.get(good, ""), 200)
	f.want("nobody", f.get(f.client("", ""), ""), 0)
	f.want("of another authority", f.get(f.client(second.Issue("reader")), ""), 0)
	f.want("expired", f.get(f.client(first.IssueUntil("reader", time.Now().Add(-time.Minute))), ""), 0)
	write(t, f.options.ClientCA, second.PEM()) // from now on
	f.want("of the authority before, on the same connection", f.get(good, ""), 403)
	good.CloseIdleConnections()
	if got := f.get(good, ""); got == 200 {
		t.Error("of the authority before, in the same session: let in")
	}
	f.want("of the authority before, anew", f.get(f.client(first.Issue("reader")), ""), 0)
	f.want("of the authority now", f.get(f.client(second.Issue("reader")), ""), 200)
	if len(f.said) > 0 {
		t.Errorf("said %q", f.said)
	}
}

// TestBoth has a server that asks for a certificate and a token.
func TestBoth(t *testing.T) {
	a := credentialstest.NewAuthority(t)
	f := serve(t, a, "ca tokens")
	f.want("both", f.get(f.client(a.Issue("reader")), "Bearer first-token-of-readers"), 200)
	f.want("no token", f.get(f.client(a.Issue("reader")), ""), 401)
	f.want("no certificate", f.get(f.client("", ""), "Bearer first-token-of-readers"), 0)
}

// TestRotation renews the server's certificate while it serves: half at first, and badly once.
func TestRotation(t *testing.T) {
	a := credentialstest.NewAuthority(t)
	f := serve(t, a, "tokens")
	served := func() string {
		t.Helper()
		c, err := tls.Dial("tcp", f.server.Listener.Addr().String(), &tls.Config{RootCAs: f.pool})
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		return c.ConnectionState().PeerCertificates[0].Subject.CommonName
	}
	steps := []struct {
		do   func()
		want string
		says string
	}{
		{func() {}, "server", ""},
		{func() { f.renew(a.Issue("second")) }, "second", ""},
		{func() { certificate, _ := a.Issue("third"); write(t, f.options.Certificate, certificate) }, "second", "private key does not match"},
		{func() { f.renew(a.Issue("fourth")) }, "fourth", ""},
		{func() { f.renew("", "") }, "fourth", "nothing in PEM form"},
		{func() { f.renew(a.IssueUntil("fifth", time.Now().Add(-time.Hour))) }, "fourth", "has expired on"},
		{func() { os.Remove(f.options.Key) }, "fourth", "key"},
		{func() { f.renew(a.Issue("sixth")) }, "sixth", ""},
	}
	for i, step := range steps {
		f.said = nil
		step.do()
		for range 2 { // what is wrong is told once
			if got := served(); got != step.want {
				t.Errorf("step %d: the server is %q, want %q", i, got, step.want)
			}
		}
		if n := len(f.said); n > 1 || (n == 1) != (step.says != "") || n == 1 && !strings.Contains(f.said[0], step.says) {
			t.Errorf("step %d: said %q, want %q", i, f.said, step.says)
		}
	}
}

// TestExpires has certificates expire while a server runs and a client is connected.
func TestExpires(t *testing.T) {
	a := credentialstest.NewAuthority(t)
	f := serve(t, a, "ca")
	now := time.Now()
	f.options.Now = func() time.Time { return now }
	access, err := New(f.options)
	if err != nil {
		t.Fatal(err)
	}
	f.server.Config.Handler = access.Handler(http.NotFoundHandler())
	c := f.client(a.Issue("reader"))
	f.want("valid", f.get(c, ""), 404)
	now = now.Add(2 * time.Hour)
	f.want("expired", f.get(c, ""), 403)
	if len(f.said) != 1 || !strings.Contains(f.said[0], "has expired on") {
		t.Errorf("said %q", f.said)
	}
}

// TestHosts has requests for other names, as a browser makes them for whoever has given his name the address of the server.
func TestHosts(t *testing.T) {
	f := serve(t, credentialstest.NewAuthority(t), "tokens")
	c := f.client("", "")
	for host, want := range map[string]int{
		"agent.example": 200, "agent.example:6065": 200, "AGENT.example": 200, "localhost:1": 200, "127.0.0.1": 200, "[::1]:80": 200,
		"evil.example": 421, "agent.example.evil": 421, "evil.example:6065": 421, "localhost.evil.example": 421,
	} {
		f.want(host, f.get(c, "Bearer first-token-of-readers", host), want)
	}
}

// TestOldTLS has readers that know nothing newer than TLS 1.1.
func TestOldTLS(t *testing.T) {
	f := serve(t, credentialstest.NewAuthority(t), "tokens")
	for version, want := range map[uint16]bool{tls.VersionTLS11: false, tls.VersionTLS12: true, tls.VersionTLS13: true} {
		config := &tls.Config{RootCAs: f.pool, MinVersion: tls.VersionTLS10, MaxVersion: version}
		c, err := tls.Dial("tcp", f.server.Listener.Addr().String(), config)
		if (err == nil) != want {
			t.Errorf("%s: %v", tls.VersionName(version), err)
		}
		if err == nil {
			c.Close()
		}
	}
}

// TestMistakes has files that cannot be what they are given as. The error says which, and has nothing of what is in them.
func TestMistakes(t *testing.T) {
	a := credentialstest.NewAuthority(t)
	certificate, key := a.Issue("server")
	expired, expiredKey := a.IssueUntil("server", time.Now().Add(-time.Hour))
	later, laterKey := a.IssueUntil("server", time.Now().Add(48*time.Hour))
	_, otherKey := a.Issue("other")
	for name, test := range map[string]struct {
		certificate, key, ca, tokens string
		mode                         os.FileMode
		want                         string
	}{
		"good":              {certificate, key, a.PEM(), "a-token-of-readers", 0o640, ""},
		"key for all":       {certificate, key, "", "", 0o644, "key can be read by every user of this machine"},
		"another key":       {certificate, otherKey, "", "", 0o600, "private key does not match"},
		"expired":           {expired, expiredKey, "", "", 0o600, "the certificate has expired on"},
		"not yet":           {later, laterKey, "", "", 0o600, "is not valid before"},
		"no certificate":    {"hunter2", key, "", "", 0o600, "cert has nothing in PEM form"},
		"no key":            {certificate, "hunter2", "", "", 0o600, "key has nothing in PEM form"},
		"key as authority":  {certificate, key, key, "", 0o600, "ca has no certificate of an authority"},
		"nothing as CA":     {certificate, key, " ", "", 0o600, "ca has no certificate of an authority"},
		"short token":       {certificate, key, "", "good-token-of-readers\nhunter2", 0o600, "token on line 2 has 7 characters"},
		"no token":          {certificate, key, "", "\n\n", 0o600, "tokens has no token"},
		"token with blanks": {certificate, key, "", "Authorization: hunter2", 0o600, "line 1 is no bearer token"},
		"large":             {strings.Repeat("hunter2 ", 1<<18), key, "", "", 0o600, "cert is larger than"},
	} {
		dir := t.TempDir()
		o := Options{Certificate: filepath.Join(dir, "cert"), Key: filepath.Join(dir, "key")}
		write(t, o.Certificate, test.certificate)
		write(t, o.Key, test.key)
		if err := os.Chmod(o.Key, test.mode); err != nil {
			t.Fatal(err)
		}
		if test.ca != "" {
			o.ClientCA = filepath.Join(dir, "ca")
			write(t, o.ClientCA, test.ca)
		}
		if test.tokens != "" {
			o.Tokens = filepath.Join(dir, "tokens")
			write(t, o.Tokens, test.tokens)
		}
		_, err := New(o)
		switch {
		case test.want == "" && err != nil, test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)):
			t.Errorf("%s: %v, want %q", name, err, test.want)
		case err != nil && (strings.Contains(err.Error(), "hunter2") || strings.Contains(err.Error(), "\n")):
			t.Errorf("%s: %q", name, err)
		}
	}
	if _, err := New(Options{Certificate: filepath.Join(t.TempDir(), "none"), Key: "none"}); err == nil {
		t.Error("files that are not there")
	}
}
