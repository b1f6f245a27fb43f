package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestMain makes the test binary the command: scripts run it as goprofinstr.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"goprofinstr": func() { os.Exit(Main(os.Args[1:])) },
	})
}

// TestScript runs the scripts in testdata/script, each with a little module of its own.
func TestScript(t *testing.T) {
	if testing.Short() {
		t.Skip("builds programs")
	}
	// The scripts share the build cache, without which each would compile the standard library.
	cache := strings.Fields(goEnv(t, "GOCACHE", "GOMODCACHE", "GOROOT"))
	testscript.Run(t, testscript.Params{
		Dir: filepath.Join("testdata", "script"),
		Setup: func(env *testscript.Env) error {
			env.Setenv("GOCACHE", cache[0])
			env.Setenv("GOMODCACHE", cache[1])
			env.Setenv("PATH", filepath.Join(cache[2], "bin")+string(os.PathListSeparator)+env.Getenv("PATH"))
			env.Setenv("XDG_CACHE_HOME", filepath.Join(env.WorkDir, ".cache"))
			env.Setenv("GOTOOLCHAIN", "local")
			env.Setenv("GOPROXY", "off")
			env.Setenv("GOFLAGS", "-buildvcs=false")
			return nil
		},
	})
}

func goEnv(t *testing.T, names ...string) string {
	t.Helper()
	out, err := exec.Command("go", append([]string{"env"}, names...)...).Output()
	if err != nil {
		t.Fatalf("go env: %v", err)
	}
	return string(out)
}
