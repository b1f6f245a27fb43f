package access

import (
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/goprofinstr/goprofinstr/export/fleet/credentials"
)

// Options are names of files. What has no name is not asked for.
type Options struct {
	Certificate, Key string // of the server: without them there is no TLS
	ClientCA         string // whose certificates readers have to show
	Tokens           string // a bearer token on each line, of which readers have to show one

	Say func(line string) // what is wrong with files that were renewed, once
	Now func() time.Time  // nil is time.Now
}

// An Access lets readers in, or not. It can be used by several goroutines at the same time.
type Access struct {
	options Options

	mu      sync.Mutex
	files   credentials.Files // what the rest was made of
	config  *tls.Config       // nil without TLS
	leaf    *x509.Certificate
	clients *x509.CertPool // nil if readers need no certificate
	told    map[string]string
}

// New reads all files. What is wrong with them is an error.
func New(o Options) (*Access, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Say == nil {
		o.Say = func(string) {}
	}
	a := &Access{options: o, told: make(map[string]string)}
	if o.Certificate != "" {
		if err := a.load(); err != nil {
			return nil, err
		}
	}
	if o.Tokens != "" {
		if _, err := credentials.ReadTokens(o.Tokens); err != nil {
			return nil, err
		}
	}
	return a, nil
}

// Asks reports whether readers have to show anything.
func (a *Access) Asks() bool { return a.options.ClientCA != "" || a.options.Tokens != "" }

// TLS returns the configuration of a server, nil without TLS.
func (a *Access) TLS() *tls.Config {
	if a.options.Certificate == "" {
		return nil
	}
	return &tls.Config{
		MinVersion:         tls.VersionTLS12,
		GetConfigForClient: func(*tls.ClientHelloInfo) (*tls.Config, error) { return a.current(), nil },
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) {
			return &a.current().Certificates[0], nil // package http asks for one; no handshake comes here
		},
	}
}

// current returns the configuration by the files as they are now, or as they were when they were good.
func (a *Access) current() *tls.Config {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.say("certificates", a.load())
	return a.config
}

// load reads the certificates again. If that is an error, everything is as before.
func (a *Access) load() error {
	o := &a.options
	files, err := credentials.Read(o.Certificate, o.Key, o.ClientCA)
	if err != nil {
		return err
	}
	now := o.Now()
	if a.config != nil && files.Equal(a.files) {
		return credentials.Valid(o.Certificate, a.leaf, now)
	}
	pair, err := files.Pair(now)
	if err != nil {
		return err
	}
	config := &tls.Config{
		MinVersion:   tls.VersionTLS12,
		Certificates: []tls.Certificate{pair},
		NextProtos:   []string{"h2", "http/1.1"}, // the configuration that the http server knows is another one
		Time:         o.Now,
	}
	var clients *x509.CertPool
	if o.ClientCA != "" {
		if clients, err = files.Authorities(); err != nil {
			return err
		}
		config.ClientCAs, config.ClientAuth = clients, tls.RequireAndVerifyClientCert
	}
	a.files, a.config, a.leaf, a.clients = files, config, pair.Leaf, clients
	return nil
}

// say tells what is wrong with some files, and nothing if it has before.
func (a *Access) say(what string, err error) {
	text := ""
	if err != nil {
		text = err.Error()
	}
	if text != a.told[what] && text != "" {
		a.options.Say(text)
	}
	a.told[what] = text
}

// Handler serves readers that are let in, and for the right host where there is TLS.
func (a *Access) Handler(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if status, why := a.refuse(w.Header(), r); status != 0 {
			http.Error(w, "goprofinstr: "+why, status)
			return
		}
		h.ServeHTTP(w, r)
	})
}

// refuse returns why a request is not served, and 0 if it is.
func (a *Access) refuse(header http.Header, r *http.Request) (status int, why string) {
	if r.TLS != nil && !a.isHost(r) {
		return http.StatusMisdirectedRequest, "the certificate of this server is not for the name in the request"
	}
	if a.options.ClientCA != "" && !a.isClient(r) {
		return http.StatusForbidden, "the certificate of the client is not valid any more"
	}
	if a.options.Tokens == "" {
		return 0, ""
	}
	tokens, err := credentials.ReadTokens(a.options.Tokens)
	a.mu.Lock()
	a.say("tokens", err)
	a.mu.Unlock()
	if err != nil {
		return http.StatusServiceUnavailable, "the tokens of this server cannot be read"
	}
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") || !tokens.Have(strings.TrimSpace(token)) {
		header.Set("WWW-Authenticate", `Bearer realm="goprofinstr"`)
		return http.StatusUnauthorized, "show a bearer token that this server knows"
	}
	return 0, ""
}

// isHost reports whether a request is for this server by a name that only it has.
func (a *Access) isHost(r *http.Request) bool {
	host := r.Host
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	host = strings.Trim(host, "[]")
	if net.ParseIP(host) != nil {
		return true
	}
	if at, ok := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr); ok && at.IP.IsLoopback() && strings.EqualFold(host, "localhost") {
		return true
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.leaf.VerifyHostname(host) == nil
}

// isClient reports whether the certificate that a client has shown when it connected is still good.
func (a *Access) isClient(r *http.Request) bool {
	if r.TLS == nil || len(r.TLS.PeerCertificates) == 0 {
		return false
	}
	a.current()
	a.mu.Lock()
	clients := a.clients
	a.mu.Unlock()
	rest := x509.NewCertPool()
	for _, c := range r.TLS.PeerCertificates[1:] {
		rest.AddCert(c)
	}
	_, err := r.TLS.PeerCertificates[0].Verify(x509.VerifyOptions{
		Roots: clients, Intermediates: rest, CurrentTime: a.options.Now(), KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	})
	return err == nil
}
