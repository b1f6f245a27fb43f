package client

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"
	"net/textproto"
	"net/url"
	"strings"
	"time"

	"github.com/goprofinstr/goprofinstr/export/fleet/credentials"
)

// credentials returns the headers of a request, of which none may be logged.
func (c *Client) credentials() (http.Header, error) {
	if c.options.HeadersFile == "" {
		return c.headers, nil
	}
	text, err := credentials.ReadSecret(c.options.HeadersFile)
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

// tlsConfig returns how to connect: whom to trust, and who we are.
func tlsConfig(files credentials.Files, now time.Time) (*tls.Config, error) {
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	var err error
	if files.CA.Name != "" {
		if config.RootCAs, err = files.Authorities(); err != nil {
			return nil, err
		}
	}
	if files.Certificate.Name != "" || files.Key.Name != "" {
		pair, err := files.Pair(now)
		if err != nil {
			return nil, fmt.Errorf("the client's certificate: %w", err)
		}
		config.Certificates = []tls.Certificate{pair}
	}
	return config, nil
}
