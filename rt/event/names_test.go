//go:build linux && (amd64 || arm64 || riscv64)

package event_test

import (
	"strings"
	"testing"
	"unsafe"

	"github.com/goprofinstr/goprofinstr/rt/event"
	"github.com/goprofinstr/goprofinstr/rt/internal/rttest"
	"github.com/goprofinstr/goprofinstr/rt/runfile"
)

// startNames begins a run without names, and returns its directory.
func startNames(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	t.Cleanup(runfile.StartIn(dir))
	event.ForgetNames()
	t.Cleanup(event.ForgetNames)
	return dir
}

// TestNamesTogether has threads come to a full chunk at the same time: only one makes another, and is charged for it.
func TestNamesTogether(t *testing.T) {
	dir := startNames(t)
	var full unsafe.Pointer // the chunk that all of them have found
	for range 2 * event.MostNames / event.NamesChunk {
		if !event.AddNames(full) {
			t.Fatal("no chunk")
		}
	}
	if n := event.NamesBytes(); n != event.NamesChunk {
		t.Errorf("charged %d bytes, want %d", n, event.NamesChunk)
	}
	event.WriteName(1, "one", 0)
	if name := rttest.ReadDir(t, dir).Names[1].Text; name != "one" {
		t.Errorf("the value is called %q", name)
	}
}

// TestLongName has a name for which no chunk has room: it takes none.
func TestLongName(t *testing.T) {
	dir := startNames(t)
	event.WriteName(1, strings.Repeat("long", event.NamesChunk/4), 0)
	if n := event.NamesBytes(); n != 0 {
		t.Errorf("charged %d bytes, want 0", n)
	}
	most := strings.Repeat("most", (event.NamesChunk-int(unsafe.Sizeof(runfile.NamesRecord{})+unsafe.Sizeof(runfile.NameEntry{})))/4)
	event.WriteName(2, most, 0)
	if name := rttest.ReadDir(t, dir).Names[2].Text; name != most {
		t.Errorf("a name of %d bytes is read as one of %d", len(most), len(name))
	}
}
