package results

import (
	"os"
	"testing"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/buildtest"
	"github.com/goprofinstr/goprofinstr/rewrite/target"
)

// TestMissing asks about a build cache that is empty.
func TestMissing(t *testing.T) {
	buildtest.EmptyCache(t)
	t.Setenv("GOCACHE", t.TempDir())
	c, tc := buildtest.Command(t, "go build errors")
	hooks := target.RuntimeHooks(tc.Target(), false, os.ReadFile)
	overlay, err := target.Write(t.TempDir(), tc.Target(), target.Sources{Hooks: hooks})
	if err != nil {
		t.Fatal(err)
	}
	if !Open(tc).Std(c, overlay, hooks).Missing() {
		t.Error("the standard library is not missing in an empty build cache")
	}
}
