package export_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goprofinstr/goprofinstr/export"
)

// TestReplaceErrors makes sure that errors name the file that was asked for, and not the temporary one, and that
// neither is left or changed.
func TestReplaceErrors(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "p.json")
	if err := os.WriteFile(name, []byte("old"), 0o666); err != nil {
		t.Fatal(err)
	}
	write := func(w io.Writer) error { _, err := io.WriteString(w, "new"); return err }
	failing := func(w io.Writer) error {
		f := w.(*os.File)
		f.Close()
		_, err := f.WriteString("new")
		return err
	}
	for _, test := range []struct {
		name  string
		write func(io.Writer) error
	}{
		{name, failing},
		{filepath.Join(dir, "none", "p.json"), write},
		{filepath.Join(name, "p.json"), write},
	} {
		err := export.Replace(test.name, test.write)
		if err == nil || !strings.Contains(err.Error(), test.name) || strings.Contains(err.Error(), ".tmp") {
			t.Errorf("%s: error %v", test.name, err)
		}
	}
	own := errors.New("own")
	if err := export.Replace(name, func(io.Writer) error { return own }); err != own {
		t.Errorf("error %v, want that of the function", err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Errorf("files %v, %v", entries, err)
	}
	if data, err := os.ReadFile(name); err != nil || string(data) != "old" {
		t.Errorf("file is %q, %v", data, err)
	}
}
