//go:build !goprofinstr_std

package rt

import (
	"embed"
	"fmt"
	"go/build"
	"go/build/constraint"
	"io"
	"strings"
)

//go:embed *.go
var source embed.FS

// ImportPath is the import path of this package in rewritten programs.
const ImportPath = "goprofinstr/rt"

// RuntimeTag is the build tag of files that work together with hooks added to package runtime.
const RuntimeTag = "goprofinstr_runtime"

// BlocksTag is the build tag of files that need the blocks added to package runtime.
const BlocksTag = "goprofinstr_blocks"

// Source returns the files, by name, that make up package goprofinstr/rt in a
// program for the given system. They are to be laid over GOROOT/src/goprofinstr/rt.
//
// The tags [RuntimeTag] and [BlocksTag] add what needs the hooks in package runtime.
//
// The rule: a file belongs if the go command would build it for that system with
// the tag goprofinstr_std set. The go command that builds the program does not
// set the tag, so the //go:build line has done its work and is blanked out.
func Source(goos, goarch string, tags ...string) (map[string][]byte, error) {
	ctxt := build.Context{
		GOOS:      goos,
		GOARCH:    goarch,
		Compiler:  "gc",
		BuildTags: append([]string{"goprofinstr_std"}, tags...),
		JoinPath:  func(elem ...string) string { return elem[len(elem)-1] },
		OpenFile:  func(name string) (io.ReadCloser, error) { return source.Open(name) },
	}
	entries, err := source.ReadDir(".")
	if err != nil {
		return nil, err
	}
	files := make(map[string][]byte)
	for _, e := range entries {
		name := e.Name()
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		match, err := ctxt.MatchFile("", name)
		if err != nil {
			return nil, fmt.Errorf("rt/%s: %w", name, err)
		}
		if !match {
			continue
		}
		text, err := source.ReadFile(name)
		if err != nil {
			return nil, err
		}
		files[name] = dropConstraint(text)
	}
	return files, nil
}

// dropConstraint blanks the //go:build line of a file, keeping its other lines'
// numbers.
func dropConstraint(text []byte) []byte {
	lines := strings.SplitAfter(string(text), "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, "package ") {
			break
		}
		if constraint.IsGoBuild(line) {
			lines[i] = "\n"
		}
	}
	return []byte(strings.Join(lines, ""))
}
