// Package gorun runs the go command that a user has typed in a form of its own: with an overlay, flags and an
// environment that are ours, and with a temporary folder. To the user it is the same command: its standard files,
// signals and exit code are.
//
//	r, err := gorun.New(cmd)        // finds the toolchain
//	err = r.Refuse(false)           // what would be built without our code
//	err = r.Begin(out, keep)        // makes the folder
//	defer r.End()
//	… files are written to r.Folder() …
//	args, err := r.Args(overlay, gcflags)
//	ending, err := r.Execute(args, std)
//
// What is in the overlay, and what becomes of the data, is for others.
package gorun

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/child"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/gocmd"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/outdir"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/progress"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/results"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/toolchain"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/usage"
	"github.com/goprofinstr/goprofinstr/export/profiledir"
)

// A Run is a go command that is run.
type Run struct {
	Cmd       *gocmd.Command
	Toolchain *toolchain.Toolchain
	Out       *profiledir.Dir // for the data; nil if the go command runs nothing that it builds

	// Identities are those of the test binaries of packages, by pattern, of which the go command may know the results. It
	// is told to run all tests if there are none.
	Identities map[string]string
	Link       []string // flags for the linker

	DryRun bool // nothing is run: -n asks for the command line only

	Interrupt <-chan struct{} // when it is closed, Execute asks the go command to end, as an interrupt does; nil for never

	Progress *progress.Line // of what is done before the go command and by it

	Stdout, Stderr io.Writer // of the go command in our form; those of this process unless they are set

	out  string // as the user calls it
	work *workDir
}

// New returns the run of a command, whose folder and toolchain it finds.
func New(cmd *gocmd.Command) (*Run, error) {
	cmd.FindDir()
	tc, err := toolchain.Find(cmd)
	return &Run{Cmd: cmd, Toolchain: tc, Progress: progress.New(os.Stderr), Stdout: os.Stdout, Stderr: os.Stderr}, err
}

// Begin finds the output directory for what the go command runs, and makes the temporary folder, which stays if keep
// is true.
func (r *Run) Begin(out string, keep bool) (err error) {
	r.out = out
	if r.Toolchain.Runs(r.Cmd) {
		if r.Out, err = profiledir.CheckDir(out); err != nil {
			return err
		}
	}
	return r.begin(keep)
}

// BeginBuild makes the temporary folder for a command that runs nothing, whatever its verb is.
func (r *Run) BeginBuild() error { return r.begin(false) }

func (r *Run) begin(keep bool) (err error) {
	if r.work, err = newWorkDir(r.Cmd.TempDir(), keep); err != nil {
		return err
	}
	r.Toolchain.Work, r.Toolchain.Helpers = r.work.path, child.NewHelpers(context.Background())
	r.AtSignal(r.Toolchain.Helpers.Stop)
	return nil
}

// End removes the temporary folder.
func (r *Run) End() {
	r.work.yield()
	r.work.remove()
}

// AtSignal has a function called before a signal ends this process. That may be while what it stops is just starting.
func (r *Run) AtSignal(stop func()) { r.work.atSignal(stop) }

// Folder returns the name of the temporary folder.
func (r *Run) Folder() string { return r.work.path }

// Explain returns an error with files of the temporary folder in it in words that mean something to the user.
func (r *Run) Explain(err error) error { return r.work.about(err) }

// Environ returns the environment in which Execute runs the go command.
func (r *Run) Environ() []string { return environ(r.Toolchain, r.Out) }

// Execute runs the go command, and says what it builds if that takes long.
func (r *Run) Execute(args []string, std *results.Std) (child.Ending, error) {
	if std.Missing() {
		results.SayStd()
	}
	defer std.Built()
	r.Progress.Stay()
	defer r.Progress.Watch(progress.Building())()
	return runTo(r.Stdout, r.Stderr, r.Toolchain, args, r.work, r.Out, r.Interrupt)
}

// ShowUsage has the go command say how it is used.
func ShowUsage(c *gocmd.Command) (exit int, err error) {
	e, err := run(&toolchain.Toolchain{Go: c.Go}, c.Args(), new(workDir), nil)
	return e.Exit, err
}

// GiveUp ends a command whose packages cannot be listed. The go command says what is wrong with them in its own words, and
// with its own exit code; only if it has nothing to say, the trouble is ours. The program of go run is not run then: it would not
// be the instrumented one. If nothing is to be run we have to say it.
func (r *Run) GiveUp(trouble error) (exit int, err error) {
	var mistake *usage.Error
	if errors.As(trouble, &mistake) {
		return 0, mistake
	}
	if r.DryRun || r.work.failed(trouble) != nil {
		return 0, r.Explain(trouble) // of a file of ours the go command knows nothing: it would run the program
	}
	var more []string
	if r.Cmd.Verb == "run" {
		flag, err := idleFlag()
		if err != nil {
			return 0, trouble
		}
		r.Cmd.Remove("exec")
		more = append(more, flag)
	}
	if e, err := run(r.Toolchain, r.Cmd.Args(more...), r.work, nil); err != nil || e.Exit != 0 {
		return e.Exit, err
	}
	return 1, trouble
}

// Show prints the command line if -n or -x ask for it. It reports whether that is all.
func (r *Run) Show(args []string, x bool) (done bool) {
	if r.DryRun || x {
		fmt.Fprintln(os.Stderr, r.line(args))
	}
	if r.DryRun && !r.work.kept {
		fmt.Fprintln(os.Stderr, "goprofinstr: the files of -overlay are removed; "+
			"to run this command, print it with -n -work, which keeps them")
	}
	return r.DryRun
}

// line returns the command line for a shell, with what its environment needs.
func (r *Run) line(args []string) string {
	var line strings.Builder
	for _, setting := range r.Toolchain.Env {
		name, value, _ := strings.Cut(setting, "=")
		line.WriteString(name + "=" + shellLine([]string{value}) + " ") // of a name in quotation marks a shell makes a command
	}
	return line.String() + shellLine(append([]string{r.Toolchain.Go}, args...))
}

// WarnOfOut tells the user of an -o that means nothing: the command runs no program that could write there.
func (r *Run) WarnOfOut() {
	if r.out != outdir.Default {
		fmt.Fprintf(os.Stderr, "goprofinstr: warning: -o %s is left unused, since go %s runs nothing; "+
			"programs write to the directory $%s\n", r.out, r.Cmd.Verb, profiledir.Var)
	}
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
