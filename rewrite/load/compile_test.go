package load

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/txtar"
)

const embeddingModule = `
-- go.mod --
module example.com/m

go 1.26
-- m.go --
package m

import (
	"embed"
	_ "net/http"
)

//go:embed *.txt "all:data"
var files embed.FS

func leak(p *int) *int { return p }
-- m_test.go --
package m

import "testing"

func Test(t *testing.T) { _ = files }
-- a.txt --
-- data/b --
`

// TestCompilation compiles packages with what Compilation says. One has embedded files, another is the same with its test, and
// one is of the standard library and imports vendored packages. The compiler comes as far as to what escapes, which is behind
// what it inlines.
func TestCompilation(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the go command")
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, must(txtar.FS(txtar.Parse([]byte(embeddingModule))))); err != nil {
		t.Fatal(err)
	}
	b, err := Load(Config{Dir: dir, Patterns: []string{"."}, Tests: true, Select: func(p *packages.Package) bool { return false }, Source: os.ReadFile})
	if err != nil {
		t.Fatal(err)
	}
	ids := []string{"example.com/m", "example.com/m [example.com/m.test]", "net/http"}
	var chosen []*packages.Package
	for _, p := range b.All {
		if slices.Contains(ids, p.ID) {
			chosen = append(chosen, p)
		}
	}
	if len(chosen) != len(ids) {
		t.Fatalf("found %d packages, want %d", len(chosen), len(ids))
	}
	if _, ok := b.Compilation(chosen[0]); ok {
		t.Error("there is a compilation without export data")
	}
	if err := b.LoadExports(nil, chosen); err != nil {
		t.Fatal(err)
	}
	for _, p := range chosen {
		c, ok := b.Compilation(p)
		if !ok {
			t.Errorf("no compilation of %s", p.ID)
			continue
		}
		work := t.TempDir()
		args := []string{"tool", "compile", "-m", "-p", p.PkgPath, "-o", filepath.Join(work, "out")}
		args = append(args, "-importcfg", write(t, work, "importcfg", c.ImportConfig))
		if c.EmbedConfig != nil {
			args = append(args, "-embedcfg", write(t, work, "embedcfg", c.EmbedConfig))
		}
		out, _ := exec.Command("go", append(args, c.Files...)...).CombinedOutput()
		if !strings.Contains(string(out), "leaking param: p to result") {
			t.Errorf("%s: %s", p.ID, out)
		}
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func write(t *testing.T, dir, name string, data []byte) string {
	t.Helper()
	name = filepath.Join(dir, name)
	if err := os.WriteFile(name, data, 0o666); err != nil {
		t.Fatal(err)
	}
	return name
}
