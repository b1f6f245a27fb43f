package mergebase

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/goprofinstr/goprofinstr/export/profiledir"
)

// TestMain makes the test binary a goprofinstr whose wrap does what a variable says.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "wrap" {
		os.Exit(fakeWrap(os.Args[2:]))
	}
	os.Exit(m.Run())
}

// fakeWrap writes down where it runs and with what, and makes a profile directory, or not.
func fakeWrap(args []string) int {
	dir, _ := os.Getwd()
	source, _ := os.ReadFile("m.go")
	log, err := os.OpenFile(os.Getenv("FAKE_LOG"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		return 3
	}
	log.WriteString(dir + "\t" + strings.Join(args, " ") + "\t" + strings.TrimSpace(string(source)) + "\n")
	log.Close()
	out := ""
	for i, arg := range args {
		if arg == "-o" {
			out = args[i+1]
		}
	}
	switch os.Getenv("FAKE") {
	case "broken":
		os.Stderr.WriteString("# example.com/m\n./m.go:3: undefined: x\nFAIL\n")
		return 1
	case "wait":
		return await()
	}
	d := &profiledir.Dir{Path: out}
	if err := d.WriteBuild(profiledir.Manifest{Mode: "exact"}, nil); err != nil {
		return 3
	}
	if os.Getenv("FAKE") == "failing" {
		os.Stdout.WriteString("--- FAIL: TestX\nFAIL\n")
		return 1
	}
	return 0
}

// A checkout is a repository with two commits on main and one on a branch that begins at the first. Its module is in a folder.
type checkout struct {
	t         *testing.T
	dir, root string
	first     string // commit
	log       string // of fakeWrap
	out       string // the profile directory of the branch
	manifest  profiledir.Manifest
}

func newCheckout(t *testing.T) *checkout {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	tmp, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("XDG_CACHE_HOME", filepath.Join(tmp, "cache"))
	t.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	t.Setenv("FAKE_LOG", filepath.Join(tmp, "log"))
	c := &checkout{t: t, dir: filepath.Join(tmp, "repository"), log: filepath.Join(tmp, "log")}
	c.root, c.out = filepath.Join(c.dir, "sub"), filepath.Join(tmp, "out")
	c.write("sub/go.mod", "module example.com/m\n\ngo 1.26\n")
	c.write("sub/m.go", "package first")
	c.git("init", "-q", "-b", "main")
	c.commit("first")
	c.first = c.git("rev-parse", "HEAD")
	c.git("checkout", "-q", "-b", "change")
	c.write("sub/m.go", "package change")
	c.commit("change")
	c.git("checkout", "-q", "main")
	c.write("sub/m.go", "package second")
	c.commit("second")
	c.git("checkout", "-q", "change")
	command := []string{"go", "test", "-cover", "-coverprofile=" + c.out + "/c", "./..."}
	m := profiledir.Manifest{Root: c.root, Command: command, Dir: ".", Wrap: []string{"-tests=true"}}
	c.manifest = m
	c.record(m)
	return c
}

func (c *checkout) record(m profiledir.Manifest) {
	c.t.Helper()
	if err := (&profiledir.Dir{Path: c.out}).WriteBuild(m, nil); err != nil {
		c.t.Fatal(err)
	}
}

func (c *checkout) write(name, text string) {
	c.t.Helper()
	name = filepath.Join(c.dir, name)
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		c.t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		c.t.Fatal(err)
	}
}

