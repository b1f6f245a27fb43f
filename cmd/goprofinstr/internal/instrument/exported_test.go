package instrument

import (
	"path/filepath"
	"testing"

	"github.com/goprofinstr/goprofinstr/rewrite/load"
)

// TestExported finds export data a second time without a go command, unless it is gone.
func TestExported(t *testing.T) {
	emptyCache(t)
	c, tc := wrapped(t, "go build go/scanner")
	start := func() *exported {
		b, _, err := loadBuild(c, tc, nil, Options{Patterns: []string{"go/scanner"}})
		if err != nil {
			t.Fatal(err)
		}
		return openResults(tc).exported(c, b)
	}
	first, second, third := start(), start(), start()
	if err := first.load(first.build.Packages, nil); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", "")
	if err := second.load(second.build.Packages, nil); err != nil {
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
	third.results.put(third.key(third.listed[ids[0]]), filepath.Join(t.TempDir(), "trimmed"))
	if err := third.load(third.build.Packages, nil); err == nil {
		t.Errorf("export data of %s that is not there any more is not looked for", ids[0])
	}
}
