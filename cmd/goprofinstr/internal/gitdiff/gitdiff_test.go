package gitdiff

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// repository makes one with files beneath it, of which those in before are committed, and returns its root.
func repository(t *testing.T, before, after map[string]string) string {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	dir := t.TempDir()
	t.Setenv("HOME", dir)
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	run := func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %s: %v\n%s", args, err, out)
		}
	}
	write := func(files map[string]string) {
		for name, text := range files {
			name = filepath.Join(dir, name)
			if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
	run("init", "-q")
	run("config", "user.email", "a@example.com")
	run("config", "user.name", "A")
	run("config", "diff.noprefix", "true") // users have such settings
	run("config", "color.ui", "always")
	write(before)
	run("add", ".")
	run("commit", "-q", "-m", "first")
	for name := range before {
		if _, ok := after[name]; !ok {
			if err := os.Remove(filepath.Join(dir, name)); err != nil {
				t.Fatal(err)
			}
		}
	}
	write(after)
	return dir
}

func TestChanged(t *testing.T) {
	lines := func(n int) string { return strings.Repeat("x\n", n) }
	dir := repository(t, map[string]string{
		"outside.go": "a\n", "mod/same.go": "a\n", "mod/edited.go": "1\n2\n3\n4\n", "mod/deleted.go": "a\n",
		"mod/less.go": "1\n2\n3\n", "mod/.gitattributes": "edited.go -diff\n", // as many have for generated files
		"mod/sub/mit Umläuten.go": "1\n2\n", "mod/old.go": lines(20), "mod/notes.txt": "a\n",
	}, map[string]string{
		"outside.go": "b\n", "mod/same.go": "a\n", "mod/edited.go": "1\nnew\nnew\n3\nother\n", "mod/less.go": "1\n3\n",
		"mod/sub/mit Umläuten.go": "1\nother\n", "mod/new.go": lines(20) + "y\n", "mod/untracked.go": "1\n2",
		"mod/notes.txt": "b\n", "mod/.gitattributes": "edited.go -diff\n",
	})
	if err := os.Symlink("editor@host.1", filepath.Join(dir, "mod", ".#edited.go")); err != nil {
		t.Logf("without a link to nothing: %v", err)
	}
	changed, err := Changed(filepath.Join(dir, "mod"), "HEAD")
	if err != nil {
		t.Fatal(err)
	}
	got := make(map[string]string)
	for name, lines := range changed {
		got[name] = fmt.Sprint(slices.Sorted(maps.Keys(lines)))
	}
	want := map[string]string{
		"edited.go": "[2 3 5]", "less.go": "[]", "sub/mit Umläuten.go": "[2]", "untracked.go": "[1 2]",
		"new.go": got["new.go"], // git does not know that it was old.go
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if got := Prefix(filepath.Join(dir, "mod")); got != "mod/" {
		t.Errorf("prefix %q", got)
	}
}

// TestChangedSettings has settings that show lines between and around those that have changed, and names and modules otherwise.
func TestChangedSettings(t *testing.T) {
	lines := func(edit ...int) string {
		var b strings.Builder
		for i := 1; i <= 30; i++ {
			fmt.Fprintf(&b, "%d edited: %t\n", i, slices.Contains(edit, i))
		}
		return b.String()
	}
	dir := repository(t, map[string]string{"mod/a.go": lines()}, map[string]string{"mod/a.go": lines(10, 18)})
	for key, value := range map[string]string{
		"color.diff": "always", "color.ui": "always", "core.quotePath": "false", "diff.colorMoved": "zebra", "diff.context": "7",
		"diff.external": "false", "diff.interHunkContext": "10", "diff.mnemonicPrefix": "true", "diff.noprefix": "true",
		"diff.relative": "false", "diff.renames": "copies", "diff.suppressBlankEmpty": "true", "diff.wsErrorHighlight": "all",
	} {
		t.Run(key, func(t *testing.T) {
			t.Setenv("GIT_CONFIG_COUNT", "1")
			t.Setenv("GIT_CONFIG_KEY_0", key)
			t.Setenv("GIT_CONFIG_VALUE_0", value)
			checkLines(t, filepath.Join(dir, "mod"))
		})
	}
	t.Run("GIT_DIFF_OPTS", func(t *testing.T) {
		t.Setenv("GIT_DIFF_OPTS", "--unified=2")
		checkLines(t, filepath.Join(dir, "mod"))
	})
}

// checkLines makes sure that lines 10 and 18 of a.go have changed, and no others.
func checkLines(t *testing.T, dir string) {
	t.Helper()
	changed, err := Changed(dir, "HEAD")
	if want := map[string]map[int]bool{"a.go": {10: true, 18: true}}; err != nil || !maps.EqualFunc(changed, want, maps.Equal) {
		t.Errorf("%v, %v; want %v", changed, err, want)
	}
}

func TestErrors(t *testing.T) {
	dir := repository(t, map[string]string{"a.go": "a\n"}, nil)
	for _, rev := range []string{"nowhere", "--output=x", "HEAD:a.go", ""} {
		if _, err := Changed(dir, rev); err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("revision %q: %v", rev, err)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "x*")); len(left) > 0 {
		t.Errorf("git has written %v", left)
	}
	if got := Prefix(os.TempDir()); got != "" {
		t.Errorf("prefix outside of a repository: %q", got)
	}
}
