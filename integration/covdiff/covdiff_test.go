package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goprofinstr/goprofinstr/integration/internal/fetch"
	"github.com/goprofinstr/goprofinstr/integration/internal/tool"
)

// TestStd is the exactness oracle on packages of the standard library that few others import, so that little has to
// be compiled. The coverage profile must equal go test's line for line.
func TestStd(t *testing.T) {
	check(t, tests{packages: []string{"container/ring", "encoding/csv", "image/png", "text/tabwriter"}, flags: []string{"-p=1", "-short"}})
}

// TestModule is the same for a module, which it skips if that cannot be downloaded.
func TestModule(t *testing.T) {
	if testing.Short() {
		t.Skip("downloads a module")
	}
	check(t, tests{packages: []string{"."}, dir: fetch.ForTest(t, "github.com/golang/snappy", "v1.0.0")})
}

func check(t *testing.T, c tests) {
	t.Helper()
	if testing.Short() {
		t.Skip("builds and tests other packages")
	}
	work := t.TempDir()
	exe, err := tool.Build(work)
	if err != nil {
		t.Fatal(err)
	}
	r := &runner{tool: exe, work: work}
	d, err := r.compare(c)
	if err != nil {
		t.Fatal(err)
	}
	if !d.identical || d.blocks == 0 {
		var text strings.Builder
		d.print(&text, strings.Join(c.packages, " "), 20)
		t.Error(text.String())
	}
}

func TestCompareFiles(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		name = filepath.Join(dir, name)
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return name
	}
	plain := write("plain", "mode: count\np/a.go:1.1,2.2 1 5\np/a.go:3.1,4.2 1 6\np/a.go:1.1,2.2 1 7\n")
	d, err := compareFiles(plain, plain)
	if err != nil || !d.identical || d.blocks != 3 || len(d.differences) != 0 {
		t.Errorf("of a file with itself: %+v, %v", d, err)
	}
	wrapped := write("wrapped", "mode: count\np/a.go:1.1,2.2 1 5\np/b.go:1.1,2.2 1 0\np/a.go:1.1,2.2 1 8\n")
	d, err = compareFiles(plain, wrapped)
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	d.print(&text, "p", 2)
	want := `p: 3 blocks, 0 equal, 0 different in functions with abandoned activations, 3 in others, 0 unstable, 0 not known
	p/a.go:3.1,4.2 1: go test 6, goprofinstr none
	p/a.go:1.1,2.2 1 #2: go test 7, goprofinstr 8
	… and 1 more
`
	if text.String() != want {
		t.Errorf("got:\n%swant:\n%s", &text, want)
	}
}

func TestReadCorpus(t *testing.T) {
	name := filepath.Join(t.TempDir(), "corpus.json")
	const text = `[
		{"kind":"module","dir":"m","testFlags":["-short"],"deterministic":["m/b"],"deterministicWithSkip":{"m/a":{"skip":["TestX","TestY"],"of":9}}},
		{"kind":"std","dir":null,"testFlags":[],"deterministic":[],"deterministicWithFixedRuntime":{"json":{"skip":[],"of":null,"gcOff":true}}}]`
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	runs, err := readCorpus(name, "/d", "/o.json")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range runs {
		got = append(got, strings.Join(append([]string{r.dir, r.how}, r.args("f")...), " "))
	}
	want := []string{
		"(fixed runtime) test -count=1 -covermode=count -coverprofile=f -overlay=/o.json json",
		"/d/m (tests skipped) test -count=1 -covermode=count -coverprofile=f -short -skip=^(TestX|TestY)$ m/a",
		"/d/m  test -count=1 -covermode=count -coverprofile=f -short m/b",
	}
	for i := range want {
		if i >= len(got) || strings.TrimSpace(got[i]) != want[i] {
			t.Errorf("run %d of %d: want %s, got %q", i, len(got), want[i], got)
		}
	}
}
