package archives

import (
	"errors"
	"path/filepath"
	"slices"
	"testing"

	"github.com/goprofinstr/goprofinstr/export/fleet/archive"
	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/export/profiledir"
)

// TestAddEmpty adds directories to which no program has written yet, and others behind them.
func TestAddEmpty(t *testing.T) {
	first, empty, last := t.TempDir(), t.TempDir(), t.TempDir()
	for _, dir := range []string{first, last} {
		if err := (&profiledir.Dir{Path: dir}).WriteBuild(profiledir.Manifest{Mode: "exact"}, nil); err != nil {
			t.Fatal(err)
		}
	}
	var added []string
	warn := func(name string, damaged []profile.Damage) { added = append(added, name) }
	name := filepath.Join(t.TempDir(), "archive")
	err := Add(t.Context(), name, archive.Directory{Host: "here"}, []string{first, empty, last}, warn)
	if !errors.Is(err, profiledir.ErrNoRuns) {
		t.Errorf("error %v", err)
	}
	if want := []string{first, last}; !slices.Equal(added, want) {
		t.Errorf("added %q, want %q", added, want)
	}
}
