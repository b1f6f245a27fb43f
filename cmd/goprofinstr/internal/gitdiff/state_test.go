package gitdiff

import (
	"errors"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestState looks at a module that is not the whole repository.
func TestState(t *testing.T) {
	files := map[string]string{"outside.go": "a\n", "mod/a.go": "a\n", "mod/gone.go": "a\n"}
	dir := repository(t, files, files)
	mod := filepath.Join(dir, "mod")
	s := stateOf(t, mod)
	if head, modified := s.Below(mod); s.Clean() == "" || head != s.Clean() || modified != nil {
		t.Errorf("clean: %q, %q, %q", s.Clean(), head, modified)
	}
	dir = repository(t, files, map[string]string{"outside.go": "b\n", "mod/a.go": "b\n", "mod/new/mit Umläuten.go": "b\n"})
	mod = filepath.Join(dir, "mod")
	s = stateOf(t, mod)
	head, modified := s.Below(mod)
	if diff := cmp.Diff([]string{"a.go", "gone.go", "new/"}, modified); diff != "" || head == "" || s.Clean() != "" {
		t.Errorf("commit %q, clean %q, -want +got:\n%s", head, s.Clean(), diff)
	}
	if _, modified := s.Below(filepath.Join(mod, "new")); !cmp.Equal(modified, []string{""}) {
		t.Errorf("a folder that is new altogether: %q", modified)
	}
	s, err := StateOf(t.TempDir())
	if s != nil || s.Clean() != "" || err == nil || !strings.Contains(err.Error(), "git status: fatal: ") {
		t.Errorf("outside of a repository: %+v, %v", s, err)
	}
	if head, _ := s.Below(mod); head != "" {
		t.Errorf("outside of a repository: %s", head)
	}
}

func stateOf(t *testing.T, dir string) *State {
	t.Helper()
	s, err := StateOf(dir)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestStateUnknown has a repository without a commit, and no git.
func TestStateUnknown(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	dir := t.TempDir()
	if out, err := exec.Command("git", "init", "-q", dir).CombinedOutput(); err != nil {
		t.Fatalf("git init: %v\n%s", err, out)
	}
	if s, err := StateOf(dir); s != nil || err == nil || err.Error() != "git has no commit in "+dir {
		t.Errorf("without a commit: %+v, %v", s, err)
	}
	t.Setenv("PATH", "")
	if s, err := StateOf(dir); s != nil || !errors.Is(err, exec.ErrNotFound) {
		t.Errorf("without git: %+v, %v", s, err)
	}
}

// TestFilesSubmodule has a submodule of which another commit is checked out, and a setting that hides it.
func TestFilesSubmodule(t *testing.T) {
	dir := repository(t, map[string]string{"a.txt": "a\n"}, map[string]string{"a.txt": "a\n"})
	sub := filepath.Join(dir, "sub")
	for _, args := range [][]string{
		{"init", "-q", sub},
		{"-C", sub, "commit", "-q", "--allow-empty", "-m", "one"},
		{"-C", dir, "add", "sub"},
		{"-C", dir, "commit", "-q", "-m", "submodule"},
		{"-C", sub, "commit", "-q", "--allow-empty", "-m", "two"},
		{"-C", dir, "config", "diff.ignoreSubmodules", "all"},
	} {
		who := []string{"-c", "user.name=A", "-c", "user.email=a@example.com"}
		if out, err := exec.Command("git", append(who, args...)...).CombinedOutput(); err != nil {
			t.Fatalf("git %q: %v\n%s", args, err, out)
		}
	}
	names, err := Files(dir, "HEAD")
	if diff := cmp.Diff([]string{"sub"}, names); diff != "" || err != nil {
		t.Errorf("%v, -want +got:\n%s", err, diff)
	}
}

func TestFiles(t *testing.T) {
	dir := repository(t, map[string]string{"outside.txt": "a\n", "mod/a.go": "a\n", "mod/gone.md": "a\n", "mod/same": "a\n", "mod/empty": ""},
		map[string]string{"outside.txt": "b\n", "mod/a.go": "b\n", "mod/same": "a\n", "mod/sub/mit Umläuten": "b\n", "mod/empty": "b\n"})
	mod := filepath.Join(dir, "mod")
	names, err := Files(mod, "HEAD")
	if diff := cmp.Diff([]string{"a.go", "empty", "gone.md", "sub/mit Umläuten"}, names); diff != "" || err != nil {
		t.Errorf("%v, -want +got:\n%s", err, diff)
	}
	tracked, err := Tracked(mod)
	for name, want := range map[string]bool{"a.go": true, "sub/mit Umläuten": false, "outside.txt": false} {
		if got := tracked[name]; got != want || err != nil {
			t.Errorf("%s is tracked: %t, %v", name, got, err)
		}
	}
	for name, want := range map[string]string{"a.go": "a\n", "gone.md": "a\n"} {
		if got, err := File(mod, "HEAD", name); string(got) != want || err != nil {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	if got, err := File(mod, "HEAD", "sub/mit Umläuten"); got != nil || err != nil {
		t.Errorf("a new file: %q, %v", got, err)
	}
	if got, err := File(mod, "HEAD", "empty"); got == nil || len(got) > 0 || err != nil {
		t.Errorf("an empty file: %q, %v", got, err)
	}
	if _, err := Files(mod, "nowhere"); err == nil {
		t.Error("no error for what is no revision")
	}
}
