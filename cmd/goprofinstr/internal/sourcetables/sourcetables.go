// Package sourcetables makes the path tables of sources that have not been built or run.
package sourcetables

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/gocmd"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/gorun"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/instrument"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/mode"
)

// Of returns the encoded path tables of the packages below a folder, and of those among others that these import from
// other modules. Packages are loaded and rewritten as for wrap go build, and nothing is compiled.
func Of(dir string, others map[string]bool) ([][]byte, error) {
	if _, err := os.Stat(dir); err != nil {
		return nil, err
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	cmd, err := gocmd.Parse([]string{"go", "build", "-C", abs, "./..."})
	if err != nil {
		return nil, err
	}
	r, err := gorun.New(cmd)
	if err != nil {
		return nil, err
	}
	if err := r.BeginBuild(); err != nil {
		return nil, err
	}
	defer r.End()
	target, err := instrument.Prepare(cmd, r.Toolchain, r.Folder(), instrument.Options{Mode: mode.Exact, Covered: others})
	if err != nil {
		return nil, r.Explain(err)
	}
	for _, p := range target.Build.Roots {
		if len(p.Errors) > 0 {
			first, _, _ := strings.Cut(p.Errors[0].Error(), "\n")
			return nil, fmt.Errorf("%s: %s", dir, strings.TrimPrefix(first, "-: "))
		}
	}
	if len(target.Tables) == 0 {
		return nil, fmt.Errorf("%s: no packages of the main module; want the folder of package main", dir)
	}
	return target.Tables, nil
}
