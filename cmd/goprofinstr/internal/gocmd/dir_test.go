package gocmd

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// TestFindDir has folders of -C with links on the way, and compares with where the go command says that its module is.
func TestFindDir(t *testing.T) {
	if testing.Short() || runtime.GOOS == "windows" {
		t.Skip("runs the go command, and makes links")
	}
	t.Setenv("GOWORK", "off")
	tmp, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"real/m", "real/a/b"} {
		if err := os.MkdirAll(filepath.Join(tmp, dir), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(tmp, "real", "m", "go.mod"), []byte("module m\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for link, to := range map[string]string{"link": "real", "deep": "real/a/b"} {
		if err := os.Symlink(to, filepath.Join(tmp, link)); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct{ from, dir, want string }{
		{"real", "m", "m"}, // there is no other name
		{"real", "/real/m", "/real/m"},
		{"real", "/link/m", "/real/m"},
		{"real", "/link/../real/m", "/link/../real/m"},
		{"link", "m", "/real/m"},
		{"link/m", ".", "/link/m"},
		{"link/m", "/real/m", "/link/m"},
		{"deep", "../../m", "/real/m"},
		{"real/m", "/deep/../../m", "/real/m"},
		{"real", "none", "none"},
	} {
		t.Chdir(filepath.Join(tmp, test.from)) // and PWD
		absolute := func(dir string) string {
			if strings.HasPrefix(dir, "/") {
				return tmp + dir
			}
			return dir
		}
		given := absolute(test.dir)
		c, err := Parse([]string{"go", "test", "-C", given, "."})
		if err != nil {
			t.Fatal(err)
		}
		c.FindDir()
		if want := absolute(test.want); c.Dir != want {
			t.Errorf("in %s: -C %s is %s, want %s", test.from, test.dir, c.Dir, want)
		}
		if got, want := strings.Join(c.Args(), " "), "test -C "+given+" ."; got != want {
			t.Errorf("in %s: go %s, want go %s", test.from, got, want)
		}
		out, err := exec.Command("go", "env", "-C", given, "GOMOD").Output()
		if err != nil {
			continue // there is no such folder
		}
		abs, err := filepath.Abs(c.Dir)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := strings.TrimSpace(string(out)), filepath.Join(abs, "go.mod"); got != want {
			t.Errorf("in %s: -C %s: the go command has %s, want %s", test.from, test.dir, got, want)
		}
	}
}

// TestTempDir has relative and absolute names of the folder for temporary files.
func TestTempDir(t *testing.T) {
	here := t.TempDir()
	t.Chdir(here)
	for _, test := range []struct{ dir, temp, want string }{
		{"", "tmp", "tmp"},
		{"m", "tmp", "m/tmp"},
		{"m", "../tmp", "tmp"},
		{filepath.Join(here, "m"), "tmp", "m/tmp"},
		{"m", filepath.Join(here, "tmp"), "tmp"},
	} {
		for _, name := range []string{"TMPDIR", "TMP"} {
			t.Setenv(name, test.temp)
		}
		got := (&Command{Dir: test.dir}).TempDir()
		if want := filepath.Join(here, filepath.FromSlash(test.want)); runtime.GOOS != "windows" && got != want {
			t.Errorf("-C %s: %s is %s, want %s", test.dir, test.temp, got, want)
		}
		if !filepath.IsAbs(got) {
			t.Errorf("-C %s: %s is %s, which is not absolute", test.dir, test.temp, got)
		}
	}
}
