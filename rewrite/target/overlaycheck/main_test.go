package main

import (
	"os"
	"path/filepath"
	"testing"
)

// TestOwn makes folders in an order in which one above is a link first. GOROOT must stay as it is.
func TestOwn(t *testing.T) {
	goroot, root := t.TempDir(), t.TempDir()
	original := filepath.Join(goroot, "src", "runtime", "pprof", "proto.go")
	if err := os.MkdirAll(filepath.Dir(original), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(original, []byte("original"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"src", "src/runtime/pprof", "src/runtime"} {
		if err := own(goroot, root, name); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Remove(filepath.Join(root, "src", "runtime", "pprof", "proto.go")); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(original); err != nil {
		t.Error(err)
	}
}
