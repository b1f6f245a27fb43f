// Package target lays out the files that a go command needs to build rewritten
// packages with the runtime: a folder with the changed files and an overlay
// (go help build, -overlay) that puts them in the places of the originals.
//
// The runtime becomes a package of the standard library, goprofinstr/rt, which every
// package can import whatever its module, vendor folder or workspace: the overlay adds
// GOROOT/src/goprofinstr/rt, which does not exist on disk. Nothing of the user's is touched.
package target

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/build"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Toolchain is the Go toolchain that builds the target.
type Toolchain struct {
	GOROOT, GOOS, GOARCH string
}

// stdTag selects the files of the runtime that are for a standard package: they
// may import internal ones.
const stdTag = "goprofinstr_std"

// An Overlay is what `go build -overlay` reads.
type Overlay struct {
	Replace map[string]string
}

// ReadOverlay reads an overlay of the user's and makes its file names absolute; those that
// are not are relative to dir, where the go command runs.
func ReadOverlay(name, dir string) (*Overlay, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	o := new(Overlay)
	if err := json.Unmarshal(data, o); err != nil {
		return nil, fmt.Errorf("overlay %s: %w", name, err)
	}
	dir, err = filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	absolute := func(file string) string {
		if file == "" || filepath.IsAbs(file) {
			return file // "" deletes
		}
		return filepath.Join(dir, file)
	}
	abs := &Overlay{Replace: make(map[string]string, len(o.Replace))}
	for file, replacement := range o.Replace {
		abs.Replace[absolute(file)] = absolute(replacement)
	}
	return abs, nil
}

// Write writes the rewritten files, by their original absolute names, and the runtime from
// source (which has them in a folder rt) to dir and returns the name of an overlay for them.
// The replacements of user, which may be nil, are kept for all other files.
func Write(dir string, tc Toolchain, files map[string][]byte, source fs.FS, user *Overlay) (string, error) {
	overlay := Overlay{Replace: make(map[string]string)}
	if user != nil {
		for name, replacement := range user.Replace {
			overlay.Replace[name] = replacement
		}
	}
	add := func(original, folder string, data []byte) error {
		file := filepath.Join(dir, folder, filepath.Base(original))
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			return err
		}
		overlay.Replace[original] = file
		return os.WriteFile(file, data, 0o666)
	}
	n := 0
	for name, data := range files {
		n++ // files of different packages may have one name
		if err := add(name, fmt.Sprintf("src%04d", n), data); err != nil {
			return "", err
		}
	}
	runtime, err := runtimeFiles(tc, source)
	if err != nil {
		return "", err
	}
	for name, data := range runtime {
		if err := add(filepath.Join(tc.GOROOT, "src", "goprofinstr", "rt", name), "rt", data); err != nil {
			return "", err
		}
	}
	data, err := json.MarshalIndent(overlay, "", "\t")
	if err != nil {
		return "", err
	}
	name := filepath.Join(dir, "overlay.json")
	return name, os.WriteFile(name, data, 0o666)
}

// runtimeFiles returns the files of package rt that the target system builds.
func runtimeFiles(tc Toolchain, source fs.FS) (map[string][]byte, error) {
	entries, err := fs.ReadDir(source, "rt")
	if err != nil {
		return nil, err
	}
	ctx := build.Default
	ctx.GOOS, ctx.GOARCH = tc.GOOS, tc.GOARCH
	ctx.BuildTags = []string{stdTag}
	ctx.JoinPath = func(elem ...string) string { return strings.Join(elem, "/") }
	ctx.OpenFile = func(name string) (io.ReadCloser, error) { return source.Open(name) }

	files := make(map[string][]byte)
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), "_test.go") {
			continue
		}
		if match, err := ctx.MatchFile("rt", e.Name()); err != nil {
			return nil, err
		} else if !match {
			continue
		}
		data, err := fs.ReadFile(source, "rt/"+e.Name())
		if err != nil {
			return nil, err
		}
		files[e.Name()] = withoutConstraint(data)
	}
	return files, nil
}

// withoutConstraint blanks the //go:build line, which names the tag that the
// user's build does not have.
func withoutConstraint(src []byte) []byte {
	const prefix = "//go:build "
	i := bytes.Index(src, []byte(prefix))
	if i < 0 || i > 0 && src[i-1] != '\n' {
		return src
	}
	end := i + bytes.IndexByte(src[i:], '\n')
	return append(append([]byte(nil), src[:i]...), src[end:]...)
}
