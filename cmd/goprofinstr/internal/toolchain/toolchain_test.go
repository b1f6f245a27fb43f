package toolchain

import (
	"errors"
	"fmt"
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
	want := ": go1.27.0 is in the module cache and needs a link in the user's cache folder; set " + cacheVariable(runtime.GOOS) + " to "
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v", err)
	}
}

// TestLinkNowhere has a folder that takes no links, though not for want of a permission.
func TestLinkNowhere(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("there is no /proc")
	}
	if err := linkTo("/m/toolchain", "/proc/goprofinstr"); !errors.As(err, new(noFolder)) {
		t.Errorf("error %v", err)
	}
}

// TestFindUnlinked has a folder at the place of the link, which another folder for links would not help against.
func TestFindUnlinked(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("runs a script in the place of the go command")
	}
	dir := t.TempDir()
	for _, variable := range []string{"XDG_CACHE_HOME", "HOME", "PATH"} {
		t.Setenv(variable, dir) // Find sets PATH
	}
	tc := &Toolchain{GOROOT: "/m/toolchain"}
	if err := tc.rename(); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.Remove(tc.GOROOT), os.Mkdir(tc.GOROOT, 0o777)); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(dir, "go")
	script := "#!/bin/sh\necho '{\"GOVERSION\":\"go1.27.0\",\"GOMODCACHE\":\"/m\",\"GOROOT\":\"/m/toolchain\"}'\n"
	if err := os.WriteFile(name, []byte(script), 0o777); err != nil {
		t.Fatal(err)
	}
	_, err := Find(&gocmd.Command{Go: name, Verb: "build"})
	if err == nil || !strings.HasSuffix(err.Error(), ": go1.27.0 is in the module cache and needs a link in the user's cache folder") {
		t.Errorf("error %v", err)
	}
}

// TestCacheVariable has the variables that os.UserCacheDir reads, which here is that of this system.
func TestCacheVariable(t *testing.T) {
	for system, want := range map[string]string{
		"linux": "XDG_CACHE_HOME", "freebsd": "XDG_CACHE_HOME", "darwin": "HOME", "windows": "LocalAppData",
	} {
		if got := cacheVariable(system); got != want {
			t.Errorf("%s: %s, want %s", system, got, want)
		}
	}
	dir := t.TempDir()
	t.Setenv(cacheVariable(runtime.GOOS), dir)
	if got, err := os.UserCacheDir(); err != nil || !strings.HasPrefix(got, dir) {
		t.Errorf("the folder is %s, %v", got, err)
	}
}

// TestRename has the same toolchain in two module caches: each has a link of its own, whatever was at its place.
func TestRename(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("makes links")
	}
	dir := t.TempDir()
	for _, variable := range []string{"XDG_CACHE_HOME", "HOME"} {
		t.Setenv(variable, dir)
	}
	rename := func(root string) string {
		tc := &Toolchain{GOROOT: root}
		if err := tc.rename(); err != nil {
			t.Fatal(err)
		}
		if tc.real != root || tc.Name(filepath.Join(root, "x")) != filepath.Join(tc.GOROOT, "x") {
			t.Errorf("%s is called %s, and has the own name %s", root, tc.GOROOT, tc.real)
		}
		return tc.GOROOT
	}
	one, two := filepath.FromSlash("/one/toolchain@v1"), filepath.FromSlash("/two/toolchain@v1")
	link := rename(one)
	if rename(two) == link || rename(one) != link {
		t.Errorf("the link of one is %s, and then %s; of two it is %s", link, rename(one), rename(two))
	}
	if err := errors.Join(os.Remove(link), os.Symlink(two, link)); err != nil {
		t.Fatal(err)
	}
	// Of a process with this one's number, in another container.
	other := filepath.Join(fmt.Sprintf("%s.%d", link, os.Getpid()), "x")
	if err := os.MkdirAll(other, 0o777); err != nil {
		t.Fatal(err)
	}
	rename(one)
	if target, err := os.Readlink(link); err != nil || target != one {
		t.Errorf("the link leads to %s, %v", target, err)
	}
	if err := os.RemoveAll(filepath.Dir(other)); err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(filepath.Dir(link)); err != nil || len(left) != 2 {
		t.Errorf("there are %v, %v", left, err)
	}
}

// TestHelperEnviron has helpers leave their temporary files in the folder that is removed, unless the user names another. Nothing
// that is kept depends on that name.
func TestHelperEnviron(t *testing.T) {
	t.Setenv("PATH", os.Getenv("PATH")) // Find sets it
	find := func(temp string) (tc *Toolchain, used string) {
		t.Setenv("GOENV", "off")
		t.Setenv("GOTMPDIR", temp)
		tc, err := Find(&gocmd.Command{Go: "go", Verb: "build"})
		if err != nil {
			t.Fatal(err)
		}
		tc.Work = filepath.Join(t.TempDir(), "work")
		for _, v := range tc.HelperEnviron() {
			if value, ok := strings.CutPrefix(v, "GOTMPDIR="); ok {
				used = value
			}
		}
		if listing := tc.ListConfig(&gocmd.Command{}, nil, nil); used != temp && listing.Temp != used {
			t.Errorf("packages are listed with %s, want %s", listing.Temp, used)
		}
		return tc, used
	}
	own, used := find("")
	if used != own.Work {
		t.Errorf("the folder is %q, want %s", used, own.Work)
	}
	dir := t.TempDir()
	users, used := find(dir)
	if used != dir {
		t.Errorf("the folder is %q, want %s", used, dir)
	}
	if own.Described() != users.Described() || own.DescribedStd() != users.DescribedStd() {
		t.Errorf("the toolchain is described as\n%s, and with GOTMPDIR as\n%s", own.Described(), users.Described())
	}
}
