package main

import (
	"errors"
	"go/scanner"
	"go/types"
	"path/filepath"
	"strings"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/gocmd"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/instrument"
)

// giveUpAudit ends an audit that cannot be prepared. What does not compile the go command says in its own words, and positions of mistakes
// that are ours to tell are shown as it shows them.
func giveUpAudit(c *gocmd.Command, tc *instrument.Toolchain, work *workDir, trouble error) (exit int, err error) {
	var syntax scanner.ErrorList
	var typing types.Error
	var listing instrument.BrokenPackage
	var mistake *scanner.Error
	var usage *instrument.UsageError
	switch {
	case errors.As(trouble, &usage):
		return 0, usagef("audit: %v", usage)
	case errors.As(trouble, &syntax), errors.As(trouble, &typing), errors.As(trouble, &listing):
		return giveUp(c, tc, work, trouble)
	case errors.As(trouble, &mistake):
		shown := *mistake
		shown.Pos.Filename = shortPath(c.Dir, shown.Pos.Filename)
		return 0, &shown
	}
	return 0, trouble
}

// shortPath returns the name of a file as the go command shows it that runs in a folder: relative to that, unless the whole name is shorter.
func shortPath(dir, name string) string {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return name
	}
	rel, err := filepath.Rel(dir, name)
	if err != nil {
		return name
	}
	if !strings.HasPrefix(rel, "..") {
		rel = "." + string(filepath.Separator) + rel
	}
	if len(rel) < len(name) {
		return rel
	}
	return name
}
