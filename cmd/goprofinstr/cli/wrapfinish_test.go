package cli

import (
	"strings"
	"testing"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/child"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/coverage"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/gocmd"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/gorun"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/toolchain"
	"github.com/goprofinstr/goprofinstr/export/profiledir"
)

// TestNothingRun has go commands that fail before they run anything, and what is said of that.
func TestNothingRun(t *testing.T) {
	const unwritten = "goprofinstr: coverage profile: c.out is not written\n"
	for _, test := range []struct {
		line    string
		earlier bool
		want    string // with D for the output directory
	}{
		{"go test -atomic ./...", false, "goprofinstr: nothing was run; wrap takes -atomic before the go command\n"},
		{"go test ./... -atomic", false, ""}, // what is wrong is in the packages
		{"go test ./... -args -o out.txt", false, ""},
		{"go test -args -o out.txt", false, ""},
		{"go test -update -- -o out.txt", false, ""},
		{"go test", true, "goprofinstr: nothing was run: D keeps the earlier profile\n"},
		{"go test -coverprofile c.out ./broken", true, "goprofinstr: nothing was run: D keeps the earlier profile\n" + unwritten},
		{"go test -coverprofile c.out ./broken", false, unwritten},
	} {
		cmd, err := gocmd.Parse(strings.Fields(test.line))
		if err != nil {
			t.Fatal(err)
		}
		out := &profiledir.Dir{Path: t.TempDir()}
		if test.earlier {
			if err := out.WriteBuild(profiledir.Manifest{Mode: "exact"}, nil); err != nil {
				t.Fatal(err)
			}
		}
		if err := out.Start(profiledir.Manifest{Mode: "exact"}, nil); err != nil {
			t.Fatal(err)
		}
		w := &wrap{Run: &gorun.Run{Cmd: cmd, Toolchain: new(toolchain.Toolchain), Out: out}}
		w.options.set = w.options.table().Set("wrap")
		if w.cover, err = coverage.Take(cmd, w.Toolchain, ""); err != nil {
			t.Fatal(err)
		}
		said := errorOutput(t, func() {
			if err := w.finish(child.Ending{Exit: 1}, nil); err != nil {
				t.Errorf("%s: %v", test.line, err)
			}
		})
		if said = strings.ReplaceAll(said, out.Path, "D"); !strings.HasSuffix(said, test.want) || test.want == "" && said != "" {
			t.Errorf("%s: said %q, want %q", test.line, said, test.want)
		}
	}
}
