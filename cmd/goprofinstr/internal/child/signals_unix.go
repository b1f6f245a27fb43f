//go:build unix

package child

import (
	"os"
	"syscall"
)

// ofUsers are signals whose meaning is the program's own.
var ofUsers = []os.Signal{syscall.SIGUSR1, syscall.SIGUSR2}

// hasTerminal reports whether a terminal sends signals to this process and to those that it starts. A container and a
// service have none.
func hasTerminal() bool {
	f, err := os.OpenFile("/dev/tty", os.O_RDONLY|syscall.O_NOCTTY, 0)
	if err != nil {
		return false
	}
	f.Close()
	return true
}
