package profiledir

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// TestPermissions has run files that others than the owner and the group cannot read, as programs make them.
func TestPermissions(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("files do not have such permissions")
	}
	d := &Dir{Path: t.TempDir()}
	if err := d.WriteRun("run.1.1.gpi", strings.NewReader("counts")); err != nil {
		t.Fatal(err)
	}
	put(t, d.Path, "counts", "from")
	from := filepath.Join(d.Path, "from")
	if err := os.Chmod(from, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := copySparse(filepath.Join(d.Path, "run.2.2.gpi"), from); err != nil {
		t.Fatal(err)
	}
	for name, forbidden := range map[string]os.FileMode{"run.1.1.gpi": 0o007, "run.2.2.gpi": 0o077} {
		info, err := os.Stat(filepath.Join(d.Path, name))
		if err != nil {
			t.Fatal(err)
		}
		if got := info.Mode().Perm() & forbidden; got != 0 {
			t.Errorf("%s: permissions %#o are too many", name, got)
		}
	}
}
