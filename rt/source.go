//go:build !goprofinstr_std

package rt

import (
	"bytes"
	"embed"
	"fmt"
	"go/build"
	"go/build/constraint"
	"io"
	"path"
	"strings"

	"github.com/goprofinstr/goprofinstr/sampler"
	"github.com/goprofinstr/goprofinstr/sampler/pcct"
	"github.com/goprofinstr/goprofinstr/sampler/stream"
)

//go:embed *.go
var source embed.FS

// ImportPath is the import path of this package in rewritten programs.
const ImportPath = "goprofinstr/rt"

// LinkedDir is the name of the string that the linker may give the directory for data.
const LinkedDir = ImportPath + ".linkedDir"

// RuntimeTag is the build tag of files that work together with hooks added to package runtime.
const RuntimeTag = "goprofinstr_runtime"

// BlocksTag is the build tag of files that need the blocks added to package runtime.
const BlocksTag = "goprofinstr_blocks"

// SamplerTag is the build tag of files that need the sampling signals and threads' numbers of package runtime.
const SamplerTag = "goprofinstr_sampler"

// TestsTag is the build tag of files that are told of tests by package testing.
const TestsTag = "goprofinstr_tests"

// AuditTag is the build tag of files that need a word in each goroutine for audits.
const AuditTag = "goprofinstr_audit"

// modulePath is the import path of the packages' parent as it is outside of programs.
const modulePath = "github.com/goprofinstr/goprofinstr"

// Source returns the files that make up package goprofinstr/rt and the packages goprofinstr/sampler, goprofinstr/sampler/pcct and goprofinstr/sampler/stream that it
// imports, in a program for the given system, by name. They are to be laid over GOROOT/src.
//
// The tags [RuntimeTag], [BlocksTag], [SamplerTag], [TestsTag] and [AuditTag] add what needs the hooks in package runtime.
//
// The rule: a file belongs if the go command would build it for that system with
// the tag goprofinstr_std set. The go command that builds the program does not
// set the tag, so the //go:build line has done its work and is blanked out.
func Source(goos, goarch string, tags ...string) (map[string][]byte, error) {
	files := make(map[string][]byte)
	above := path.Dir(ImportPath)
	for dir, source := range map[string]embed.FS{ImportPath: source, above + "/sampler": sampler.Files, above + "/sampler/pcct": pcct.Files, above + "/sampler/stream": stream.Files} {
		ctxt := build.Context{
			GOOS:      goos,
			GOARCH:    goarch,
			Compiler:  "gc",
			BuildTags: append([]string{"goprofinstr_std"}, tags...),
			JoinPath:  func(elem ...string) string { return elem[len(elem)-1] },
			OpenFile:  func(name string) (io.ReadCloser, error) { return source.Open(name) },
		}
		if err := match(&ctxt, source, dir, files); err != nil {
			return nil, err
		}
	}
	return files, nil
}

// match adds the files of source that ctxt matches.
func match(ctxt *build.Context, source embed.FS, dir string, files map[string][]byte) error {
	entries, err := source.ReadDir(".")
	if err != nil {
		return err
	}
	for _, e := range entries {
		name := e.Name()
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		match, err := ctxt.MatchFile("", name)
		if err != nil {
			return fmt.Errorf("%s/%s: %w", dir, name, err)
		}
		if !match {
			continue
		}
		text, err := source.ReadFile(name)
		if err != nil {
			return err
		}
		text = bytes.ReplaceAll(text, []byte(`"`+modulePath+"/"), []byte(`"`+path.Dir(ImportPath)+"/"))
		files[path.Join(dir, name)] = dropConstraint(text)
	}
	return nil
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
