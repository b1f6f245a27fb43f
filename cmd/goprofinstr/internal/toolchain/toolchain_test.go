package toolchain

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/gocmd"
)

// TestFindRelative names the go command relative to the current folder, and has it run in another one.
func TestFindRelative(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the go command")
	}
	path, err := exec.LookPath("go")
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", os.Getenv("PATH")) // Find sets it
	t.Chdir(filepath.Dir(path))
	name := "." + string(filepath.Separator) + filepath.Base(path)
	tc, err := Find(&gocmd.Command{Go: name, Verb: "build", Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	if tc.real == "" && tc.Go != path {
		t.Errorf("the go command is %s, want %s", tc.Go, path)
	}
}

// TestHooksFolder has hooks compiled in the folder that signals remove.
func TestHooksFolder(t *testing.T) {
	if testing.Short() || runtime.GOOS == "windows" {
		t.Skip("runs the go command, and a script in its place")
	}
	c := &gocmd.Command{Go: "go", Verb: "build"}
	tc, err := Find(c)
	if err != nil {
		t.Fatal(err)
	}
	hooks := tc.HooksByText(nil, false)
	tc.Go, tc.Work = filepath.Join(t.TempDir(), "go"), t.TempDir()
	if err := os.WriteFile(tc.Go, []byte("#!/bin/sh\necho \"$@\"\nexit 1\n"), 0o777); err != nil {
		t.Fatal(err)
	}
	said, err := tc.compile(c, nil, hooks)
	if err != nil || !strings.Contains(said, " -overlay="+tc.Work+"/") {
		t.Errorf("the go command is run with %s, %v", said, err)
	}
	if left, err := os.ReadDir(tc.Work); err != nil || len(left) > 0 {
		t.Errorf("left are %v, %v", left, err)
	}
}

// TestFindDownloaded has a toolchain in the module cache, and no folder for a link to it.
func TestFindDownloaded(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("runs a script in the place of the go command")
	}
	for _, variable := range []string{"XDG_CACHE_HOME", "HOME", "PATH"} {
		t.Setenv(variable, "") // Find sets PATH
	}
	name := filepath.Join(t.TempDir(), "go")
	script := "#!/bin/sh\necho '{\"GOVERSION\":\"go1.27.0\",\"GOMODCACHE\":\"/m\",\"GOROOT\":\"/m/toolchain\"}'\n"
	if err := os.WriteFile(name, []byte(script), 0o777); err != nil {
		t.Fatal(err)
	}
	_, err := Find(&gocmd.Command{Go: name, Verb: "build"})
	const want = ": go1.27.0 is in the module cache and needs a link in the user's cache folder; set XDG_CACHE_HOME to "
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v", err)
	}
}
