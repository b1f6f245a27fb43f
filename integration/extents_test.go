package integration

import (
	"cmp"
	"flag"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/goprofinstr/goprofinstr/export/coverprofile"
	"github.com/goprofinstr/goprofinstr/rewrite/extents"
	"github.com/goprofinstr/goprofinstr/rewrite/release"

	gocmp "github.com/google/go-cmp/cmp"
)

var (
	extentsAll = flag.Bool("extents.all", false, "TestExtents looks at all files of the standard library")
	extentsDir = flag.String("extents.dir", "", "folder with more Go files for TestExtents")
)

// TestExtents holds what programs carry of the extents of their files against what the cover tool of the
// release makes of the files.
func TestExtents(t *testing.T) {
	if testing.Short() {
		t.Skip("runs go tool cover for each file")
	}
	if !release.Knows(runtime.Version()) {
		t.Skipf("%s is none of %s: programs that it builds carry no extents", runtime.Version(), release.Names())
	}
	gaps := release.Of(runtime.Version()).Cover.SplitsAtGaps
	goroot := strings.TrimSpace(goEnv(t, "GOROOT"))
	src := filepath.Join(goroot, "src")
	dirs := []string{filepath.Join(src, "go", "parser"), filepath.Join(src, "encoding", "json"), filepath.Join(src, "go", "printer")}
	if *extentsAll {
		dirs = []string{src}
	}
	if *extentsDir != "" {
		dirs = append(dirs, *extentsDir)
	}
	var files []string
	for _, dir := range dirs {
		files = append(files, goFiles(t, dir)...)
	}
	var wg sync.WaitGroup
	limit := make(chan bool, runtime.GOMAXPROCS(0))
	for _, name := range files {
		limit <- true
		wg.Go(func() {
			defer func() { <-limit }()
			checkExtents(t, name, gaps)
		})
	}
	wg.Wait()
	if len(files) < 20 {
		t.Errorf("%d files", len(files))
	}
	t.Logf("%d files", len(files))
}

func goEnv(t *testing.T, name string) string {
	t.Helper()
	out, err := exec.Command("go", "env", name).Output()
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// goFiles returns the Go files below a folder. Those in testdata that do not parse are left out.
func goFiles(t *testing.T, dir string) (names []string) {
	err := filepath.WalkDir(dir, func(name string, d os.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && filepath.Ext(name) == ".go" {
			names = append(names, name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// checkExtents compares the extents of a file. Those of the tool are sorted by what they say, for only
// coverprofile knows where their counters are.
func checkExtents(t *testing.T, name string, gaps bool) {
	src, err := os.ReadFile(name)
	if err != nil {
		t.Error(err)
		return
	}
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, name, src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return
	}
	want, err := coverprofile.Tool{Go: "go"}.Extents("p", false, coverprofile.NewFile(name, "", src))
	if err != nil {
		t.Logf("%v", err) // it refuses some files of testdata
		return
	}
	list, names := extents.Of(fset, f, src, gaps)
	var got []coverprofile.Extent
	for _, e := range list {
		file := filepath.Base(name)
		if e.Name > 0 {
			file = names[e.Name-1]
		}
		got = append(got, coverprofile.NewExtent("p/"+file, e))
	}
	for _, list := range [][]coverprofile.Extent{want, got} {
		slices.SortFunc(list, func(a, b coverprofile.Extent) int {
			return cmp.Or(strings.Compare(a.String(), b.String()), strings.Compare(a.Counter(), b.Counter()))
		})
	}
	lines := func(list []coverprofile.Extent) (lines []string) {
		for _, e := range list {
			lines = append(lines, e.Counter()+": "+e.String())
		}
		return lines
	}
	if diff := gocmp.Diff(lines(want), lines(got)); diff != "" {
		t.Errorf("%s (-tool +carried):\n%s", name, diff)
	}
}
