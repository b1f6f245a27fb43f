package main

import (
	"fmt"
	"os"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/doctor"
)

var doctorCommand = &command{
	name:  "doctor",
	short: "say what works on this machine, and why not",
	usage: `usage: goprofinstr doctor [-quick]

Doctor prints a line for each thing that goprofinstr needs or can use: ok, no or unknown, and what
to do if it is missing. It also builds a small program and runs it, in a temporary folder; with a toolchain for the first
time that takes half a minute. The exit code is 1 if something is missing that
wrap cannot do without.

	-quick            build no program
`,
}

func init() { doctorCommand.run = runDoctor }

func runDoctor(args []string) (exit int, err error) {
	fs := newFlags(doctorCommand)
	quick := fs.Bool("quick", false, "")
	if done, err := parse(fs, doctorCommand, args); done || err != nil {
		return 0, err
	}
	if fs.NArg() > 0 {
		return 0, usagef("doctor: want no arguments, got %d; see goprofinstr help doctor", fs.NArg())
	}
	self, err := os.Executable()
	if err != nil {
		return 0, err
	}
	doctor.Examine(doctor.Options{Self: self, Quick: *quick}, func(f doctor.Finding) {
		if f.Needed && f.State == doctor.No {
			exit = 1
		}
		fmt.Printf("%-8s %-19s %s\n", f.State, f.Name, f.Text)
	})
	return exit, nil
}
