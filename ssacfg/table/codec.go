package table

import (
	"bytes"
	"compress/flate"
	"encoding/json"
	"fmt"
	"io"
)

// An encoded table is
//
//	+---------+---------+----------------------+
//	| "gptab" | version | JSON of a Package,   |
//	| 5 bytes | 1 byte  | DEFLATE (RFC 1951)   |
//	+---------+---------+----------------------+
const (
	magic   = "gptab"
	version = 1
)

// Encode returns the encoded form of p. Equal tables have equal encodings.
func (p *Package) Encode() ([]byte, error) {
	buf := bytes.NewBufferString(magic)
	buf.WriteByte(version)
	w, err := flate.NewWriter(buf, flate.DefaultCompression)
	if err != nil {
		return nil, err
	}
	if err := json.NewEncoder(w).Encode(p); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return buf.Bytes(), nil
}

// Decode is the inverse of [Package.Encode]. It refuses data that is not a
// table of a known version.
func Decode(data []byte) (*Package, error) {
	if len(data) < len(magic)+1 || string(data[:len(magic)]) != magic {
		return nil, fmt.Errorf("not a path table")
	}
	if v := data[len(magic)]; v != version {
		return nil, fmt.Errorf("path table of version %d, want %d", v, version)
	}
	r := flate.NewReader(bytes.NewReader(data[len(magic)+1:]))
	defer r.Close()
	text, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("path table: %w", err)
	}
	p := new(Package)
	if err := json.Unmarshal(text, p); err != nil {
		return nil, fmt.Errorf("path table: %w", err)
	}
	return p, nil
}
