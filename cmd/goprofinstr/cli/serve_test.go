package cli

import (
	"net"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"sync"
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
	skipUnknownUse(t)
	dir := t.TempDir()
	left, served, other := filepath.Join(dir, "left"), filepath.Join(dir, "served"), filepath.Join(dir, "other")
	leave(t, left)
	l, err := net.Listen("unix", served)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
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
	if files, _ := filepath.Glob(filepath.Join(dir, "left*")); len(files) > 0 {
		t.Errorf("%q is there still", files)
	}
	if data, err := os.ReadFile(other); string(data) != "data" {
		t.Errorf("the file that is no socket: %q, %v", data, err)
	}
}

// TestListenLong listens where a socket was left whose name is as long as names of sockets may be.
func TestListenLong(t *testing.T) {
	skipUnknownUse(t)
	name := filepath.Join(t.TempDir(), "left")
	for i := range 300 {
		l, err := net.Listen("unix", name+"0")
		if err != nil {
			if i == 0 {
				t.Skip(err) // the folder has a long name already
			}
			break
		}
		l.Close()
		name += "0"
	}
	leave(t, name)
	at, err := listen("unix:" + name)
	if err != nil {
		t.Fatal(err)
	}
	defer at.Close()
	c, err := net.Dial("unix", name)
	if err != nil {
		t.Fatal(err)
	}
	c.Close()
}

// TestListenOther listens where a socket was left, beside a file that has the name of the next one and is somebody's.
func TestListenOther(t *testing.T) {
	skipUnknownUse(t)
	dir := t.TempDir()
	name := filepath.Join(dir, "left")
	leave(t, name)
	leave(t, filepath.Join(dir, "both"))
	leave(t, filepath.Join(dir, "both~")) // of a process that was killed before it had renamed it
	if err := os.WriteFile(name+"~", []byte("data"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{"left", "both"} {
		at, err := listen("unix:" + filepath.Join(dir, file))
		if err != nil {
			t.Fatal(err)
		}
		at.Close()
	}
	if data, err := os.ReadFile(name + "~"); string(data) != "data" {
		t.Errorf("the file is %q, %v", data, err)
	}
	if files, _ := os.ReadDir(dir); len(files) != 1 {
		t.Errorf("left: %v", files)
	}
}

// TestListenAtOnce has several listen at once where a killed process has left its socket. One of them does, and can be asked.
func TestListenAtOnce(t *testing.T) {
	skipUnknownUse(t)
	for range 50 {
		name := filepath.Join(t.TempDir(), "left")
		leave(t, name)
		var mu sync.Mutex
		var wait sync.WaitGroup
		var places []*place
		for range 4 {
			wait.Go(func() {
				if at, err := listen("unix:" + name); err == nil {
					mu.Lock()
					places = append(places, at)
					mu.Unlock()
				}
			})
		}
		wait.Wait()
		c, err := net.Dial("unix", name)
		if err == nil {
			c.Close()
		}
		if err != nil || len(places) != 1 {
			t.Errorf("%d listen, want 1; %v", len(places), err)
		}
		for _, at := range places {
			at.Close()
		}
	}
}

// skipUnknownUse skips a test of addresses in use where package syscall does not have the error of the system.
func skipUnknownUse(t *testing.T) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("EADDRINUSE is an invented number")
	}
}

// leave leaves a socket as a process does that is killed.
func leave(t *testing.T, name string) {
	t.Helper()
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: name, Net: "unix"})
	if err != nil {
		t.Skip(err)
	}
	l.SetUnlinkOnClose(false)
	l.Close()
}
