package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/goprofinstr/goprofinstr/export/profiledir"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// TestLiveSources has folders of -src with and without the sources. What is wrong is said once, however often the profile is
// read.
func TestLiveSources(t *testing.T) {
	pkg := &table.Package{Path: "example.com/m", Functions: []table.Function{
		{Name: "example.com/m.F", File: "m.go", Line: 3, EndLine: 3, Declined: "for this test"},
	}}
	encoded, err := pkg.Encode()
	if err != nil {
		t.Fatal(err)
	}
	dir, src := t.TempDir(), t.TempDir()
	if err := (&profiledir.Dir{Path: dir}).WriteBuild(profiledir.Manifest{Mode: "exact"}, [][]byte{encoded}); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"go.mod": "module example.com/m\n", "m.go": "package m\n\nfunc F() {}\n"} {
		if err := os.WriteFile(filepath.Join(src, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for folder, want := range map[string]int{src: 0, t.TempDir(): 1} {
		l := &livePages{dir: dir, src: folder}
		said := errorOutput(t, func() {
			for range 2 {
				l.read = time.Time{}
				if _, err := l.current(); err != nil {
					t.Fatal(err)
				}
			}
		})
		if n := strings.Count(said, "goprofinstr: -src "+folder+": no source of the profile is there; "); n != want {
			t.Errorf("-src %s: said %d times, want %d: %s", folder, n, want, said)
		}
	}
}

// errorOutput returns what a function writes to standard error.
func errorOutput(t *testing.T, do func()) string {
	t.Helper()
	f, err := os.Create(filepath.Join(t.TempDir(), "stderr"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	stderr := os.Stderr
	defer func() { os.Stderr = stderr }()
	os.Stderr = f
	do()
	data, err := os.ReadFile(f.Name())
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
