package instrument

import (
	"errors"
	"go/build"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/auditbase"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/gocmd"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/toolchain"
	"github.com/goprofinstr/goprofinstr/rewrite/load"
)

// TestReleaseTags has files of the base that only some releases of Go build, whatever goprofinstr was built with.
func TestReleaseTags(t *testing.T) {
	for _, test := range []struct {
		release, constraint string
		want                bool
	}{
		{"go1.26.8", "go1.26", true},
		{"go1.26.8", "go1.27", false},
		{"go1.27.0", "go1.27", true},
		{"go1.98rc1", "go1.98", true},
		{"go1.98rc1", "go1.99", false},
		{"devel go1.99-abcdef", "go1.26", true},
	} {
		tc := &toolchain.Toolchain{GOVERSION: test.release, GOOS: "linux", GOARCH: "amd64"}
		c := (&session{tc: tc, cmd: &gocmd.Command{Verb: "test"}}).buildContext()
		c.OpenFile = func(string) (io.ReadCloser, error) {
			return io.NopCloser(strings.NewReader("//go:build " + test.constraint + "\n\npackage p\n")), nil
		}
		if got, err := c.MatchFile("p", "p.go"); got != test.want || err != nil {
			t.Errorf("%s, //go:build %s: %v, %v", test.release, test.constraint, got, err)
		}
	}
}

// TestCheckNames has names of functions that have not changed, which are as good as others, and of none.
func TestCheckNames(t *testing.T) {
	all := []*load.Package{
		{ID: "example.com/a", Path: "example.com/a", Files: []*load.File{{Name: "a.go", Src: []byte("package a\nfunc F() {}\n")}}},
		{ID: "example.com/b", Path: "example.com/b",
			Files: []*load.File{{Name: "b.go", Src: []byte("package b\ntype T[E any] int\nfunc (*T[E]) M() {}\n")}}},
	}
	for _, test := range []struct {
		functions string
		missing   string
	}{
		{"", ""},
		{"F", ""},
		{"a.F (*T).M example.com/b.(*T).M", ""},
		{"F G", "G"},
		{"b.F", "b.F"},
	} {
		o := &AuditOptions{Functions: strings.Fields(test.functions)}
		err := o.checkNames(all, new(auditbase.Base), false)
		if (err == nil) != (test.missing == "") || err != nil && !strings.HasPrefix(err.Error(), "-func "+test.missing+": ") {
			t.Errorf("%q: %v", test.functions, err)
		}
	}
}

// TestCheckNamesDeleted has functions of packages that the change deletes, as good as those of others, and of one that is there
// and not built. What it deletes in folders that are no packages of the build is no function, nor need it parse.
func TestCheckNamesDeleted(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	t.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	dir := t.TempDir()
	git := func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %s: %v\n%s", args, err, out)
		}
	}
	write := func(name, text string) {
		t.Helper()
		name = filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o777), os.WriteFile(name, []byte(text), 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	write("go.mod", "module example.com/m\n")
	write("x/p/p.go", "package p\n\nfunc F() {}\n")
	write("x/p/broken.go", "package p\n\nfunc Broken( {}\n")
	for _, folder := range []string{"x/testdata/src/a", "_x", "vendor/v", ".x", "nested/a"} {
		write(folder+"/a.go", "package a\n\nfunc Parse() {}\n")
	}
	write("nested/go.mod", "module example.com/nested\n")
	write("tests/testdata/broken.go", "none")
	write("m.go", "package m\n\nfunc M() {}\n")
	write("q/q.go", "package q\n\nfunc G() {}\n")
	git("init", "-q", "-b", "main")
	git("add", ".")
	git("-c", "user.name=A", "-c", "user.email=a@example.com", "commit", "-qm", "base")
	git("rm", "-qr", ".")
	write("go.mod", "module example.com/m\n")
	write("q/q.go", "package q\n\nfunc G() { G() }\n")
	b, err := auditbase.Find(dir, "main", build.Default)
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Choose(new(load.Build)); err != nil {
		t.Fatal(err)
	}
	for name, found := range map[string]bool{
		"p.F": true, "F": true, "x/p.F": true, "example.com/m/x/p.F": true, "y/p.F": false, "p.G": false,
		"m.M": true, "example.com/m.M": true, "q.G": false, "G": false,
		"anything.M": false, "Parse": false, "a.Parse": false, "Broken": false,
	} {
		if err := (&AuditOptions{Functions: []string{name}}).checkNames(nil, b, false); (err == nil) != found {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := (&AuditOptions{Functions: []string{"example.com/nested/a.Parse"}}).checkNames(nil, b, true); err != nil {
		t.Errorf("in a workspace: %v", err)
	}
}
