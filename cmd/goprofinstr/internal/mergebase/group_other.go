//go:build !unix

package mergebase

import (
	"os"
	"os/exec"
)

// Without groups of processes, only the command itself is ended.

func apart(*exec.Cmd) {}

func end(p *os.Process, _ os.Signal) { p.Kill() }

func kill(p *os.Process) { p.Kill() }
