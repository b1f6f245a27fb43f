package keepinline

import (
	"os"
	"path"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/go/packages"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/gocmd"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/toolchain"
)

// TestGCFlags has the last of the user's -gcflags that match a package win, as for the go command.
func TestGCFlags(t *testing.T) {
	c, err := gocmd.Parse([]string{"go", "build", "-gcflags=all=-B", "-gcflags=-N -l",
		"-gcflags", "m/p/...='-d=x y'  -S", "-gcflags=./sub/...=", "./m"})
	if err != nil {
		t.Fatal(err)
	}
	all, err := readGCFlags(c, &toolchain.Toolchain{GOFLAGS: "-mod=mod '-gcflags=all=-m -m' -gcflags=std=-e"})
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		path  string
		named bool
		want  []string
	}{
		{"sort", false, []string{"-B"}},
		{"m", true, []string{"-N", "-l"}},
		{"m", false, []string{"-B"}},
		{"m/p/q", true, []string{"-d=x y", "-S"}},
		{"m/p/sub", true, nil},
	} {
		p := &packages.Package{ID: test.path, PkgPath: test.path, Module: &packages.Module{}}
		p.Dir = filepath.Join(dir, path.Base(test.path))
		got := all.of(p, test.named)
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s: %s", test.path, diff)
		}
	}
	want := []string{"-gcflags=all=-B", "-gcflags=-N -l", "-gcflags=m/p/...='-d=x y'  -S", "-gcflags=./sub/...="}
	if diff := cmp.Diff(want, all.onCommandLine()); diff != "" {
		t.Error(diff)
	}
}
