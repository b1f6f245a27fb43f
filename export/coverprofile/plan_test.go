package coverprofile

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/goprofinstr/goprofinstr/export/profiledir"
)

// TestReadPlan reads the plan of a wrap that was killed when its profile was whole, and not the one before.
func TestReadPlan(t *testing.T) {
	dir := t.TempDir()
	whole := filepath.Join(dir, "whole")
	if err := os.Mkdir(whole, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(whole, profiledir.ManifestName), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for version, folder := range map[string]string{"go1.1": dir, "go1.2": whole} {
		if err := (&Plan{Go: version}).Write(folder); err != nil {
			t.Fatal(err)
		}
	}
	if p, err := ReadPlan(dir); err != nil || p.Go != "go1.2" {
		t.Errorf("%+v, %v, want the plan of go1.2", p, err)
	}
}
