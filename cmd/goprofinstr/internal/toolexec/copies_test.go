package toolexec

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// TestPlacedFails has the linker that places text fail: why is one line, and the toolchain's own is to link.
func TestPlacedFails(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the linker is a shell script")
	}
	for _, c := range []struct{ script, why string }{
		{"echo 'panic: index out of range' >&2\necho 'goroutine 1' >&2\nexit 2", "exit status 2: panic: index out of range"},
		{"kill -9 $$", "signal: killed"},
	} {
		records := t.TempDir()
		if err := os.WriteFile(filepath.Join(records, "link"), []byte("#!/bin/sh\n"+c.script+"\n"), 0o777); err != nil {
			t.Fatal(err)
		}
		if linked, why := linkPlaced(nil, records); linked || why != c.why {
			t.Errorf("%q: linked %t, %q, want %q", c.script, linked, why, c.why)
		}
	}
	if linked, why := linkPlaced(nil, t.TempDir()); linked || why != "" {
		t.Errorf("there is no such linker: linked %t, %q", linked, why)
	}
}
