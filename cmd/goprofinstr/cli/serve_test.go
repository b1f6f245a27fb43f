package cli

import (
	"net"
	"net/url"
	"os"
	"path/filepath"
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

// TestListenLeft listens where a killed process has left its socket, where a process serves, and where something else is.
func TestListenLeft(t *testing.T) {
	dir := t.TempDir()
	left, served, other := filepath.Join(dir, "left"), filepath.Join(dir, "served"), filepath.Join(dir, "other")
	for _, name := range []string{left, served} {
		l, err := net.ListenUnix("unix", &net.UnixAddr{Name: name, Net: "unix"})
		if err != nil {
			t.Skip(err)
		}
		l.SetUnlinkOnClose(name != left)
		defer l.Close()
		if name == left {
			l.Close()
		}
	}
	if err := os.WriteFile(other, []byte("data"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, free := range map[string]bool{left: true, served: false, other: false} {
		at, err := listen("unix:" + name)
		if (err == nil) != free {
			t.Errorf("%s: %v", filepath.Base(name), err)
		}
		if err == nil {
			at.Close()
		}
	}
	if data, err := os.ReadFile(other); string(data) != "data" {
		t.Errorf("the file that is no socket: %q, %v", data, err)
	}
}
