package instrument

import (
	"io"
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
		err := o.checkNames(all, new(auditbase.Base))
		if (err == nil) != (test.missing == "") || err != nil && !strings.HasPrefix(err.Error(), "-func "+test.missing+": ") {
			t.Errorf("%q: %v", test.functions, err)
		}
	}
}
