package credentials

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"time"
)

// maxFile is how large files may be. The authorities of a Linux distribution have 230 kB.
const maxFile = 1 << 20

// A File is the name of a file and what is in it. Text is nil if there is no name.
type File struct {
	Name string
	Text []byte
}

// Files are those of one end of a connection: who it is, and whom it trusts. All are PEM, and each may be left out.
type Files struct{ Certificate, Key, CA File }

// Read reads the files that have names.
func Read(certificate, key, ca string) (f Files, err error) {
	f = Files{File{Name: certificate}, File{Name: key}, File{Name: ca}}
	if f.Certificate.Text, err = readNamed(certificate, ReadFile); err != nil {
		return Files{}, err
	}
	if f.Key.Text, err = readNamed(key, ReadSecret); err != nil {
		return Files{}, err
	}
	if f.CA.Text, err = readNamed(ca, ReadFile); err != nil {
		return Files{}, err
	}
	return f, nil
}

func readNamed(name string, read func(string) ([]byte, error)) ([]byte, error) {
	if name == "" {
		return nil, nil
	}
	return read(name)
}

// Equal reports whether two readings have the same in them.
func (f Files) Equal(g Files) bool {
	return bytes.Equal(f.CA.Text, g.CA.Text) && bytes.Equal(f.Certificate.Text, g.Certificate.Text) && bytes.Equal(f.Key.Text, g.Key.Text)
}

// Pair returns the certificate with its key. One that is not valid now is an error.
func (f Files) Pair(now time.Time) (tls.Certificate, error) {
	for _, of := range []File{f.Certificate, f.Key} {
		if block, _ := pem.Decode(of.Text); block == nil {
			return tls.Certificate{}, fmt.Errorf("%s has nothing in PEM form", of.Name)
		}
	}
	pair, err := tls.X509KeyPair(f.Certificate.Text, f.Key.Text)
	if err != nil {
		return tls.Certificate{}, fmt.Errorf("%s with the key of %s: %w", f.Certificate.Name, f.Key.Name, err)
	}
	if pair.Leaf == nil { // GODEBUG=x509keypairleaf=0
		if pair.Leaf, err = x509.ParseCertificate(pair.Certificate[0]); err != nil {
			return tls.Certificate{}, fmt.Errorf("%s: %w", f.Certificate.Name, err)
		}
	}
	return pair, Valid(f.Certificate.Name, pair.Leaf, now)
}

// Valid returns an error if a certificate of a file has expired, or is not valid yet.
func Valid(name string, c *x509.Certificate, now time.Time) error {
	switch {
	case now.After(c.NotAfter):
		return fmt.Errorf("%s: the certificate has expired on %s", name, c.NotAfter.UTC().Format(time.DateTime))
	case now.Before(c.NotBefore):
		return fmt.Errorf("%s: the certificate is not valid before %s", name, c.NotBefore.UTC().Format(time.DateTime))
	}
	return nil
}

// Authorities returns whom the file CA says to trust.
func (f Files) Authorities() (*x509.CertPool, error) {
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(f.CA.Text) {
		return nil, fmt.Errorf("%s has no certificate of an authority", f.CA.Name)
	}
	return pool, nil
}

// ReadFile reads a file of at most maxFile bytes.
func ReadFile(name string) ([]byte, error) { return read(name, false) }

// ErrOthers is wrapped by the error of ReadSecret for a file that every user of the machine may read.
var ErrOthers = errors.New("chmod 600 it")

// ReadSecret reads a file that other users of the machine may not read. Its group may, as with volumes of Kubernetes.
func ReadSecret(name string) ([]byte, error) { return read(name, true) }

func read(name string, secret bool) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	const others = 0o007
	if mode := info.Mode().Perm(); secret && runtime.GOOS != "windows" && mode&others != 0 {
		return nil, fmt.Errorf("%s can be read by every user of this machine (mode %#o): %w", name, mode, ErrOthers)
	}
	text, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err == nil && len(text) > maxFile {
		err = fmt.Errorf("%s is larger than %d bytes", name, maxFile)
	}
	return text, err
}
