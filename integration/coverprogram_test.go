package integration

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/goprofinstr/goprofinstr/integration/internal/fetch"

	"github.com/google/go-cmp/cmp"
)

var coverPrograms = flag.Bool("cover.programs", false, "TestCoverPrograms builds the programs of real modules")

// covered are programs of real modules that do the same each time.
var covered = []struct {
	module, version, pkg string
	input                string
	args                 []string // INPUT is a file with the input
}{
	{"github.com/BurntSushi/toml", "v1.6.0", "./cmd/tomlv", "a = [1, 2.5, {b = 2026-01-01}]\n[t.u]\ns = \"x\\n\"\n", []string{"-types", "INPUT"}},
	{"github.com/yuin/gopher-lua", "v1.1.2", "./cmd/glua",
		"local t = {}\nfor i = 1, 100 do t[i] = i % 7 end\ntable.sort(t)\nprint(#t, t[1], string.format('%5.2f', 3))\n", []string{"INPUT"}},
	{"github.com/ulikunitz/xz", "v0.5.17", "./cmd/gxz", strings.Repeat("to be or not to be ", 100), []string{"-k", "-c", "INPUT"}},
}

// TestCoverPrograms holds the coverage of programs, which they have with them, against Go's own: their sources are gone.
func TestCoverPrograms(t *testing.T) {
	if !*coverPrograms {
		t.Skip("builds the programs of three modules: -cover.programs")
	}
	for _, c := range covered {
		t.Run(c.module, func(t *testing.T) {
			dir, work := fetch.ForTest(t, c.module, c.version), t.TempDir()
			in := func(name string) string { return filepath.Join(work, name) }
			if err := os.WriteFile(in("input"), []byte(c.input), 0o666); err != nil {
				t.Fatal(err)
			}
			args := slices.Clone(c.args)
			args[slices.Index(args, "INPUT")] = in("input")
			run(t, dir, goprofinstr, "wrap", "-mode", "exact", "-atomic", "go", "build", "-o", in("wrapped"), c.pkg)
			run(t, dir, "go", "build", "-cover", "-covermode=atomic", "-o", in("covered"), c.pkg)
			if err := os.RemoveAll(dir); err != nil {
				t.Fatal(err)
			}
			if err := os.Mkdir(in("go"), 0o777); err != nil {
				t.Fatal(err)
			}
			t.Setenv("GOPROFINSTR_DIR", in("data"))
			t.Setenv("GOCOVERDIR", in("go"))
			for _, name := range []string{"wrapped", "covered"} {
				cmd := exec.Command(in(name), args...)
				if out, err := cmd.CombinedOutput(); err != nil {
					t.Fatalf("%s: %v\n%s", name, err, out)
				}
			}
			run(t, work, "go", "tool", "covdata", "textfmt", "-i=go", "-o=want")
			run(t, work, goprofinstr, "export", "-format", "coverprofile", "-o", "got", "data")
			want, got := sortedLines(t, in("want")), sortedLines(t, in("got"))
			for i := range want {
				want[i] = strings.Replace(want[i], "mode: atomic", "mode: count", 1)
			}
			slices.Sort(want)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-go build -cover +goprofinstr):\n%s", diff)
			}
			t.Logf("%d blocks", len(got)-1)
		})
	}
}

func sortedLines(t *testing.T, name string) []string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return slices.Sorted(strings.Lines(string(data)))
}
