package load

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// TestTemp has a go command that says which folder for temporary files it has.
func TestTemp(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("runs a script in the place of the go command")
	}
	bin := t.TempDir()
	script := "#!/bin/sh\necho \"temp:$GOTMPDIR.\" >&2\nexit 1\n"
	if err := os.WriteFile(filepath.Join(bin, "go"), []byte(script), 0o777); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin)
	t.Setenv("GOTMPDIR", "/user")
	for _, test := range []struct{ temp, want string }{{"", "/user"}, {"/work", "/work"}} {
		_, err := Config{Dir: bin, Temp: test.temp}.list(0, false, []string{"."})
		if err == nil || !strings.Contains(err.Error(), "temp:"+test.want+".") {
			t.Errorf("error %v, want folder %s", err, test.want)
		}
	}
}
