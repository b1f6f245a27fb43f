package table

import (
	"bytes"
	"compress/flate"
	"encoding/json"
	"fmt"
	"io"
	"unsafe"
)

// An encoded table is
//
//	+---------+---------+----------------------+
//	| "gptab" | version | JSON of a Package,   |
//	| 5 bytes | 1 byte  | DEFLATE (RFC 1951)   |
//	+---------+---------+----------------------+
const (
	magic   = "gptab"
	Version = 1
)

// MostBytes bounds the size of an encoded table, and that of its JSON. The table of package net/http has 2 MB of
// JSON; 64 MB are a package of some 20,000 functions.
const MostBytes = 64 << 20

// Encode returns the encoded form of p. Equal tables have equal encodings.
func (p *Package) Encode() ([]byte, error) {
	buf := bytes.NewBufferString(magic)
	buf.WriteByte(Version)
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
// table of a known version, or of more than [MostBytes]. What the table says need not make sense: see [Package.Check].
func Decode(data []byte) (*Package, error) {
	if len(data) < len(magic)+1 || string(data[:len(magic)]) != magic {
		return nil, fmt.Errorf("not a path table")
	}
	if v := data[len(magic)]; v != Version {
		return nil, fmt.Errorf("path table of version %d; this goprofinstr reads version %d", v, Version)
	}
	if len(data) > MostBytes {
		return nil, fmt.Errorf("path table of %d bytes; at most %d are read", len(data), MostBytes)
	}
	r := flate.NewReader(bytes.NewReader(data[len(magic)+1:]))
	defer r.Close()
	text, err := io.ReadAll(io.LimitReader(r, MostBytes+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("path table: %w", err)
	case len(text) > MostBytes:
		return nil, fmt.Errorf("path table of more than %d bytes when inflated", MostBytes)
	case weight(text) > mostWeight:
		return nil, fmt.Errorf("path table: %d bytes of text ask for more than %d of memory", len(text), mostWeight)
	}
	p := new(Package)
	if err := json.Unmarshal(text, p); err != nil {
		return nil, fmt.Errorf("path table: %w", err)
	}
	p.settleMethod()
	p.settleStatements()
	return p, nil
}

// mostWeight bounds the memory of a decoded table, in bytes. Of a table that Encode has made it is about as much
// as the JSON has.
const mostWeight = 256 << 20

// weight returns about how much memory the values of a JSON text take in a Package. A text of nothing but
// {},{},… takes two hundred times its own size.
func weight(text []byte) (bytes int) {
	const (
		function = int(unsafe.Sizeof(Function{}))
		object   = int(unsafe.Sizeof(Edge{})) // the largest of the others that there are many of
		array    = int(unsafe.Sizeof([]int{}))
		element  = int(unsafe.Sizeof(""))
		inList   = 2 // depth of the objects in Functions
	)
	depth, quoted := 0, false
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' && depth == inList:
			bytes += function
			depth++
		case c == '{':
			bytes += object
			depth++
		case c == '[':
			bytes += array
			depth++
		case c == ']' || c == '}':
			depth--
		case c == ',':
			bytes += element
		}
	}
	return bytes
}

// settleStatements gives a table of before statements were counted one for each run.
func (p *Package) settleStatements() {
	if p.Sized {
		return
	}
	for i := range p.Functions {
		for j := range p.Functions[i].Statements {
			p.Functions[i].Statements[j].Count = 1
		}
	}
}
