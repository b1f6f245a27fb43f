// Goprofinstr is a path profiler for Go programs: it tells which sequences of
// branches a program takes through its functions, and how often.
//
// Usage:
//
//	goprofinstr wrap [flags] [--] go {test|build|run|install} [go flags] [packages] [args]
//	goprofinstr report [flags] DIR
//	goprofinstr check [flags] DIR
//	goprofinstr diff [flags] OLD NEW
//	goprofinstr merge -o OUT DIR...
//	goprofinstr export [flags] DIR
//	goprofinstr view [flags] DIR
//	goprofinstr audit [flags] [--] go {test|build|run|install} [go flags] [packages] [args]
//	goprofinstr doctor
//	goprofinstr help [-markdown] [topic]
//
// See `goprofinstr help`, REFERENCE.md beside this file, which it writes, and the README.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/goprofinstr/goprofinstr/internal/show"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/flags"
)

// A command is a subcommand. Its function returns the exit code of the
// process where there is no error.
type command struct {
	name     string
	run      func(args []string) (exit int, err error)
	short    string
	synopsis string // its command lines
	about    string // what help says before the flags
	flags    func() flags.Table
	notes    string // what help says after the flags
}

// usage returns what help says about a command.
func (c *command) usage() string {
	parts := []string{"usage: " + strings.ReplaceAll(c.synopsis, "\n", "\n       ") + "\n"}
	if c.about != "" {
		parts = append(parts, c.about+"\n")
	}
	parts = append(parts, c.flags().Usage())
	if c.notes != "" {
		parts = append(parts, c.notes+"\n")
	}
	return strings.Join(parts, "\n")
}

// commands is filled in by init because the help command refers to it.
var commands []*command

func init() {
	commands = []*command{wrapCommand, reportCommand, viewCommand, checkCommand, diffCommand, mergeCommand, exportCommand, auditCommand, doctorCommand, helpCommand}
}

// A usageError is a mistake in the command line.
type usageError struct{ msg string }

func (e *usageError) Error() string { return e.msg }

func usagef(format string, args ...any) error {
	return &usageError{fmt.Sprintf(format, args...)}
}

func main() {
	os.Exit(Main(os.Args[1:]))
}

// Main runs the command line and returns the exit code: that of the wrapped command if there
// is one, 2 for mistakes in the command line, 1 for other errors. It is the one
// place that turns errors into messages and exit codes.
func Main(args []string) int {
	exit, err := dispatch(args)
	var usage *usageError
	switch {
	case err == nil:
		return exit
	case errors.As(err, &usage):
		printError(err)
		return 2
	}
	printError(err)
	if exit != 0 {
		return exit // of the wrapped command
	}
	return 1
}

// printError prints an error. What it quotes of files and arguments is nothing for a terminal to obey.
func printError(err error) {
	fmt.Fprintf(os.Stderr, "goprofinstr: %s\n", show.Lines(err.Error()))
}

func dispatch(args []string) (int, error) {
	if len(args) == 0 {
		return 2, printHelp(os.Stderr)
	}
	name := args[0]
	switch name {
	case toolexecName:
		return toolexec(args[1:])
	case "-h", "-help", "--help":
		name = "help"
	}
	for _, c := range commands {
		if c.name == name {
			return c.run(args[1:])
		}
	}
	return 0, usagef("unknown command %q; see goprofinstr help", name)
}

// parse parses the flags of a table. When help was asked for it prints the command's usage and done is true.
func (c *command) parse(t flags.Table, args []string) (fs *flag.FlagSet, done bool, err error) {
	fs = t.Set(c.name)
	switch err := fs.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		_, err := io.WriteString(os.Stdout, c.usage())
		return fs, true, err
	case err != nil:
		return fs, false, usagef("%s: %v; see goprofinstr help %s", c.name, err, c.name)
	}
	return fs, false, nil
}

// refuseFlags refuses flags that mean nothing beside others, or with a go command of this verb.
func (c *command) refuseFlags(t flags.Table, fs *flag.FlagSet, verb string) error {
	if why := t.Refusal(fs, verb); why != "" {
		return usagef("%s: %s", c.name, why)
	}
	return nil
}
