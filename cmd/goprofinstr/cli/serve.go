package cli

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/rogpeppe/go-internal/lockedfile"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/usage"
	"github.com/goprofinstr/goprofinstr/export/profiledir"
)

// A place is where pages are served.
type place struct {
	net.Listener
	url      string
	loopback bool        // a browser on this machine, and no other one, may ask
	private  bool        // nobody on another machine can ask
	tls      *tls.Config // nil without TLS
}

// checkAddress reports a -http flag that is no address.
func checkAddress(addr string) error {
	if strings.HasPrefix(addr, "unix:") {
		return nil
	}
	if _, _, err := net.SplitHostPort(addr); err != nil {
		return usage.Errorf("-http %s: %v; want an address like localhost:8080 or :0", addr, err)
	}
	return nil
}

// listen listens at the address of a -http flag: host:port, :port of this machine alone, or unix:FILE.
func listen(addr string) (*place, error) {
	if file, ok := strings.CutPrefix(addr, "unix:"); ok {
		l, err := listenFile(file)
		if errors.Is(err, syscall.EADDRINUSE) {
			return nil, fmt.Errorf("-http %s: %w; remove the file if no process serves there any more", addr, err)
		}
		if err != nil {
			return nil, fmt.Errorf("-http %s: %w", addr, err)
		}
		return &place{Listener: l, url: addr + ":/", private: true}, nil
	}
	if err := checkAddress(addr); err != nil {
		return nil, err
	}
	host, port, _ := net.SplitHostPort(addr)
	if host == "" {
		host = "localhost"
	}
	l, err := net.Listen("tcp", net.JoinHostPort(host, port))
	if err != nil {
		return nil, fmt.Errorf("%w; choose another address with -http", err)
	}
	at := l.Addr().(*net.TCPAddr)
	p := &place{Listener: l, loopback: at.IP.IsLoopback(), private: at.IP.IsLoopback()}
	p.url = "http://" + at.String() + "/"
	if at.IP.Equal(net.IPv4(127, 0, 0, 1)) { // localhost leads there, and need not to another loopback address
		p.url = fmt.Sprintf("http://localhost:%d/", at.Port)
	}
	return p, nil
}

// listenFile listens at a file, also where a process that was killed has left it. Of two processes that are started at once, the
// second must not remove the socket of the first. So a lock keeps it out, and the new socket takes the place of the old one
// when it can be asked. If there can be no socket beside it, as where the name would be too long, the old one is removed
// first.
func listenFile(file string) (net.Listener, error) {
	l, err := net.Listen("unix", file)
	if !errors.Is(err, syscall.EADDRINUSE) || !isLeft(file) {
		return l, err
	}
	lock, next := file+".lock", file+"~"
	unlock, lockErr := lockedfile.MutexAt(lock).Lock()
	switch {
	case lockErr == nil:
		defer unlock()
		defer os.Remove(lock) // who waits for it finds a socket that is served
	case !profiledir.NoLocks(lockErr):
		return nil, lockErr
	}
	if !isLeft(file) {
		return nil, err
	}
	if isLeft(next) { // of a process that was killed right here
		os.Remove(next)
	}
	at, err := net.ListenUnix("unix", &net.UnixAddr{Name: next, Net: "unix"})
	if err != nil {
		if err := os.Remove(file); err != nil {
			return nil, err
		}
		return net.Listen("unix", file)
	}
	if err := os.Rename(next, file); err != nil {
		at.Close()
		return nil, err
	}
	at.SetUnlinkOnClose(false)
	return &renamed{at, sync.OnceFunc(func() { os.Remove(file) })}, nil
}

// renamed is a listener whose socket has another name than it was made with.
type renamed struct {
	net.Listener
	unlink func() // once: later, the file may be another process's
}

// Close removes the socket, as listeners do that have its name.
func (r *renamed) Close() error {
	r.unlink()
	return r.Listener.Close()
}

// isLeft reports whether a file is a socket that a process which was killed has left.
func isLeft(file string) bool {
	info, err := os.Lstat(file)
	if err != nil || info.Mode().Type() != os.ModeSocket {
		return false // a file of another kind refuses connections, too
	}
	c, err := net.Dial("unix", file)
	if err == nil {
		c.Close()
	}
	return errors.Is(err, syscall.ECONNREFUSED)
}

// encrypt has the place serve by TLS, if there is a configuration.
func (p *place) encrypt(config *tls.Config) {
	if p.tls = config; config != nil {
		p.url = "https" + strings.TrimPrefix(p.url, "http")
	}
}

// serve serves a handler until ctx is done.
func (p *place) serve(ctx context.Context, h http.Handler) error {
	server := &http.Server{
		Handler: h, TLSConfig: p.tls, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10,
	}
	serve := server.Serve
	if p.tls != nil {
		serve = func(l net.Listener) error { return server.ServeTLS(l, "", "") }
		server.ErrorLog = log.New(io.Discard, "", 0) // of handshakes: everybody who can connect could fill the log
	}
	go func() {
		<-ctx.Done()
		server.Close()
	}()
	if err := serve(p.Listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
