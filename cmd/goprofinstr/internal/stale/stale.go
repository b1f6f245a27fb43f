// Package stale tells which sources are not what they were when a profile was made: its lines are others then.
package stale

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"github.com/goprofinstr/goprofinstr/export/profiledir"
	"github.com/goprofinstr/goprofinstr/internal/show"
	"github.com/goprofinstr/goprofinstr/rt/rundata"
)

// mostSource is what is read of a source file, in bytes.
const mostSource = 64 << 20

// Is reports whether a source file of the module of m is another one now. Files that were not instrumented, such as
// tests, are never stale. A file that has gone is an error.
func Is(m *profiledir.Manifest, name string) (bool, error) {
	want, ok := m.Sources[name]
	if !ok || want == "" { // merged runs of files that differ
		return ok, nil
	}
	src, err := rundata.ReadWhole(filepath.Join(m.Root, filepath.FromSlash(name)), mostSource)
	if err != nil {
		return false, err
	}
	return fmt.Sprintf("%x", sha256.Sum256(src)) != want, nil
}

// Warning returns a sentence about the files that have changed since the profile in dir was made, "" if there are none
// or that cannot be known: a profile may have been made on another machine.
func Warning(dir string) string {
	m, err := profiledir.ReadManifest(dir)
	if err != nil || m == nil || m.Root == "" {
		return ""
	}
	var changed []string
	there := false
	for _, name := range slices.Sorted(maps.Keys(m.Sources)) {
		is, err := Is(m, name)
		there = there || err == nil
		if is || err != nil {
			changed = append(changed, name)
		}
	}
	switch {
	case !there || len(changed) == 0:
		return ""
	case len(changed) == 1:
		return fmt.Sprintf("%s has changed since %s was made: run goprofinstr wrap again", show.Printable(changed[0]), dir)
	}
	return fmt.Sprintf("%d files have changed since %s was made, such as %s: run goprofinstr wrap again",
		len(changed), dir, show.Printable(changed[0]))
}
