package main

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/gocmd"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/instrument"
	"github.com/goprofinstr/goprofinstr/export"
	"github.com/goprofinstr/goprofinstr/export/profile"
	"github.com/goprofinstr/goprofinstr/ssacfg/table"
)

// check refuses flags of wrap that cannot be honoured.
func (f *wrapFlags) check(c *gocmd.Command) error {
	var err error
	if f.left, err = instrument.ParseWithout(f.without); err != nil {
		return usagef("wrap: -without: %v", err)
	}
	switch {
	case f.out == "":
		return usagef("wrap: -o needs the name of a directory")
	case f.coverprofile != "" && c.Verb != "test":
		return usagef("wrap: -coverprofile is for go test")
	}
	if f.perTest && c.Verb != "test" {
		return usagef("wrap: -per-test is for go test")
	}
	if err := checkPatterns("wrap", f.patterns()); err != nil {
		return err
	}
	return f.settleMode(c)
}

func (f *wrapFlags) patterns() []string { return fields(f.pkg) }

// checkPatterns refuses patterns of -pkg that the go command does not take for -coverpkg either.
func checkPatterns(command string, patterns []string) error {
	for _, p := range patterns {
		if filepath.IsAbs(p) {
			return usagef("%s: -pkg %s: want import paths, as in example.com/m/..., or folders, as in ./...", command, p)
		}
	}
	return nil
}

// refuse refuses what the go command would build without our code, or what this
// tool cannot follow, rather than drop it silently.
func refuse(by *command, c *gocmd.Command, tc *instrument.Toolchain) error {
	for _, name := range gocmd.CoverFlags {
		// With any of these the go command instruments the files itself, from the originals: golang/go#73802.
		if _, ok := c.Lookup(name); ok || inGoflags(tc, name) {
			return usagef("%s: the go command ignores instrumented files under -%s; run go %s with -%s without goprofinstr", by.name, name, c.Verb, name)
		}
	}
	if mode, _ := c.Lookup("buildmode"); slices.Contains([]string{"plugin", "c-archive", "c-shared", "shared"}, mode) {
		return usagef("%s: -buildmode=%s is not supported: the runtime needs a Go program of its own", by.name, mode)
	}
	if inGoflags(tc, "overlay") {
		return usagef("%s: -overlay in GOFLAGS is not supported; give it on the command line", by.name)
	}
	for _, p := range c.Packages {
		if c.Verb != "test" && strings.Contains(p, "@") {
			return usagef("%s: %s: packages of other modules, by version, are not supported; run in the module's own folder", by.name, p)
		}
	}
	return nil
}

func inGoflags(tc *instrument.Toolchain, name string) bool {
	for _, word := range strings.Fields(tc.GOFLAGS) {
		flag, _, _ := strings.Cut(strings.TrimLeft(word, "-"), "=")
		if flag == name {
			return true
		}
	}
	return false
}

// runs reports whether the go command runs what it builds.
func runs(c *gocmd.Command) bool {
	return c.Verb == "run" || c.Verb == "test" && !c.Is("c")
}

// goFlags returns the flags that make the go command build instrumented files.
func (w *wrap) goFlags(target *instrument.Target) ([]string, error) {
	c := w.cmd
	gcflags, err := target.Inlining.GoFlags()
	if err != nil {
		return nil, err
	}
	c.Remove("overlay") // is part of ours
	if len(gcflags) > 0 {
		c.Remove("gcflags") // are among ours
	}
	ldflags, err := linkFlags(c, w.tc, w.out)
	if err != nil {
		return nil, err
	}
	return slices.Concat([]string{"-overlay=" + target.Overlay}, gcflags, ldflags, testFlags(c)), nil
}

