package toolexec

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/goprofinstr/goprofinstr/rewrite/label"
)

// A stripper passes lines on without labels in the names of files.
type stripper struct {
	to   io.Writer
	rest []byte // of a line that has not ended
}

// Write passes on the lines that have ended.
func (s *stripper) Write(p []byte) (int, error) {
	s.rest = append(s.rest, p...)
	end := bytes.LastIndexByte(s.rest, '\n') + 1
	if end == 0 {
		return len(p), nil
	}
	_, err := s.to.Write(label.Strip(s.rest[:end]))
	s.rest = append(s.rest[:0], s.rest[end:]...)
	return len(p), err
}

// flush passes on what is left.
func (s *stripper) flush() error {
	_, err := s.to.Write(label.Strip(s.rest))
	s.rest = nil
	return err
}

// stripVet takes labels out of what vet has written for the go command to print. The last argument names a file that says where
// this is (vetConfig in cmd/go/internal/work).
func stripVet(args []string) error {
	config := args[len(args)-1]
	if filepath.Base(config) != "vet.cfg" {
		return nil
	}
	data, err := os.ReadFile(config)
	if err != nil {
		return err
	}
	var c struct{ Stdout string }
	if err := json.Unmarshal(data, &c); err != nil || c.Stdout == "" {
		return err
	}
	text, err := os.ReadFile(c.Stdout)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return os.WriteFile(c.Stdout, label.Strip(text), 0o666)
}
