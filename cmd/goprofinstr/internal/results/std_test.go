package results

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/buildtest"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/cache"
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

// TestStdOfModules has the same key for all modules, and another one in the standard library's own.
func TestStdOfModules(t *testing.T) {
	buildtest.EmptyCache(t)
	key := func(dir string) cache.Key {
		c, tc := buildtest.Command(t, "go build -C "+dir+" .")
		return Open(tc).Std(c, "overlay.json", &target.Hooks{}).key
	}
	var dirs []string
	for range 2 {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module example.com/m\n"), 0o666); err != nil {
			t.Fatal(err)
		}
		dirs = append(dirs, dir)
	}
	if key(dirs[0]) != key(dirs[1]) {
		t.Error("whether the standard library is compiled is asked again in another module")
	}
	_, tc := buildtest.Command(t, "go build errors")
	if key(dirs[0]) == key(filepath.Join(tc.GOROOT, "src")) {
		t.Error("patterns of flags match packages in the standard library's module, and it has the key of others")
	}
}
