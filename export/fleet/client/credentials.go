package client

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/textproto"
	"net/url"
	"os"
	"strings"
)

// maxFile is how large files with headers and certificates may be. The authorities of a Linux distribution have 230 kB.
const maxFile = 1 << 20

// credentials returns the headers of a request, of which none may be logged.
func (c *Client) credentials() (http.Header, error) {
	if c.options.HeadersFile == "" {
		return c.headers, nil
	}
	text, err := readFile(c.options.HeadersFile)
	if err != nil {
		return nil, err
	}
	headers, err := parseFile(string(text))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.options.HeadersFile, err)
	}
	for name, values := range c.headers {
		if headers[name] == nil {
			headers[name] = values
		}
	}
	return headers, nil
}

// parseList parses headers as OTEL_EXPORTER_OTLP_HEADERS has them. No error repeats any of it.
func parseList(text string) (http.Header, error) {
	headers := make(http.Header)
	for i, pair := range strings.Split(text, ",") {
		if strings.TrimSpace(pair) == "" {
			continue
		}
		name, value, ok := strings.Cut(pair, "=")
		value, err := url.PathUnescape(strings.TrimSpace(value))
		if !ok || err != nil || !add(headers, name, value) {
			return nil, fmt.Errorf("header %d is not of the form name=value, with a value that is percent-encoded", i+1)
		}
	}
	return headers, nil
}

// parseFile parses lines "Name: value". One line without a colon is a bearer token.
func parseFile(text string) (http.Header, error) {
	headers := make(http.Header)
	text = strings.TrimSpace(text)
	if text == "" {
		return nil, errors.New("no headers")
	}
	if !strings.ContainsAny(text, ":\n") {
		text = "Authorization: Bearer " + text
	}
	for i, line := range strings.Split(text, "\n") {
		if strings.TrimSpace(line) == "" {
			continue
		}
		name, value, ok := strings.Cut(line, ":")
		if !ok || !add(headers, name, value) {
			return nil, fmt.Errorf("line %d is no header", i+1)
		}
	}
	return headers, nil
}

// add adds a header, and reports whether it is one.
func add(headers http.Header, name, value string) bool {
	name, value = strings.TrimSpace(name), strings.TrimSpace(value)
	if name == "" || value == "" {
		return false
	}
	for _, r := range name {
		if r != '-' && r != '_' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') {
			return false
		}
	}
	if strings.ContainsFunc(value, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return false
	}
	headers[textproto.CanonicalMIMEHeaderKey(name)] = []string{value}
	return true
}

// pems are the contents of the files of certificates; those that are not given are nil.
type pems struct{ ca, certificate, key []byte }

// readPEMs reads all that are given. They have some kilobytes, and a request is made a few times a minute.
func readPEMs(o Options) (pems, error) {
	var p pems
	for _, f := range []struct {
		name string
		into *[]byte
	}{{o.CA, &p.ca}, {o.Certificate, &p.certificate}, {o.Key, &p.key}} {
		if f.name == "" {
			continue
		}
		text, err := readFile(f.name)
		if err != nil {
			return pems{}, err
		}
		*f.into = text
	}
	return p, nil
}

func (p pems) equal(q pems) bool {
	return bytes.Equal(p.ca, q.ca) && bytes.Equal(p.certificate, q.certificate) && bytes.Equal(p.key, q.key)
}

func (p pems) config() (*tls.Config, error) {
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if p.ca != nil {
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(p.ca) {
			return nil, errors.New("the file of authorities has no certificate")
		}
	}
	if p.certificate != nil || p.key != nil {
		pair, err := tls.X509KeyPair(p.certificate, p.key)
		if err != nil {
			return nil, fmt.Errorf("the client's certificate: %w", err)
		}
		config.Certificates = []tls.Certificate{pair}
	}
	return config, nil
}

// readFile reads a file of at most maxFile bytes.
func readFile(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err == nil && len(text) > maxFile {
		err = fmt.Errorf("%s is larger than %d bytes", name, maxFile)
	}
	return text, err
}
