package look

import (
	"net"
	"net/http"
	"strings"
)

// policy allows what pages are made of, from this server only, and no script or style in the text of a page.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

// Guard has browsers keep what a handler serves from other sites. If loopback is true it is for a server at a loopback address,
// and refuses requests for hosts of other names. A web site may have given its own name that address (DNS rebinding) to read the
// pages.
func Guard(loopback bool, h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if loopback && !isLoopback(r.Host) {
			http.Error(w, "goprofinstr: this page is for this machine only: open it as http://localhost", http.StatusForbidden)
			return
		}
		header := w.Header()
		header.Set("Content-Security-Policy", policy)
		header.Set("X-Content-Type-Options", "nosniff")
		header.Set("Referrer-Policy", "no-referrer")
		header.Set("Cross-Origin-Resource-Policy", "same-origin")
		header.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.ServeHTTP(w, r)
	})
}

// isLoopback tells whether a host, with or without port, is this machine under a name that only it has.
func isLoopback(host string) bool {
	name := host
	if h, _, err := net.SplitHostPort(host); err == nil {
		name = h
	}
	ip := net.ParseIP(strings.Trim(name, "[]"))
	return strings.EqualFold(name, "localhost") || ip != nil && ip.IsLoopback()
}
