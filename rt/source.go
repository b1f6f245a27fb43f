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
	"slices"
	"strings"

	"github.com/goprofinstr/goprofinstr/sampler"
	"github.com/goprofinstr/goprofinstr/sampler/pcct"
	"github.com/goprofinstr/goprofinstr/sampler/stream"
)

//go:embed *.go */*.go */*.s */*.go.txt */*.s.txt
var source embed.FS

// ImportPath is the import path of this package in rewritten programs.
const ImportPath = "goprofinstr/rt"

// LinkedDir is the name of the string that the linker may give the directory for data.
const LinkedDir = ImportPath + "/runfile.linkedDir"

// LinkedIdentity is the name of the string that the linker may give the identity of a test binary.
const LinkedIdentity = ImportPath + "/runfile.linkedIdentity"

// RuntimeTag is the build tag of files that work together with hooks added to package runtime.
const RuntimeTag = "goprofinstr_runtime"

// ShardsTag is the build tag of files that need the shards added to package runtime.
const ShardsTag = "goprofinstr_shards"

// SamplerTag is the build tag of files that need the sampling signals and threads' numbers of package runtime.
const SamplerTag = "goprofinstr_sampler"

// TestsTag is the build tag of files that are told of tests by package testing.
const TestsTag = "goprofinstr_tests"

// AuditTag is the build tag of files that need a word in each goroutine for audits.
const AuditTag = "goprofinstr_audit"

// CopiesTag is the build tag of files that need package runtime to know of copies.
const CopiesTag = "goprofinstr_copies"

// MirrorTag is the build tag of files that have package runtime copy counters to the run file.
const MirrorTag = "goprofinstr_mirror"

// modulePath is the import path of the packages' parent as it is outside of programs.
const modulePath = "github.com/goprofinstr/goprofinstr"

// reader is the folder of the one package below this one that is not linked into programs: it reads run files.
const reader = "rundata"

// folders returns those of the packages that are linked into programs.
func folders() ([]string, error) {
	list := []string{"."}
	entries, err := source.ReadDir(".")
	for _, e := range entries {
		if e.IsDir() && e.Name() != reader {
			list = append(list, e.Name())
		}
	}
	return list, err
}

// Source returns the files of package goprofinstr/rt in a program for the given system, by name. With them are those of the
// packages below it that are linked into programs, and those of goprofinstr/sampler and the packages below it. All these
// files are to be laid over GOROOT/src.
//
// The tags [RuntimeTag], [ShardsTag], [SamplerTag], [TestsTag], [AuditTag], [CopiesTag] and [MirrorTag] add what needs the
// hooks in package runtime.
//
// The rule: a file belongs if the go command would build it for that system with
// the tag goprofinstr_std set. The go command that builds the program does not
// set the tag, so the //go:build line has done its work and is blanked out.
func Source(goos, goarch string, tags ...string) (map[string][]byte, error) {
	files := make(map[string][]byte)
	add := func(source embed.FS, folder, dir string) error {
		ctxt := build.Context{
			GOOS:      goos,
			GOARCH:    goarch,
			Compiler:  "gc",
			BuildTags: slices.Concat([]string{"goprofinstr_std"}, basicTags, tags),
			JoinPath:  func(elem ...string) string { return path.Join(folder, elem[len(elem)-1]) },
			OpenFile:  func(name string) (io.ReadCloser, error) { return source.Open(name) },
		}
		return addMatches(&ctxt, source, folder, dir, files)
	}
	linked, err := folders()
	if err != nil {
		return nil, err
	}
	for _, folder := range linked {
		if err := add(source, folder, path.Join(ImportPath, folder)); err != nil {
			return nil, err
		}
	}
	switch {
	case goos == "darwin":
		files["runtime/goprofinstr_libc_darwin.go"] = Patch("sys/libc_darwin.go.txt")
	case goos == "windows" && goarch != "386":
		files["runtime/goprofinstr_calls_windows.go"] = Patch("sys/calls_windows.go.txt")
	}
	above := path.Dir(ImportPath)
	for dir, source := range map[string]embed.FS{"sampler": sampler.Files, "sampler/pcct": pcct.Files, "sampler/stream": stream.Files} {
		if err := add(source, ".", path.Join(above, dir)); err != nil {
			return nil, err
		}
	}
	return files, nil
}

// Patch returns text for package runtime or testing that lies beside the package that it works together with:
// "exact/runtime.go.txt". It panics if there is none.
func Patch(name string) []byte {
	text, err := source.ReadFile(name)
	if err != nil {
		panic("BUG: " + err.Error())
	}
	return text
}

// addMatches adds the files of a folder of source that ctxt matches to those of a folder of GOROOT/src.
func addMatches(ctxt *build.Context, source embed.FS, folder, dir string, files map[string][]byte) error {
	entries, err := source.ReadDir(folder)
	if err != nil {
		return err
	}
	for _, e := range entries {
		name := e.Name()
		if ext := path.Ext(name); ext != ".go" && ext != ".s" || strings.HasSuffix(name, "_test.go") {
			continue
		}
		match, err := ctxt.MatchFile("", name)
		if err != nil {
			return fmt.Errorf("%s/%s: %w", dir, name, err)
		}
		if !match {
			continue
		}
		text, err := source.ReadFile(path.Join(folder, name))
		if err != nil {
			return err
		}
		if path.Ext(name) == ".s" {
			files[assemblyName(name)] = assemblyFor(dir, text)
			continue
		}
		text = bytes.ReplaceAll(text, []byte(`"`+modulePath+"/"), []byte(`"`+path.Dir(ImportPath)+"/"))
		files[path.Join(dir, name)] = dropConstraint(text)
	}
	return nil
}

// assemblyName returns where assembly of a package of ours lies: in package runtime, since the assembler runs in the folder
// of the package, and there is none of ours in GOROOT.
func assemblyName(name string) string { return "runtime/goprofinstr_" + name }

// assemblyFor has the symbols of assembly be those of a package in programs, whatever package the assembly is in.
func assemblyFor(dir string, text []byte) []byte {
	return bytes.ReplaceAll(text, []byte("·"), []byte(strings.ReplaceAll(dir, "/", "∕")+"·"))
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
