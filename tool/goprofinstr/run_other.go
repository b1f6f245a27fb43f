//go:build !unix

package main

import (
	"os"
	"os/exec"
	"os/signal"
)

// run runs the executable. Interrupts are for that: this process ends when it has ended.
func run(name string, args []string) error {
	signal.Ignore(os.Interrupt)
	cmd := exec.Command(name, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	err := cmd.Run()
	if err == nil {
		os.Exit(0)
	}
	return err
}
