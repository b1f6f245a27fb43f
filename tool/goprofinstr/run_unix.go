//go:build unix

package main

import (
	"os"
	"syscall"
)

// run has this process become the executable, which gets all signals then. It returns if that fails.
func run(name string, args []string) error {
	return syscall.Exec(name, append([]string{name}, args...), os.Environ())
}
