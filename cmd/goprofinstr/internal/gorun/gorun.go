package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/gocmd"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/results"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/toolchain"
	"github.com/goprofinstr/goprofinstr/export/profiledir"
)

// runs reports whether the go command runs what it builds.
func runs(c *gocmd.Command) bool {
	return c.Verb == "run" || c.Verb == "test" && !c.Is("c")
}

// A goRun is a go command that wrap or audit runs in a form of its own.
type goRun struct {
	cmd  *gocmd.Command
	tc   *toolchain.Toolchain
	out  *profiledir.Dir // for the data; nil if nothing is run
	work *workDir
}

// flags returns the flags that make the go command build from an overlay, with the compiler's flags, the user's
// among them, if there are any. The user's own are taken off the command line.
func (g *goRun) flags(overlay string, gcflags []string) ([]string, error) {
	g.cmd.Remove("overlay") // is part of ours
	if len(gcflags) > 0 {
		g.cmd.Remove("gcflags")
	}
	ldflags, err := g.linkFlags()
	if err != nil {
		return nil, err
	}
	return slices.Concat([]string{"-overlay=" + overlay}, gcflags, ldflags, testFlags(g.cmd)), nil
}

// linkFlags returns the flags that tell programs which are run where to write their data.
func (g *goRun) linkFlags() ([]string, error) {
	if g.out == nil {
		return nil, nil
	}
	flags, err := g.tc.LinkFlags(g.cmd, g.out.Running())
	if len(flags) > 0 {
		g.cmd.Remove("ldflags") // are among these
	}
	return flags, err
}

// show prints the command line if -n or -x ask for it. It reports whether that is all.
func (g *goRun) show(args []string, n, x bool) (done bool) {
	if n || x {
		fmt.Fprintln(os.Stderr, shellLine(append([]string{g.cmd.Go}, args...)))
	}
	if n {
		sayRemoved(g.work)
	}
	return n
}

// run runs the go command, and says so if that takes unusually long.
func (g *goRun) run(args []string, std *results.Std) (ending, error) {
	if std.Missing() {
		fmt.Fprintln(os.Stderr, "goprofinstr: the standard library has to be compiled with our hooks first, "+
			"once for each toolchain and kind of build")
	}
	defer std.Built()
	return run(g.tc, args, g.work, g.out)
}

// outDir returns the output directory for what a go command runs, nil if it runs nothing.
func outDir(name string, c *gocmd.Command) (*profiledir.Dir, error) {
	if !runs(c) {
		return nil, nil
	}
	return profiledir.CheckDir(name)
}

// testFlags returns flags that go test needs for our files.
func testFlags(c *gocmd.Command) []string {
	if c.Verb != "test" {
		return nil
	}
	// Vet would look at inserted code, and fails on packages whose folders are in the overlay only. A result from
	// the test cache would come without a run, and so without data.
	c.Remove("vet")
	flags := []string{"-vet=off"}
	// Not twice: the test binary would get both.
	if _, ok := c.Lookup("count"); runs(c) && !ok {
		flags = append(flags, "-count=1")
	}
	return flags
}

// shellLine returns words as they would be typed.
func shellLine(words []string) string {
	typed := make([]string, len(words))
	for i, w := range words {
		if typed[i] = w; w == "" || strings.ContainsAny(w, " \t\n'\"\\$`*?;&|<>()[]{}~#") {
			typed[i] = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
	}
	return strings.Join(typed, " ")
}

// An ending is how a go command has ended.
type ending struct {
	exit        int
	interrupted bool // a signal has asked it to end
}

// run runs the go command with our standard files. out is where the programs that it starts write their data, or nil.
func run(tc *toolchain.Toolchain, args []string, work *workDir, out *profiledir.Dir) (e ending, err error) {
	cmd := exec.Command(tc.Go, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.Env = tc.Environ()
	if out != nil {
		cmd.Env = append(cmd.Env, profiledir.Var+"="+out.Running(), inside(out.Path))
	}
	work.away.Store(true)
	defer work.away.Store(false)
	// The terminal sends its signals to the go command too, and we have to
	// outlive it to write the profile; others are passed on.
	fromTerminal := make(chan os.Signal, 1)
	signal.Notify(fromTerminal, heeded(os.Interrupt, syscall.SIGQUIT)...)
	toPass := make(chan os.Signal, 1)
	signal.Notify(toPass, heeded(syscall.SIGTERM, syscall.SIGHUP)...)
	defer signal.Stop(fromTerminal)
	defer signal.Stop(toPass)
	if err := cmd.Start(); err != nil {
		return e, err
	}
	done, interrupted := make(chan bool), make(chan bool)
	go func() {
		came := false
		for {
			select {
			case s := <-toPass:
				cmd.Process.Signal(s)
				came = true
			case <-fromTerminal:
				came = true
			case <-done:
				// A signal that ended the command may not have been picked yet.
				interrupted <- came || len(fromTerminal) > 0 || len(toPass) > 0
				return
			}
		}
	}()
	err = cmd.Wait()
	close(done)
	e.interrupted = <-interrupted
	var failed *exec.ExitError
	if errors.As(err, &failed) {
		if e.exit = failed.ExitCode(); e.exit >= 0 {
			return e, nil
		}
		e.exit = 1
		return e, fmt.Errorf("%s: %v", tc.Go, failed) // by a signal
	}
	return e, err
}

// showUsage has the go command say how it is used.
func showUsage(c *gocmd.Command) (exit int, err error) {
	e, err := run(&toolchain.Toolchain{Go: c.Go}, c.Args(), new(workDir), nil)
	return e.exit, err
}
