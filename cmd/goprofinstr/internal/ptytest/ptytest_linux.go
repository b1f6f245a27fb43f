// Package ptytest gives tests a pseudo terminal, on Linux.
package ptytest

import (
	"fmt"
	"io"
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// Written returns what work writes to a terminal of so many columns. It skips the test where there are no pseudo terminals.
func Written(t *testing.T, columns uint16, work func(terminal *os.File)) string {
	t.Helper()
	master, terminal, err := open()
	if err != nil {
		t.Skipf("no pseudo terminals: %v", err)
	}
	defer master.Close()
	if err := unix.IoctlSetWinsize(int(terminal.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: columns}); err != nil {
		t.Fatal(err)
	}
	written := make(chan string)
	go func() {
		b, _ := io.ReadAll(master) // ends with an error when the terminal is closed
		written <- string(b)
	}()
	work(terminal)
	terminal.Close()
	return <-written
}

// open opens the two ends of a new terminal (man 4 pts).
func open() (master, terminal *os.File, err error) {
	if master, err = os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0); err != nil {
		return nil, nil, err
	}
	number := 0
	if err = unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0); err == nil {
		number, err = unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	}
	if err == nil {
		terminal, err = os.OpenFile(fmt.Sprint("/dev/pts/", number), os.O_RDWR|unix.O_NOCTTY, 0)
	}
	if err != nil {
		master.Close()
	}
	return master, terminal, err
}
