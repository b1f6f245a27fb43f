package results

import (
	"errors"
	"path/filepath"
	"testing"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/buildtest"
	"github.com/goprofinstr/goprofinstr/rewrite/load"
)

// TestExports finds export data a second time without a go command, unless it is gone.
func TestExports(t *testing.T) {
	buildtest.EmptyCache(t)
	c, tc := buildtest.Command(t, "go build go/scanner")
	start := func() *Exports {
		return Open(tc).Exports(c, buildtest.Load(t, c, tc, false, "go/scanner"))
	}
	never := func() (string, error) { return "", errors.New("the standard library is compiled as it is") }
	first, second, third := start(), start(), start()
	if err := first.Load(first.build.Packages, nil, never); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", "")
	if err := second.Load(second.build.Packages, nil, never); err != nil {
		t.Errorf("the go command is run again: %v", err)
	}
	ids := load.Imports(first.build.Packages, nil)
	if len(ids) < 3 {
		t.Errorf("imports are %v", ids)
	}
	for _, id := range ids {
		if file := second.build.Export(id); file == "" || file != first.build.Export(id) {
			t.Errorf("%s is in %q, want %q", id, file, first.build.Export(id))
		}
	}
	third.store.Put(third.key(third.listed[ids[0]]), filepath.Join(t.TempDir(), "trimmed"))
	if err := third.Load(third.build.Packages, nil, never); err == nil {
		t.Errorf("export data of %s that is not there any more is not looked for", ids[0])
	}
}
