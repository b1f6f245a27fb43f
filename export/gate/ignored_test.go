package gate

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/goprofinstr/goprofinstr/export/gate/internal/ignore"
	"github.com/goprofinstr/goprofinstr/export/internal/code"
	"github.com/goprofinstr/goprofinstr/export/internal/profiletest"
)

// TestIgnoredPaths marks lines of random functions, and holds which paths are demanded against a look at each by itself.
func TestIgnoredPaths(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	ignored := 0
	for i := range 300 {
		p := load(t, profiletest.NewRun(1, 0, nil, randomTable(rnd)))
		p.Root = t.TempDir()
		f := p.Packages[0].Functions[0]
		for i := range f.Table.Blocks {
			f.Table.Blocks[i].Col, f.Table.Blocks[i].EndCol = 1, 2
		}
		marked := []int{10*rnd.IntN(5) + 2 + rnd.IntN(3), 10*rnd.IntN(5) + 3}
		source := "package m; func F() {\n" + strings.Repeat("println()\n", 99) + "}\n"
		lines := strings.Split(source, "\n")
		for _, n := range marked {
			lines[n-1] += " //goprofinstr:ignore to test it"
		}
		if err := os.WriteFile(filepath.Join(p.Root, "m.go"), []byte(strings.Join(lines, "\n")), 0o666); err != nil {
			t.Fatal(err)
		}
		texts := code.New(p)
		m := measure(f, nil, texts, ignore.New(texts.Files))
		demanded := uint64(0)
		d := f.Decoder()
		for id := range d.NumPaths() {
			path, err := d.Path(id)
			if err != nil {
				t.Fatal(err)
			}
			passes := func(block int) bool { // of more than a line only if both are marked
				b := f.Table.Blocks[block]
				return b.Line == b.EndLine && slices.Contains(marked, b.Line)
			}
			through := func(id int) bool { return passes(f.Table.Edges[id].To) }
			if !f.Infeasible(path.Edges) && !passes(path.Start) && !slices.ContainsFunc(path.Edges, through) {
				demanded++
			}
		}
		if m.paths != demanded {
			t.Errorf("function %d: %d paths are demanded, want %d", i, m.paths, demanded)
		}
		if got := len(m.missingPaths(1<<12, findLost(nil, p))); uint64(got) != min(demanded, mostRanked) {
			t.Errorf("function %d: %d missing paths are named of %d", i, got, demanded)
		}
		if n := m.ignored[Path]; n != nil && n.Uint64()+demanded == m.all {
			ignored++
		}
	}
	if ignored < 30 {
		t.Errorf("%d functions have ignored paths, want more", ignored)
	}
}
