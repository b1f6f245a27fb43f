//go:build unix

package child

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path"
	"syscall"
	"testing"
)

// passed are the signals that a program gets of those that are sent to who runs it. The last two no other command gets.
var passed = []syscall.Signal{
	syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGUSR1, syscall.SIGUSR2,
}

// TestMain makes the test binary three more programs: two that run the third, which says which signals it gets.
func TestMain(m *testing.M) {
	switch by := os.Getenv("CHILD_TEST"); by {
	case "program", "command":
		os.Setenv("CHILD_TEST", "say")
		cmd := exec.Command(os.Args[0])
		cmd.Stdin, cmd.Stdout = os.Stdin, os.Stdout
		e, err := heed(by == "program").run(cmd)
		if err != nil || !e.Interrupted {
			e.Exit = 100
		}
		os.Exit(e.Exit)
	case "say":
		go func() {
			io.ReadAll(os.Stdin) // until the test has ended
			os.Exit(3)
		}()
		came := make(chan os.Signal, 1)
		for _, sig := range passed {
			signal.Notify(came, sig)
		}
		fmt.Println("ready")
		for sig := range came {
			fmt.Println(sig)
		}
	}
	os.Exit(m.Run())
}

// TestRunUntil: a command that waits for what does not come ends by the interrupt.
func TestRunUntil(t *testing.T) {
	if signal.Ignored(os.Interrupt) {
		t.Skip("interrupts are ignored here, and in commands that are started")
	}
	cmd := exec.Command("cat")
	if _, err := cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	interrupt := make(chan struct{})
	close(interrupt)
	e, err := RunUntil(cmd, interrupt)
	var failed *exec.ExitError
	if !errors.As(err, &failed) || failed.Sys().(syscall.WaitStatus).Signal() != syscall.SIGINT || !e.Interrupted {
		t.Errorf("%+v, %v", e, err)
	}
}

// TestWithoutTerminal sends signals to processes without a terminal. What they run gets them.
func TestWithoutTerminal(t *testing.T) {
	if signal.Ignored(os.Interrupt) || signal.Ignored(syscall.SIGHUP) {
		t.Skip("signals are ignored here, and in commands that are started")
	}
	t.Run("program", func(t *testing.T) { testPassed(t, passed) })
	t.Run("command", func(t *testing.T) { testPassed(t, passed[:len(passed)-2]) })
}

// testPassed sends signals to the program that has the test's name.
func testPassed(t *testing.T, signals []syscall.Signal) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "CHILD_TEST="+path.Base(t.Name()))
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	lines.Scan()
	for _, sig := range signals {
		if err := cmd.Process.Signal(sig); err != nil {
			t.Fatal(err)
		}
		if !lines.Scan() || lines.Text() != sig.String() {
			t.Fatalf("of %v the program has got %q", sig, lines.Text())
		}
	}
	in.Close()
	var failed *exec.ExitError
	if err := cmd.Wait(); !errors.As(err, &failed) || failed.ExitCode() != 3 {
		t.Errorf("the program has ended by %v", err)
	}
}
