package cli

import (
	"net"
	"net/url"
	"testing"
)

// TestListen connects to the addresses that are printed for those of -http.
func TestListen(t *testing.T) {
	for _, addr := range []string{"localhost:0", ":0", "127.0.0.1:0", "127.0.0.2:0", "[::1]:0"} {
		at, err := listen(addr)
		if err != nil {
			t.Logf("%s: %v", addr, err) // there may be no IPv6, and other systems than Linux have 127.0.0.1 only
			continue
		}
		defer at.Close()
		printed, err := url.Parse(at.url)
		if err != nil {
			t.Fatal(err)
		}
		c, err := net.Dial("tcp", printed.Host)
		if err != nil {
			t.Errorf("%s: %s is printed, which does not lead there: %v", addr, at.url, err)
			continue
		}
		c.Close()
		if !at.private {
			t.Errorf("%s is said to be open to others", addr)
		}
	}
}
