//go:build unix

package mergebase

import (
	"os"
	"os/exec"
	"syscall"
)

// apart has a command begin a group of processes.
func apart(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// end asks the processes of a group to end.
func end(p *os.Process, s os.Signal) { syscall.Kill(-p.Pid, s.(syscall.Signal)) }

// kill ends the processes of a group without asking.
func kill(p *os.Process) { syscall.Kill(-p.Pid, syscall.SIGKILL) }
