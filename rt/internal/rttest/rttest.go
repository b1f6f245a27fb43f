// Package rttest has what tests of the runtime's packages have in common.
package rttest

import (
	"path/filepath"
	"testing"

	"github.com/goprofinstr/goprofinstr/rt/rundata"
)

// ReadDir reads the one run file in dir.
func ReadDir(t *testing.T, dir string) *rundata.Run {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "run.*.gpi"))
	if err != nil || len(names) != 1 {
		t.Fatalf("run files in %s: %v", dir, names)
	}
	run, err := rundata.ReadFile(names[0])
	if err != nil {
		t.Fatal(err)
	}
	return run
}
