package rt_test

import (
	"bytes"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/goprofinstr/goprofinstr/rt"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestSource holds the files that are linked into programs, of some systems and without hooks, to the committed list.
func TestSource(t *testing.T) {
	if rt.Basic {
		t.Skip("the list is of programs without the tag")
	}
	var b strings.Builder
	for _, system := range [][2]string{{"linux", "amd64"}, {"linux", "arm64"}, {"linux", "386"}, {"darwin", "arm64"}, {"windows", "amd64"}} {
		files, err := rt.Source(system[0], system[1])
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "%s/%s\n", system[0], system[1])
		for _, name := range slices.Sorted(maps.Keys(files)) {
			fmt.Fprintf(&b, "\t%s\n", name)
			if bytes.Contains(files[name], []byte("//go:build")) {
				t.Errorf("%s keeps its constraint", name)
			}
		}
	}
	const golden = "testdata/source.txt"
	if *update {
		if err := os.WriteFile(golden, []byte(b.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if b.String() != string(want) {
		t.Errorf("the files that are linked into programs are not those of %s: use -update and look at the difference\n%s", golden, b.String())
	}
}
