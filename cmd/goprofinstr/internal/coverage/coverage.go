// Package coverage answers the -cover flags of go test from counts of paths.
//
//	d, err := coverage.Take(cmd, tc, "")     // off the command line
//	plan, err := d.Plan(cmd, tc)             // which packages, by which tests
//	… d.Packages(…) are instrumented, and the tests run …
//	err = d.Write(dir, profile, plan, tool)  // the files, and the summary
package coverage

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/gocmd"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/toolchain"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/usage"
	"github.com/goprofinstr/goprofinstr/export"
	"github.com/goprofinstr/goprofinstr/export/coverprofile"
	"github.com/goprofinstr/goprofinstr/export/profile"
)

// A Demand is the coverage that was asked for.
type Demand struct {
	gocmd.Cover
	files []file
}

// A file is a coverage profile to be written.
type file struct{ name, mode string }

// Take takes the -cover flags off the command line of go test. name is that of one more file to be written, or "".
func Take(c *gocmd.Command, tc *toolchain.Toolchain, name string) (*Demand, error) {
	if c.Verb != "test" {
		return &Demand{}, nil
	}
	outputdir, _ := tc.Lookup(c, "outputdir")
	flags, err := c.TakeCover(outputdir)
	if err != nil {
		return nil, usage.Errorf("%v", err)
	}
	d := &Demand{Cover: flags}
	if flags.Profile != "" {
		mode := flags.Mode
		switch {
		case mode != "":
		case tc.Is(c, "race"):
			mode = "atomic" // as the go command chooses
		default:
			mode = "set"
		}
		d.files = append(d.files, file{flags.Profile, mode})
	}
	if name != "" {
		mode := flags.Mode
		if mode == "" {
			mode = "count"
		}
		d.files = append(d.files, file{name, mode})
		d.On = true
	}
	if d.On && !tc.Runs(c) {
		return nil, usage.Errorf("go test -c runs nothing to report the coverage of")
	}
	if d.On {
		return d, refuseBinary(c.Rest)
	}
	return d, nil
}

// refuseBinary refuses flags for test binaries that those take only if the go command has built them with -cover.
func refuseBinary(rest []string) error {
	mayBeValue := false
	for i, word := range rest {
		name, _, hasValue := strings.Cut(strings.TrimLeft(word, "-"), "=")
		switch {
		case i == 0 && name == "args":
		case word == "--" || !strings.HasPrefix(word, "-") && !mayBeValue:
			return nil // flags end here
		case !strings.HasPrefix(word, "-"):
			mayBeValue = false
		case name == "test.gocoverdir":
			return usage.Errorf("test binaries take no -%s here, as they are not built with -cover; "+
				"goprofinstr export -format covdata -o DIR makes such a directory", name)
		case name == "test.coverprofile":
			return usage.Errorf("test binaries take no -%s here, as they are not built with -cover; "+
				"give -coverprofile to go test, before -args", name)
		default:
			mayBeValue = !hasValue
		}
	}
	return nil
}

// Atomic reports whether no count may get lost.
func (d *Demand) Atomic() bool { return d.Mode == "atomic" }

// Plan returns what a coverage profile of the tests that c runs has in it; nil if it runs none. Of patterns that
// match nothing it warns on standard error, as go test does.
func (d *Demand) Plan(c *gocmd.Command, tc *toolchain.Toolchain) (*coverprofile.Plan, error) {
	if c.Verb != "test" || !tc.Runs(c) {
		return nil, nil
	}
	plan, unused, err := newPlan(c, tc, d.Patterns, d.Atomic())
	for _, pattern := range unused {
		fmt.Fprintf(os.Stderr, "goprofinstr: warning: no packages being tested depend on matches for pattern %s\n", pattern)
	}
	return plan, err
}

// Packages returns the import paths of what has to be instrumented for the coverage that was asked for. Only if there
// is to be any it asks for the plan.
func (d *Demand) Packages(planned func() (*coverprofile.Plan, error)) (map[string]bool, error) {
	if !d.On {
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

// Check makes sure that the files can be written, before anything runs. It leaves them as they are.
func (d *Demand) Check() error {
	for _, f := range d.files {
		if err := checkFile(f.name); err != nil {
			return fmt.Errorf("coverage profile: %w", err)
		}
	}
	return nil
}

// checkFile makes sure that a file can be replaced, or written to if it is a device or a pipe.
func checkFile(name string) error {
	if info, err := os.Stat(name); err == nil && info.IsDir() {
		return fmt.Errorf("%s is a directory", name)
	}
	file, replaced := export.Replaced(name)
	if !replaced {
		return nil
	}
	f, err := os.CreateTemp(filepath.Dir(file), filepath.Base(file)+".tmp*")
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("no folder %s", filepath.Dir(file))
	}
	if err != nil {
		return fmt.Errorf("%s cannot be written: %w", name, errors.Unwrap(err))
	}
	f.Close()
	return os.Remove(f.Name())
}

// SayUnwritten says on standard error that the files are not written.
func (d *Demand) SayUnwritten() {
	for _, f := range d.files {
		fmt.Fprintf(os.Stderr, "goprofinstr: coverage profile: %s is not written\n", f.name)
	}
}

// Write writes the files, and the coverage of the runs in a directory to standard error.
func (d *Demand) Write(dir string, p *profile.Profile, plan *coverprofile.Plan, tool coverprofile.Tool) error {
	if !d.On {
		return nil
	}
	c, err := coverprofile.Derive(dir, p, plan, tool)
	if err != nil {
		return err
	}
	for _, f := range d.files {
		if err := export.Replace(f.name, func(w io.Writer) error { return c.Write(w, f.mode) }); err != nil {
			return err
		}
	}
	// Who has read enough, as in 2>&1 | head, has the files all the same.
	if err := c.WriteSummary(os.Stderr); err != nil && !errors.Is(err, syscall.EPIPE) {
		return err
	}
	return nil
}
