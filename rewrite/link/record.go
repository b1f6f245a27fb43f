package link

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/goprofinstr/goprofinstr/rewrite/label"
)

// A Record is what is known of a package with labels before it is compiled.
type Record struct {
	ID        string // as go list prints it
	Path      string // import path
	Main      bool   // it is a package main
	GoVersion string // language version such as "go1.26", or ""

	RangeNames bool `json:",omitempty"` // release.Compiler.RangeNames

	Table     *label.Table
	Functions []Function // that are counted, in the order of their counters

	Translated []string `json:",omitempty"` // files that cgo has made of others, which are compiled in their place

	Sources map[string]string `json:",omitempty"` // where files of the table are, if an overlay of the user's has them
}

// A Function is one that is counted.
type Function struct {
	Name  string // without the package, as the runtime prints it
	Paths uint64
	Edges int // of its graph
}

// Encode returns a record as its file has it.
func (r *Record) Encode() ([]byte, error) { return json.Marshal(r) }

// Write writes a record to the folder of records.
func Write(folder string, r *Record) error {
	data, err := r.Encode()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return err
	}
	return os.WriteFile(fileOf(folder, r.ID), data, 0o666)
}

// read reads the record of a package.
func read(folder, id string) (*Record, error) {
	data, err := os.ReadFile(fileOf(folder, id))
	if err != nil {
		return nil, err
	}
	r := new(Record)
	if err := json.Unmarshal(data, r); err != nil {
		return nil, fmt.Errorf("the record of %s: %w", id, err)
	}
	return r, nil
}

func fileOf(folder, id string) string {
	return filepath.Join(folder, fmt.Sprintf("%x.json", sha256.Sum256([]byte(id))))
}

// source reads a file of the package.
func (r *Record) source(name string) ([]byte, error) {
	if other, ok := r.Sources[name]; ok {
		name = other
	}
	return os.ReadFile(name)
}
