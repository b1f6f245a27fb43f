package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/coverplan"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/gocmd"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/toolchain"
	"github.com/goprofinstr/goprofinstr/export"
	"github.com/goprofinstr/goprofinstr/export/coverprofile"
	"github.com/goprofinstr/goprofinstr/export/profile"
)

// coverage is what a wrap has to say about Go's coverage.
type coverage struct {
	gocmd.Cover
	files []coverFile
}

// A coverFile is a coverage profile to be written.
type coverFile struct{ name, mode string }

// takeCover takes the -cover flags off the command line of go test. file is the value of wrap's own -coverprofile.
func takeCover(c *gocmd.Command, tc *toolchain.Toolchain, file string) (*coverage, error) {
	if c.Verb != "test" {
		return &coverage{}, nil
	}
	flags, err := c.TakeCover()
	if err != nil {
		return nil, usagef("wrap: %v", err)
	}
	cover := &coverage{Cover: flags}
	if flags.Profile != "" {
		mode := flags.Mode
		switch {
		case mode != "":
		case c.Is("race") || tc.InGOFLAGS("race"):
			mode = "atomic" // as the go command chooses
		default:
			mode = "set"
		}
		cover.files = append(cover.files, coverFile{flags.Profile, mode})
	}
	if file != "" {
		mode := flags.Mode
		if mode == "" {
			mode = "count"
		}
		cover.files = append(cover.files, coverFile{file, mode})
		cover.On = true
	}
	if cover.On && !runs(c) {
		return nil, usagef("wrap: go test -c runs nothing to report the coverage of")
	}
	return cover, nil
}

// plan returns what a coverage profile of the tests that c runs has in it; nil if it runs none.
func (cover *coverage) plan(c *gocmd.Command, tc *toolchain.Toolchain) (*coverprofile.Plan, error) {
	if c.Verb != "test" || !runs(c) {
		return nil, nil
	}
	plan, unused, err := coverplan.New(c, tc, cover.Patterns, cover.Mode == "atomic")
	for _, pattern := range unused {
		fmt.Fprintf(os.Stderr, "goprofinstr: warning: no packages being tested depend on matches for pattern %s\n", pattern)
	}
	return plan, err
}

// packages returns the import paths of what has to be instrumented for the coverage that was asked for.
func (cover *coverage) packages(planned func() (*coverprofile.Plan, error)) (map[string]bool, error) {
	if !cover.On {
		return nil, nil
	}
	plan, err := planned()
	if plan == nil || err != nil {
		return nil, err
	}
	paths := make(map[string]bool)
	for _, p := range plan.Packages {
		paths[p.Path] = true
	}
	return paths, nil
}

// check makes sure that the files can be written, before anything runs. It leaves them as they are.
func (cover *coverage) check() error {
	for _, f := range cover.files {
		if err := checkFile(f.name); err != nil {
			return fmt.Errorf("coverage profile: %w", err)
		}
	}
	return nil
}

// checkFile makes sure that a file can be replaced, or written to if it is a device or a pipe.
func checkFile(name string) error {
	if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() {
		if info.IsDir() {
			return fmt.Errorf("%s is a directory", name)
		}
		return nil
	}
	f, err := os.CreateTemp(filepath.Dir(name), filepath.Base(name)+".tmp*")
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("no folder %s", filepath.Dir(name))
	}
	if err != nil {
		return fmt.Errorf("%s cannot be written: %w", name, errors.Unwrap(err))
	}
	f.Close()
	return os.Remove(f.Name())
}

// finish writes the files and prints the coverage of the runs in a directory.
func (cover *coverage) finish(dir string, p *profile.Profile, plan *coverprofile.Plan, tool coverprofile.Tool) error {
	if !cover.On {
		return nil
	}
	c, err := coverprofile.Derive(dir, p, plan, tool)
	if err != nil {
		return err
	}
	for _, f := range cover.files {
		if err := export.Replace(f.name, func(w io.Writer) error { return c.Write(w, f.mode) }); err != nil {
			return err
		}
	}
	return c.WriteSummary(os.Stderr)
}

// exportCoverprofile writes the coverage profile of profile directory dir. The tool is that of the release
// which built the tests.
func exportCoverprofile(w io.Writer, dir string, p *profile.Profile) error {
	if p.Certainty() < profile.HowOften {
		return errors.New("a coverage profile takes exact counts, and this profile has been sampled: wrap -mode exact")
	}
	plan, err := coverprofile.ReadPlan(dir)
	if err != nil {
		return err
	}
	c, err := coverprofile.Derive(dir, p, plan, plan.Tool())
	if err != nil {
		return err
	}
	if err := c.WriteMissing(os.Stderr); err != nil {
		return err
	}
	return c.Write(w, "count")
}
