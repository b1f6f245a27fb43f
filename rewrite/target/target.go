// Package target lays out the files that a go command needs to build rewritten
// packages with the runtime: a folder with the changed files and an overlay
// (go help build, -overlay) that puts them in the places of the originals.
//
// The runtime becomes a package of the standard library, goprofinstr/rt, which every
// package can import whatever its module, vendor folder or workspace: the overlay adds
// GOROOT/src/goprofinstr/rt, which does not exist on disk. Nothing of the user's is touched.
package target

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/goprofinstr/goprofinstr/rt"
)

// Toolchain is the Go toolchain that builds the target.
type Toolchain struct {
	GOROOT, GOOS, GOARCH string
}

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

// Write writes the rewritten files, by their original absolute names, and the runtime
// to dir and returns the name of an overlay for them. The replacements of user, which may be nil, are kept for all other files.
func Write(dir string, tc Toolchain, files map[string][]byte, user *Overlay) (string, error) {
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
	runtime, err := rt.Source(tc.GOOS, tc.GOARCH)
	if err != nil {
		return "", err
	}
	for name, data := range runtime {
		if err := add(filepath.Join(tc.GOROOT, "src", filepath.FromSlash(rt.ImportPath), name), "rt", data); err != nil {
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