// linkFlags returns the flags that tell programs which are run where to write their data; out is nil if none is.
func linkFlags(c *gocmd.Command, tc *instrument.Toolchain, out *profile.Dir) ([]string, error) {
	if out == nil {
		return nil, nil
	}
	flags, err := instrument.LinkFlags(c, tc, out.Running())
	if len(flags) > 0 {
		c.Remove("ldflags") // are among these
	}
	return flags, err
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
func run(tc *instrument.Toolchain, args []string, work *workDir, out *profile.Dir) (e ending, err error) {
	cmd := exec.Command(tc.Go, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.Env = tc.Environ()
	if out != nil {
		cmd.Env = append(cmd.Env, profile.DirVar+"="+out.Running(), inside(out.Path))
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
				interrupted <- came
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
	e, err := run(&instrument.Toolchain{Go: c.Go}, c.Args(), new(workDir), nil)
	return e.exit, err
}

// giveUp ends a wrap whose packages cannot be listed. The go command says what is wrong with
// them in its own words, and with its own exit code; only if it has nothing
// to say, the trouble is ours.
func giveUp(c *gocmd.Command, tc *instrument.Toolchain, work *workDir, trouble error) (int, error) {
	var usage *instrument.UsageError
	if errors.As(trouble, &usage) {
		return 0, usagef("wrap: %v", usage)
	}
	if e, err := run(tc, c.Args(), work, nil); err != nil || e.exit != 0 {
		return e.exit, err
	}
	return 1, trouble
}

// printBuilt says what was instrumented in programs that have yet to run, and what was not if the user wants to know.
func printBuilt(t *instrument.Target, verbose bool) error {
	fmt.Fprintf(os.Stderr, "goprofinstr: %s instrumented, %d declined; set %s to the directory for the data when you run what was built\n",
		export.Plural(t.Instrumented, "function"), t.Declined, profile.DirVar)
	if !verbose {
		return nil
	}
	for _, data := range t.Tables {
		pkg, err := table.Decode(data)
		if err != nil {
			return err
		}
		for i := range pkg.Functions {
			printDeclined(&pkg.Functions[i])
		}
	}
	return nil
}

// printDeclined prints the reason if a function was declined.
func printDeclined(f *table.Function) {
	if f.Declined != "" {
		what := fmt.Sprintf("%s (%s:%d): %s", f.Name, f.File, f.Line, f.Declined)
		fmt.Fprintf(os.Stderr, "goprofinstr: declined %s\n", export.Printable(what))
	}
}

// printInlining says where the compiler may inline less than in the packages themselves, as far as the user asks for it.
func (w *wrap) printInlining(t *instrument.Target) error {
	if w.flags.v {
		for _, path := range slices.Sorted(maps.Keys(t.Inlining.Left)) {
			fmt.Fprintf(os.Stderr, "goprofinstr: inlining is not preserved in %s: %s\n", path, t.Inlining.Left[path])
		}
		for _, file := range t.Inlining.Narrowed {
			fmt.Fprintf(os.Stderr, "goprofinstr: of the instrumented packages only that of %s is compiled with it, because several are built\n", file)
		}
		if n := t.Inlining.Outside; n > 0 {
			fmt.Fprintf(os.Stderr, "goprofinstr: inlining of instrumented functions is not preserved in %s outside of the main module\n", export.Plural(n, "package"))
		}
	}
	if !w.flags.lostInlining {
		return nil
	}
	lost, total, err := t.Inlining.Lost(t.Overlay)
	if err != nil {
		return err
	}
	n := 0
	for _, c := range lost {
		n += c.Times
	}
	fmt.Fprintf(os.Stderr, "goprofinstr: %d of %s lost\n", n, export.Plural(total, "inlining"))
	for _, c := range lost {
		fmt.Fprintf(os.Stderr, "  %s: call of %s in %s", c, c.Callee, c.Package)
		if c.Times > 1 {
			fmt.Fprintf(os.Stderr, ", %d times", c.Times)
		}
		fmt.Fprintln(os.Stderr)
	}
	return nil
}