func (c *checkout) git(args ...string) string {
	c.t.Helper()
	cmd := exec.Command("git", append([]string{"-C", c.dir, "-c", "user.name=A", "-c", "user.email=a@example.com"}, args...)...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		c.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func (c *checkout) commit(message string) {
	c.t.Helper()
	c.git("add", ".")
	c.git("commit", "-q", "-m", message)
}

// profile asks for the profile of the merge base with main.
func (c *checkout) profile() (*Kept, error) {
	c.t.Helper()
	b, err := Find(c.root, "main")
	if err != nil {
		c.t.Fatal(err)
	}
	if b.Commit != c.first {
		c.t.Fatalf("the merge base is %s, want %s", b.Commit, c.first)
	}
	return b.Profile(c.out)
}

// runs returns what fakeWrap has written.
func (c *checkout) runs() []string {
	c.t.Helper()
	text, err := os.ReadFile(c.log)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		c.t.Fatal(err)
	}
	return strings.FieldsFunc(string(text), func(r rune) bool { return r == '\n' })
}

// untouched makes sure that the repository is as it was: no worktree, and nothing changed.
func (c *checkout) untouched(state string) {
	c.t.Helper()
	if now := c.state(); now != state {
		c.t.Errorf("the repository was\n%s\nand is\n%s", state, now)
	}
	left, err := filepath.Glob(filepath.Join(c.dir, "../cache/goprofinstr/bases/repository-*"))
	if err != nil || len(left) > 0 {
		c.t.Errorf("%v are left, %v", left, err)
	}
}

// state is what a repository must not lose: its worktrees, references, index and files.
func (c *checkout) state() string {
	c.t.Helper()
	said := []string{
		c.git("status", "--porcelain", "--branch"), c.git("worktree", "list"), c.git("for-each-ref"), c.git("diff", "--cached"),
	}
	index, err := os.ReadFile(filepath.Join(c.dir, ".git/index"))
	if err != nil {
		c.t.Fatal(err)
	}
	return strings.Join(append(said, string(index)), "\n")
}

// TestProfile makes the profile of a merge base once.
func TestProfile(t *testing.T) {
	c := newCheckout(t)
	c.write(".git/hooks/post-checkout", "#!/bin/sh\ntouch \"$FAKE_LOG.hook\"\n")
	if err := os.Chmod(filepath.Join(c.dir, ".git/hooks/post-checkout"), 0o777); err != nil {
		t.Fatal(err)
	}
	c.write("sub/m.go", "package edited")
	state := c.state()
	kept, err := c.profile()
	if err != nil {
		t.Fatal(err)
	}
	kept.Done()
	if kept.Warning != "" || !profiledir.Is(kept.Dir) {
		t.Errorf("%+v", kept)
	}
	again, err := c.profile()
	if err != nil || again.Dir != kept.Dir {
		t.Errorf("%+v, %v", again, err)
	}
	runs := c.runs()
	if len(runs) != 1 {
		t.Fatalf("wrap has run %d times: %q", len(runs), runs)
	}
	parts := strings.Split(runs[0], "\t")
	if !strings.HasSuffix(parts[0], filepath.Join("tree", "sub")) || parts[2] != "package first" {
		t.Errorf("it has run in %s, where m.go has %q", parts[0], parts[2])
	}
	if args := strings.Replace(parts[1], kept.Dir+".new", "OUT", 1); args != "-tests=true -o OUT go test -cover ./..." {
		t.Errorf("its arguments were %s", args)
	}
	if _, err := os.Stat(c.log + ".hook"); err == nil {
		t.Error("a hook has run")
	}
	c.untouched(state)
}

// TestOutside has commands that ran outside of the repository. The tests of a -C into it run in its folder.
func TestOutside(t *testing.T) {
	for _, test := range []struct{ dir, chdir, want string }{
		{"..", "sub", "-tests=true -o OUT go test -C sub ./..."}, // the root of the repository
		{"../..", "repository/sub", "-tests=true -o OUT go test ./..."},
		{"../../other", "../repository/sub", "-tests=true -o OUT go test ./..."},
		{"../..", "other", ""},
	} {
		c := newCheckout(t)
		c.manifest.Dir, c.manifest.Command = test.dir, []string{"go", "test", "-C", test.chdir, "./..."}
		c.record(c.manifest)
		kept, err := c.profile()
		if test.want == "" {
			want := c.out + " was made in " + filepath.Dir(c.dir) + ", outside of the repository: "
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%v, want %q", err, want)
			}
			continue
		}
		if err != nil {
			t.Errorf("%+v: %v", test, err)
			continue
		}
		where, args, _ := strings.Cut(c.runs()[0], "\t")
		args, source, _ := strings.Cut(args, "\t")
		if args = strings.Replace(args, kept.Dir+".new", "OUT", 1); args != test.want {
			t.Errorf("%+v: its arguments were %s", test, args)
		}
		if !strings.Contains(test.want, "-C") && (!strings.HasSuffix(where, filepath.Join("tree", "sub")) || source != "package first") {
			t.Errorf("%+v: it has run in %s, where m.go has %q", test, where, source)
		}
	}
}

