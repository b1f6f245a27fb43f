package integration

import (
	"crypto/tls"
	"crypto/x509"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goprofinstr/goprofinstr/export/fleet/credentials/credentialstest"
)

// TestAgentTLS has clients read from an agent that asks for certificates, and from one that asks for tokens.
func TestAgentTLS(t *testing.T) {
	if testing.Short() {
		t.Skip("runs goprofinstr")
	}
	a := credentialstest.NewAuthority(t)
	dir := t.TempDir()
	file := func(name, text string) string {
		name = filepath.Join(dir, name)
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	certificate, key := a.Issue("agent")
	args := []string{"agent", "-http", "127.0.0.1:0", "-dir", dir, "-tls-cert", file("crt", certificate), "-tls-key", file("key", key)}
	reader, err := tls.X509KeyPair(pemOf(a.Issue("reader")))
	if err != nil {
		t.Fatal(err)
	}
	token := "Bearer a-token-of-this-test"

	url, _ := start(t, dir, append(args, "-tls-client-ca", file("ca", a.PEM()))...)
	if !strings.HasPrefix(url, "https://") {
		t.Errorf("it says %s", url)
	}
	if got := statusOf(t, a, url, reader, ""); got != http.StatusOK {
		t.Errorf("with a certificate: %d", got)
	}
	if got := statusOf(t, a, url, tls.Certificate{}, token); got != 0 {
		t.Errorf("without a certificate: %d", got)
	}
	url, _ = start(t, dir, append(args, "-token-file", file("token", "a-token-of-this-test\n"))...)
	for header, want := range map[string]int{"": 401, token: 200, token + "x": 401} {
		if got := statusOf(t, a, url, tls.Certificate{}, header); got != want {
			t.Errorf("%q: %d, want %d", header, got, want)
		}
	}
}

func pemOf(certificate, key string) (certificatePEM, keyPEM []byte) {
	return []byte(certificate), []byte(key)
}

// statusOf returns the status of a request for a profile, 0 if there is no answer.
func statusOf(t *testing.T, a credentialstest.Authority, url string, pair tls.Certificate, authorization string) int {
	t.Helper()
	pool := x509.NewCertPool()
	pool.AddCert(a.Cert)
	config := &tls.Config{RootCAs: pool, ServerName: "agent.example"}
	if pair.Certificate != nil {
		config.Certificates = []tls.Certificate{pair}
	}
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: config}}
	defer client.CloseIdleConnections()
	r, err := http.NewRequest("GET", url+"calls", nil)
	if err != nil {
		t.Fatal(err)
	}
	if authorization != "" {
		r.Header.Set("Authorization", authorization)
	}
	resp, err := client.Do(r)
	if err != nil {
		return 0
	}
	resp.Body.Close()
	return resp.StatusCode
}
