package outdir

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/goprofinstr/goprofinstr/export/profiledir"
)

// TestEnv nests wraps: processes of the inner one are inside of both output directories.
func TestEnv(t *testing.T) {
	t.Setenv(wrapsVar, "")
	outer, inner := filepath.Join(t.TempDir(), "a"), filepath.Join(t.TempDir(), "b")
	for _, dir := range []string{outer, inner} {
		if isInside(dir) {
			t.Errorf("inside of %s before", dir)
		}
		name, value, _ := strings.Cut(Env(&profiledir.Dir{Path: dir}), "=")
		t.Setenv(name, value)
	}
	for _, dir := range []string{outer, inner} {
		if !isInside(dir) {
			t.Errorf("not inside of %s", dir)
		}
	}
}

func TestShown(t *testing.T) {
	here, err := filepath.Abs("x.out")
	if err != nil {
		t.Fatal(err)
	}
	if got := Shown(here); got != "x.out" {
		t.Errorf("%s", got)
	}
}
