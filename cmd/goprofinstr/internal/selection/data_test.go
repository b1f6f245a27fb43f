package selection

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goprofinstr/goprofinstr/export/profiledir"
)

// TestRefuse has profiles whose commands are such that changes would not be seen.
func TestRefuse(t *testing.T) {
	for line, want := range map[string]string{
		"go test ./...":                  "",
		"go test -overlay=o.json ./...":  "is of go test -overlay o.json, ",
		"go test -C /elsewhere/m ./...":  "has an absolute path",
		"go test -overlay o.json -v ./p": "run all tests, or ",
	} {
		dir := t.TempDir()
		m := profiledir.Manifest{Head: "head", Dir: ".", Command: strings.Fields(line)}
		if err := (&profiledir.Dir{Path: dir}).WriteBuild(m, nil); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, profiledir.Alone("1")), []byte("{}\n"), 0o666); err != nil {
			t.Fatal(err)
		}
		_, err := ReadData(dir)
		if err == nil != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", line, err)
		}
	}
}

// TestNoCommit has a profile without a commit where there is no git, which says so.
func TestNoCommit(t *testing.T) {
	dir := t.TempDir()
	m := profiledir.Manifest{Dir: ".", Command: []string{"go", "test"}}
	if err := (&profiledir.Dir{Path: dir}).WriteBuild(m, nil); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, profiledir.Alone("1")), []byte("{}\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", "")
	if _, err := ReadData(dir); !errors.Is(err, exec.ErrNotFound) {
		t.Errorf("error %v", err)
	}
}

func TestKeysOf(t *testing.T) {
	for full, want := range map[string]string{
		"m/p.F":                          "func F",
		"m/p.F.func1":                    "func F,method F.func1",
		"m/p.F.func1.2":                  "func F,method F.func1",
		"m/p.F-range1":                   "func F-range1",
		"m/p.F[...]":                     "func F",
		"m/p.T.M":                        "method T.M",
		"m/p.T.M.func1":                  "method T.M",
		"m/p.(*T).M":                     "method T.M",
		"m/p.(*T[go.shape.int]).M.func2": "method T.M",
		"m/p.init.0":                     "func init,method init.0",
		"main.F":                         "func F",
	} {
		if got := strings.Join(keysOf("m/p", full), ","); got != want {
			t.Errorf("%s: %s, want %s", full, got, want)
		}
	}
	if got := keysOf("gopkg.in/y.v3", "gopkg.in/y%2ev3.F"); len(got) != 1 || got[0] != "func F" {
		t.Errorf("an escaped path: %v", got)
	}
}

// TestEffects has initialisers of variables that run code, and such that do not.
func TestEffects(t *testing.T) {
	for value, want := range map[string]bool{
		`errors.New("x")`: false, `regexp.MustCompile("x")`: false, `func() int { return f() }`: false, `[]byte("x")`: false,
		`map[string]int{"a": 1}`: false, `reflect.TypeOf((*T)(nil)).Elem()`: false, `int64(3)`: false, `&T{}`: false,
		`f()`: true, `<-c`: true, `errors.New(f())`: true, `T{x: f()}`: true, `func() int { return 1 }()`: true, `x.Elem()`: true,
	} {
		src, err := parse("a.go", []byte("package a\nvar v = "+value+"\n"))
		if err != nil {
			t.Fatal(err)
		}
		if got := src.declarations[0].runs; got != want {
			t.Errorf("%s: %t", value, got)
		}
	}
}
