package instrument

import (
	"bytes"
	"fmt"
	"os/exec"
	"slices"
	"strings"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/gocmd"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/results"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/toolchain"
)

// Warm is a build of what programs are linked with besides what is instrumented.
type Warm struct {
	Args     []string // of the go command
	Std      *results.Std
	Packages int
}

// PrepareWarm finds what the packages that c builds import from other modules than the main one.
func PrepareWarm(c *gocmd.Command, tc *toolchain.Toolchain, work string) (*Warm, error) {
	s := &session{cmd: c, tc: tc, work: work, store: results.Open(tc), moduleFile: tc.ModuleFile(c)}
	var err error
	if s.user, err = toolchain.UserOverlay(c); err != nil {
		return nil, err
	}
	hooks, err := s.hooks(Options{})
	if err != nil {
		return nil, err
	}
	if len(hooks.Files) == 0 {
		return nil, fmt.Errorf("%s: its runtime has no place for hooks, so there is nothing to compile ahead", tc.GOVERSION)
	}
	paths, err := s.dependencies()
	if err != nil {
		return nil, err
	}
	overlay, err := s.hooked(hooks)()
	if err != nil {
		return nil, err
	}
	args := append([]string{"build"}, s.inFolder()...)
	args = append(args, c.LoadFlags()...)
	args = append(args, "-overlay="+overlay, "--")
	return &Warm{append(args, paths...), s.store.Std(c, overlay, hooks), len(paths)}, nil
}

// dependencies lists what the packages of the command import, with their tests if it tests them.
func (s *session) dependencies() (paths []string, err error) {
	const format = "{{if .Standard}}{{.ImportPath}}{{else if .Module}}{{if not .Module.Main}}{{.ImportPath}}{{end}}{{end}}"
	args := append([]string{"list"}, s.inFolder()...)
	args = append(args, s.cmd.LoadFlags()...)
	args = append(args, "-deps", "-f="+format)
	if s.cmd.Verb == "test" {
		args = append(args, "-test")
	}
	list := exec.Command(s.tc.Go, slices.Concat(args, []string{"--"}, s.cmd.Packages)...)
	list.Env = s.tc.HelperEnviron()
	var out, errs bytes.Buffer
	list.Stdout, list.Stderr = &out, &errs
	if err := s.tc.Helpers.Run(list); err != nil {
		return nil, fmt.Errorf("cannot list packages: %s", toolchain.FirstLine(errs.String()))
	}
	for path := range strings.Lines(out.String()) {
		path = strings.TrimSuffix(path, "\n")
		// What is recompiled for a test, and what the standard library has of others, comes with what imports it.
		if path != "" && path != "unsafe" && !strings.Contains(path, " ") && !strings.HasPrefix(path, "vendor/") {
			paths = append(paths, path)
		}
	}
	return paths, nil
}

// inFolder returns the flag for the folder in which the go command works, if there is one.
func (s *session) inFolder() []string {
	if s.cmd.Dir == "" {
		return nil
	}
	return []string{"-C=" + s.cmd.Dir}
}
