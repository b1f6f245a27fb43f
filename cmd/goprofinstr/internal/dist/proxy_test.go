package main

import (
	"bytes"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

var install = flag.Bool("install", false, "install goprofinstr of the archives of its modules, and as a tool: some minutes")

// A user is who has our modules from a proxy only, with a module cache of their own.
type user struct {
	t   *testing.T
	dir string
	env []string
}

// newUser returns a user of a proxy with version v0.1.0 of the files as they are. Other modules come from the module cache.
func newUser(t *testing.T) *user {
	t.Helper()
	if !*install {
		t.Skip("compiles all modules in another module cache: -install")
	}
	if runtime.GOOS == "windows" {
		t.Skip("a file URL has no drive letter here")
	}
	proxy, home := t.TempDir(), t.TempDir()
	if err := writeProxy("../../../..", proxy, "v0.1.0", time.Date(2026, 1, 2, 3, 4, 6, 0, time.UTC)); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("go", "env", "GOCACHE", "GOMODCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	caches := strings.Fields(string(out))
	env := append(os.Environ(), "HOME="+home, "XDG_CACHE_HOME="+filepath.Join(home, "cache"), "GOPATH="+filepath.Join(home, "go"), "GOBIN=", "CGO_ENABLED=0",
		"GOCACHE="+caches[0], "GOMODCACHE="+filepath.Join(home, "mod"), "GOFLAGS=-modcacherw", "GOSUMDB=off", "GOWORK=off", "GOTOOLCHAIN=local",
		"GOPROXY=file://"+proxy+",file://"+caches[1]+"/cache/download,off")
	return &user{t, t.TempDir(), env}
}

// run runs a command, which must succeed, and returns its output.
func (u *user) run(name string, args ...string) string {
	u.t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = u.dir, u.env
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		u.t.Fatalf("%v: %v\n%s%s", cmd, err, out, errs.String())
	}
	return string(out)
}

// write writes a file of the user's module.
func (u *user) write(name, text string) {
	u.t.Helper()
	if err := os.WriteFile(filepath.Join(u.dir, name), []byte(text), 0o666); err != nil {
		u.t.Fatal(err)
	}
}

// lines returns the lines of the user's go.mod that are not empty.
func (u *user) lines() (lines []string) {
	u.t.Helper()
	data, err := os.ReadFile(filepath.Join(u.dir, "go.mod"))
	if err != nil {
		u.t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	return lines
}

// TestInstall has a user install goprofinstr from the archive of its module, and as a tool of theirs, which adds two lines
// to go.mod.
func TestInstall(t *testing.T) {
	u := newUser(t)
	u.run("go", "install", "-trimpath", "github.com/goprofinstr/goprofinstr/cmd/goprofinstr@v0.1.0")
	bin := strings.TrimSpace(u.run("go", "env", "GOPATH")) + "/bin/goprofinstr"
	if got := u.run(bin, "version"); !strings.HasPrefix(got, "goprofinstr v0.1.0 ") {
		t.Errorf("installed: %q", got)
	}

	u.write("go.mod", "module example.com/user\n\ngo 1.26\n")
	u.write("main.go", "package main\n\nfunc main() { println(1) }\n")
	before := u.lines()
	u.run("go", "get", "-tool", "github.com/goprofinstr/goprofinstr/tool/goprofinstr@v0.1.0")
	want := append(before, "tool github.com/goprofinstr/goprofinstr/tool/goprofinstr",
		"require github.com/goprofinstr/goprofinstr/tool v0.1.0 // indirect")
	if got := u.lines(); strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("go.mod has\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	for range 2 { // the second time it is there
		if got := u.run("go", "tool", "goprofinstr", "version"); !strings.HasPrefix(got, "goprofinstr v0.1.0 ") {
			t.Errorf("as a tool: %q", got)
		}
	}
	u.run("go", "tool", "goprofinstr", "wrap", "-mode", "exact", "go", "run", ".")
	if got := u.run("go", "tool", "goprofinstr", "report"); !strings.Contains(got, "example.com/user") {
		t.Errorf("as a tool: %s", got)
	}
	u.exits()
}

// exits makes sure that mistakes are said by goprofinstr, and that flags for the user's programs are not for the tool. (With
// GOOS of another system the go command makes tools for that.)
func (u *user) exits() {
	u.t.Helper()
	cmd := exec.Command("go", "tool", "goprofinstr", "wrap", "-foo")
	cmd.Dir, cmd.Env = u.dir, append(u.env, "GOFLAGS=-mod=mod")
	out, _ := cmd.CombinedOutput()
	// The go command says itself that a tool has failed: its exit code is 1, and 2 is in its message.
	if said := string(out); !strings.Contains(said, "goprofinstr: wrap: ") || strings.Contains(said, "building") {
		u.t.Errorf("a flag that is none: %s", said)
	}
}
