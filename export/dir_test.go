package export_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/goprofinstr/goprofinstr/export"
	"github.com/goprofinstr/goprofinstr/export/internal/samples"
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

func TestWriteDir(t *testing.T) {
	dir := t.TempDir()
	if err := export.WriteDir(dir, samples.Sample(t)); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(filepath.Join(dir, "paths.pb.gz"))
	if err != nil {
		t.Fatal(err)
	}
	// Again, over the old files: the same bytes, and nothing else in the directory.
	if err := export.WriteDir(dir, samples.Sample(t)); err != nil {
		t.Fatal(err)
	}
	after, err := os.ReadFile(filepath.Join(dir, "paths.pb.gz"))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(before, after) {
		t.Error("equal profiles gave different bytes")
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
		if info, err := e.Info(); err != nil || info.Mode().Perm()&0o044 != 0o044 {
			t.Errorf("%s: %v, %v, want readable for all", e.Name(), info.Mode(), err)
		}
	}
	if want := []string{"calls.pb.gz", "edges.pb.gz", "paths.pb.gz"}; !slices.Equal(names, want) {
		t.Errorf("files %v, want %v", names, want)
	}
	if err := export.WriteDir(filepath.Join(dir, "missing"), samples.Sample(t)); !os.IsNotExist(err) {
		t.Errorf("error %v for a missing directory", err)
	}
}

// TestWriteDirFails has a file that cannot be replaced: no temporary file stays behind.
func TestWriteDirFails(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "paths.pb.gz", "sub"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := export.WriteDir(dir, samples.Sample(t)); err == nil {
		t.Error("replaced a directory")
	}
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".pb.gz") {
			t.Errorf("left behind: %s", e.Name())
		}
	}
}

// TestReplaceLink writes to a file by a link to it. The link stays.
func TestReplaceLink(t *testing.T) {
	dir := t.TempDir()
	file, link := filepath.Join(dir, "file"), filepath.Join(dir, "link")
	if err := os.WriteFile(file, []byte("old"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(file, link); err != nil {
		t.Skip(err)
	}
	err := export.Replace(link, func(w io.Writer) error {
		_, err := io.WriteString(w, "new")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(file); err != nil || string(got) != "new" {
		t.Errorf("the file has %q, %v", got, err)
	}
	if to, err := os.Readlink(link); err != nil || to != file {
		t.Errorf("the link leads to %q, %v", to, err)
	}
}
