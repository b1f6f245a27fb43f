package keepinline

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/cache"
)

// TestWriteAgain writes a profile that has not been used for long. The build that it is for trims the cache before it reads it.
func TestWriteAgain(t *testing.T) {
	dir := t.TempDir()
	profiles := filepath.Join(dir, Folder)
	name, err := WriteProfile(profiles, nil)
	if err != nil {
		t.Fatal(err)
	}
	old := time.Now().Add(-30 * 24 * time.Hour)
	if err := os.Chtimes(name, old, old); err != nil {
		t.Fatal(err)
	}
	if _, err := WriteProfile(profiles, nil); err != nil {
		t.Fatal(err)
	}
	store := filepath.Join(dir, "cache")
	if err := os.Mkdir(store, 0o777); err != nil {
		t.Fatal(err)
	}
	cache.Open(store).Trim(profiles)
	if _, err := os.Stat(name); err != nil {
		t.Error(err)
	}
}
