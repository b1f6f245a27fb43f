package cli

import (
	"fmt"
	"os"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/doctor"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/flags"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/usage"
	"github.com/goprofinstr/goprofinstr/rewrite/target"
)

var doctorCommand = &command{
	name:     "doctor",
	run:      runDoctor,
	short:    "say what works on this machine, and why not",
	synopsis: `goprofinstr doctor [-quick] [-overlay FILE]`,
	about: `Doctor prints a line for each thing that goprofinstr needs or can use: ok, no or unknown, and what
to do if it is missing. It also builds a small program and runs it, in a temporary folder; with a toolchain for the first
time that takes half a minute. The exit code is 1 if something is missing that
wrap cannot do without.`,
	flags: func() flags.Table { return new(doctorFlags).table() },
}

// doctorFlags are the flags of doctor.
type doctorFlags struct {
	quick   bool
	overlay string
}

func (f *doctorFlags) table() flags.Table {
	return flags.Table{Column: 18, Flags: []flags.Flag{
		{Name: "quick", Var: &f.quick, Usage: "build no program"},
		{Name: "overlay", Value: "FILE", Var: &f.overlay, Usage: `look at the standard library with this overlay, as wrap go build -overlay FILE
			has it`},
	}}
}

func runDoctor(c *command, args []string) (exit int, err error) {
	var f doctorFlags
	fs, done, err := c.parse(f.table(), args)
	if done || err != nil {
		return 0, err
	}
	if fs.NArg() > 0 {
		return 0, usage.Errorf("want no arguments, got %d; see goprofinstr help doctor", fs.NArg())
	}
	self, err := os.Executable()
	if err != nil {
		return 0, err
	}
	var user *target.Overlay
	if f.overlay != "" {
		if user, err = target.ReadOverlay(f.overlay, "."); err != nil {
			return 0, fmt.Errorf("-overlay: %v", err)
		}
	}
	doctor.Examine(doctor.Options{Self: self, Quick: f.quick, Overlay: user}, func(f doctor.Finding) {
		if f.Needed && f.State == doctor.No {
			exit = 1
		}
		fmt.Printf("%-8s %-19s %s\n", f.State, f.Name, f.Text)
	})
	return exit, nil
}
