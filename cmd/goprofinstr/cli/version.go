package cli

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/flags"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/usage"
	"github.com/goprofinstr/goprofinstr/rewrite/release"
)

var versionCommand = &command{
	name:     "version",
	run:      runVersion,
	short:    "print the version, and the releases of Go that it works with",
	synopsis: `goprofinstr version`,
	flags:    func() flags.Table { return flags.Table{} },
}

func runVersion(c *command, args []string) (int, error) {
	fs, done, err := c.parse(c.flags(), args)
	if done || err != nil {
		return 0, err
	}
	if fs.NArg() > 0 {
		return 0, usage.Errorf("want no arguments, got %d", fs.NArg())
	}
	info, _ := debug.ReadBuildInfo()
	_, err = fmt.Fprintf(os.Stdout, "goprofinstr %s %s/%s, built with %s\nworks with %s\n",
		moduleVersion(info), runtime.GOOS, runtime.GOARCH, runtime.Version(), release.Names())
	return 0, err
}

// modulePath is the path of our module.
const modulePath = "github.com/goprofinstr/goprofinstr"

// moduleVersion returns the version of our module in a binary. As a tool of another module we are a dependency. What
// was built from files that are under no version control is "(devel)".
func moduleVersion(info *debug.BuildInfo) string {
	if info == nil {
		return "(unknown)"
	}
	for _, m := range append([]*debug.Module{&info.Main}, info.Deps...) {
		if m.Path != modulePath {
			continue
		}
		if m.Replace != nil {
			m = m.Replace
		}
		if m.Version != "" {
			return m.Version
		}
	}
	return "(devel)"
}
