package gorun

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/gocmd"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/toolchain"
	"github.com/goprofinstr/goprofinstr/export/profiledir"
	"github.com/goprofinstr/goprofinstr/rt"
)

// parse returns a run of a command line, with these flags in GOFLAGS.
func parse(t *testing.T, line, goflags string) *Run {
	t.Helper()
	c, err := gocmd.Parse(strings.Fields(line))
	if err != nil {
		t.Fatal(err)
	}
	r := &Run{Cmd: c, Toolchain: &toolchain.Toolchain{GOFLAGS: goflags}}
	if r.Toolchain.Runs(c) {
		r.Out = &profiledir.Dir{Path: filepath.FromSlash("/out")}
	}
	return r
}

// TestArgs has command lines, and what is run in their place.
func TestArgs(t *testing.T) {
	fill := "-X " + rt.LinkedDir + "=" + filepath.FromSlash("/out/running")
	for _, test := range []struct {
		line    string
		gcflags []string
		want    []string
	}{
		{"go build -overlay=u.json ./...", nil, []string{"build", "-overlay=o.json", "-more", "./..."}},
		{"go build -gcflags=-l", nil, []string{"build", "-overlay=o.json", "-more", "-gcflags=-l"}},
		{"go build -gcflags=-l", []string{"-gcflags=-l=4"}, []string{"build", "-overlay=o.json", "-gcflags=-l=4", "-more"}},
		{"go build -C d -v", nil, []string{"build", "-C", "d", "-overlay=o.json", "-more", "-v"}},
		{"go run . -vet", nil, []string{"run", "-overlay=o.json", "-ldflags=" + fill, "-more", ".", "-vet"}},
		{"go run -ldflags=-s .", nil,
			[]string{"run", "-overlay=o.json", "-ldflags=" + fill, "-ldflags=-s " + fill, "-more", "."}},
		{"go test -vet=all", nil, []string{"test", "-overlay=o.json", "-ldflags=" + fill, "-vet=off", "-count=1", "-more"}},
		{"go test -c", nil, []string{"test", "-overlay=o.json", "-vet=off", "-more", "-c"}},
	} {
		got, err := parse(t, test.line, "").Args("o.json", test.gcflags, "-more")
		if err != nil {
			t.Errorf("%s: %v", test.line, err)
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.line, diff)
		}
	}
}

// TestRefuse has command lines, and what is said of those that are refused.
func TestRefuse(t *testing.T) {
	for _, test := range []struct{ line, goflags, want string }{
		{"go test ./...", "-race", ""},
		{"go test -cover", "", "run go test with -cover without goprofinstr"},
		{"go test", "-v -cover", "-cover in GOFLAGS is not supported; take it out there"},
		{"go test", "-test.coverpkg=./...", "-coverpkg in GOFLAGS is not supported; take it out there"},
		{"go test -cover", "-cover", "run go test with -cover without goprofinstr"},
		{"go build", "-cover", "run go build with -cover without goprofinstr"},
		{"go build -buildmode=c-shared", "", "-buildmode=c-shared is not supported"},
		{"go build", "-buildmode=c-shared", "-buildmode=c-shared is not supported"},
		{"go build -buildmode=pie", "-buildmode=c-shared", ""},
		{"go build -overlay=x", "", ""},
		{"go build", "-overlay=x", "-overlay in GOFLAGS is not supported"},
		{"go run example.com/m@latest", "", "example.com/m@latest: packages of other modules"},
		{"go build x.org/y example.com/m@latest", "", "example.com/m@latest: packages of other modules"},
		{"go build ./a@b/... ..", "", ""},
		{"go run " + filepath.Join(t.TempDir(), "me@example.com"), "", ""},
		{"go run a@b.go", "", ""},
		{"go test example.com/m@latest", "", ""}, // the go command says what is wrong
	} {
		err := parse(t, test.line, test.goflags).Refuse(false)
		switch {
		case err == nil && test.want != "":
			t.Errorf("%s is not refused", test.line)
		case err != nil && (test.want == "" || !strings.Contains(err.Error(), test.want)):
			t.Errorf("%s: %v, want %q", test.line, err, test.want)
		}
	}
}

// TestRefuseCover has a flag of coverage in GOFLAGS. Where it would be answered on the command line, that is what to do.
func TestRefuseCover(t *testing.T) {
	const advice = ": wrap takes it on the command line of go test"
	for _, test := range []struct {
		line   string
		covers bool
		want   bool
	}{
		{"go test", true, true},
		{"go test", false, false}, // as in an audit
		{"go test -c", true, false},
	} {
		err := parse(t, test.line, "-cover").Refuse(test.covers)
		if err == nil || strings.HasSuffix(err.Error(), advice) != test.want {
			t.Errorf("%s, covers=%v: %v", test.line, test.covers, err)
		}
	}
}