// TestFailing has a base whose tests fail: its profile is used and not kept.
func TestFailing(t *testing.T) {
	c := newCheckout(t)
	state := c.state()
	t.Setenv("FAKE", "failing")
	kept, err := c.profile()
	if err != nil {
		t.Fatal(err)
	}
	if !profiledir.Is(kept.Dir) || !strings.Contains(kept.Warning, "--- FAIL: TestX") || strings.Contains(kept.Warning, "\n") {
		t.Errorf("%+v", kept)
	}
	// Another process makes its own, before this one has read its profile and after that.
	other, err := c.profile()
	if err != nil {
		t.Fatal(err)
	}
	if !profiledir.Is(kept.Dir) {
		t.Error("the profile is gone before it is read")
	}
	kept.Done()
	if !profiledir.Is(other.Dir) {
		t.Error("the profile of the other process is gone")
	}
	other.Done()
	if left, err := os.ReadDir(c.store().dir); err != nil || len(left) != 1 || left[0].Name() != filepath.Base(c.store().log) {
		t.Errorf("%v are left of tests that fail, %v", left, err)
	}
	c.untouched(state)
}

// TestFailingLeft has profiles of tests that fail, which processes have left that were ended. Only old ones are removed.
func TestFailingLeft(t *testing.T) {
	c := newCheckout(t)
	s := c.store()
	for name, hours := range map[string]int{"once-old": 25, "once-young": 23, "kept": 25} {
		dir, then := filepath.Join(s.dir, name), time.Now().Add(-time.Duration(hours)*time.Hour)
		if err := os.MkdirAll(filepath.Join(dir, "profile"), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(dir, then, then); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("FAKE", "failing")
	kept, err := c.profile()
	if err != nil {
		t.Fatal(err)
	}
	if !profiledir.Is(kept.Dir) {
		t.Error("the profile is gone before it is read")
	}
	kept.Done()
	for name, stays := range map[string]bool{"once-old": false, "once-young": true, "kept": true} {
		if _, err := os.Stat(filepath.Join(s.dir, name)); (err == nil) != stays {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestBroken has a base that does not compile.
func TestBroken(t *testing.T) {
	c := newCheckout(t)
	state := c.state()
	t.Setenv("FAKE", "broken")
	kept, err := c.profile()
	if err == nil || !strings.Contains(err.Error(), "./m.go:3: undefined: x") || strings.Contains(err.Error(), "\n") {
		t.Errorf("%+v, %v", kept, err)
	}
	c.untouched(state)
}

// TestLeft has what a process leaves that was killed.
func TestLeft(t *testing.T) {
	for _, only := range []string{"", "folder", "git"} { // what of both is left
		c := newCheckout(t)
		state := c.state()
		s := c.store()
		c.git("worktree", "add", "-q", "--detach", s.tree, "main")
		if err := os.MkdirAll(filepath.Join(s.tree, "sub/readonly"), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(s.tree, "sub/readonly/x"), nil, 0o444); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(filepath.Join(s.tree, "sub/readonly"), 0o555); err != nil {
			t.Fatal(err)
		}
		switch only {
		case "folder":
			if err := os.RemoveAll(filepath.Join(c.dir, ".git/worktrees")); err != nil {
				t.Fatal(err)
			}
		case "git":
			if err := removeAll(s.tree); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.MkdirAll(s.fresh, 0o777); err != nil {
			t.Fatal(err)
		}
		kept, err := c.profile()
		if err != nil || !profiledir.Is(kept.Dir) {
			t.Fatalf("%q: %+v, %v", only, kept, err)
		}
		c.untouched(state)
	}
}

func (c *checkout) store() *store {
	c.t.Helper()
	b, err := Find(c.root, "main")
	if err != nil {
		c.t.Fatal(err)
	}
	m, err := profiledir.ReadManifest(c.out)
	if err != nil {
		c.t.Fatal(err)
	}
	r, err := recorded(c.out, m)
	if err != nil {
		c.t.Fatal(err)
	}
	s, err := newStore(b, r)
	if err != nil {
		c.t.Fatal(err)
	}
	return s
}

// TestHead has a profile of the base, which is kept for later. One of another commit, or of an edited checkout, is not
// taken for it.
func TestHead(t *testing.T) {
	c := newCheckout(t)
	unknown := c.manifest
	c.manifest.Commit = c.first
	c.record(c.manifest)
	c.git("checkout", "-q", c.first)
	kept, err := c.profile()
	if err != nil || kept.Dir != c.out {
		t.Fatalf("%+v, %v", kept, err)
	}
	c.git("checkout", "-q", "change")
	kept, err = c.profile()
	if err != nil || kept.Dir == c.out || !profiledir.Is(kept.Dir) {
		t.Errorf("%+v, %v", kept, err)
	}
	if runs := c.runs(); len(runs) > 0 {
		t.Errorf("wrap has run: %q", runs)
	}
	c.git("checkout", "-q", c.first)
	for i, commit := range []string{"", c.git("rev-parse", "change")} {
		if err := os.RemoveAll(kept.Dir); err != nil {
			t.Fatal(err)
		}
		unknown.Commit = commit
		c.record(unknown)
		if _, err = c.profile(); err != nil || len(c.runs()) != i+1 {
			t.Errorf("a profile of %q is taken for the base: %v", commit, err)
		}
	}
}

// TestHook runs as a hook of git does, which has the index in a variable.
func TestHook(t *testing.T) {
	c := newCheckout(t)
	c.write("sub/m.go", "package staged")
	c.git("add", ".")
	state := c.state()
	index := filepath.Join(c.dir, ".git/index")
	before, err := os.ReadFile(index)
	if err != nil {
		t.Fatal(err)
	}
	t.Run("with variables", func(t *testing.T) {
		t.Setenv("GIT_DIR", filepath.Join(c.dir, ".git"))
		t.Setenv("GIT_INDEX_FILE", index)
		t.Setenv("GIT_WORK_TREE", c.dir)
		if _, err := c.profile(); err != nil {
			t.Fatal(err)
		}
		if after, err := os.ReadFile(index); err != nil || !bytes.Equal(before, after) {
			t.Errorf("the index has changed, %v", err)
		}
	})
	if runs := c.runs(); len(runs) != 1 || !strings.HasSuffix(runs[0], "package first") {
		t.Errorf("%q", runs)
	}
	c.untouched(state)
}

// TestFind has histories in which there is no merge base.
func TestFind(t *testing.T) {
	c := newCheckout(t)
	c.git("checkout", "-q", "--orphan", "other")
	c.commit("other")
	fails := func(root, rev, want string) {
		t.Helper()
		_, err := Find(root, rev)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%v, want %q", err, want)
		}
	}
	fails(c.root, "main", "have no commit in common")
	fails(c.root, "nowhere", `git knows no revision "nowhere"`)
	fails(c.root, "--all", `git knows no revision "--all"`)
	fails(t.TempDir(), "main", "git")

	c.git("checkout", "-q", "change")
	shallow := filepath.Join(t.TempDir(), "shallow")
	c.git("clone", "-q", "--depth", "1", "--no-single-branch", "file://"+c.dir, shallow)
	fails(filepath.Join(shallow, "sub"), "origin/main", "fetch-depth: 0")
}

// TestRecorded has profiles that cannot be made again.
func TestRecorded(t *testing.T) {
	for _, test := range []struct {
		m    *profiledir.Manifest
		want string
	}{
		{nil, "does not say which command"},
		{&profiledir.Manifest{}, "does not say which command"},
		{&profiledir.Manifest{Command: []string{"go", "run", "."}, Dir: "."}, "only tests are run again"},
		{&profiledir.Manifest{Command: []string{"go", "test", "-c"}, Dir: "."}, "only tests are run again"},
		{&profiledir.Manifest{Command: []string{"go", "test"}}, "where its command ran"},
		{&profiledir.Manifest{Command: []string{"go", "test", "-C", t.TempDir()}, Dir: "."}, "absolute path"},
	} {
		if _, err := recorded("out", test.m); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%+v: %v, want %q", test.m, err, test.want)
		}
	}
}
