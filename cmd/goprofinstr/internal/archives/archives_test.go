package archives

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/goprofinstr/goprofinstr/export/fleet/archive"
	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/export/profiledir"
)

// TestAddEmpty adds directories to which no program has written yet, and what is no profile directory, and others behind them.
func TestAddEmpty(t *testing.T) {
	first, empty, audit, last := t.TempDir(), t.TempDir(), t.TempDir(), t.TempDir()
	gone, file := filepath.Join(empty, "gone"), filepath.Join(t.TempDir(), "file")
	for dir, mode := range map[string]string{first: "exact", audit: profiledir.AuditMode, last: "exact"} {
		if err := (&profiledir.Dir{Path: dir}).WriteBuild(profiledir.Manifest{Mode: mode}, nil); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	var added []string
	warn := func(name string, damaged []profile.Damage) { added = append(added, name) }
	name := filepath.Join(t.TempDir(), "archive")
	err := Add(t.Context(), name, archive.Directory{Host: "here"}, []string{first, empty, gone, file, audit, last}, warn)
	n := strings.Count(fmt.Sprint(err), "\n") + 1
	if !errors.Is(err, profiledir.ErrNoRuns) || !errors.Is(err, fs.ErrNotExist) || n != 4 {
		t.Errorf("%d errors, want 4: %v", n, err)
	}
	if want := []string{first, last}; !slices.Equal(added, want) {
		t.Errorf("added %q, want %q", added, want)
	}
}
