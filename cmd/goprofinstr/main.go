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
//	goprofinstr help [topic]
//
// See `goprofinstr help` and the README.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/goprofinstr/goprofinstr/export"
)

// A command is a subcommand. Its function returns the exit code of the
// process where there is no error.
type command struct {
	name  string
	run   func(args []string) (exit int, err error)
	short string
	usage string
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
	fmt.Fprintf(os.Stderr, "goprofinstr: %s\n", export.PrintableText(err.Error()))
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

// newFlags returns a flag set that leaves it to Main to print errors.
func newFlags(c *command) *flag.FlagSet {
	fs := flag.NewFlagSet(c.name, flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	return fs
}

// parse parses flags. When help was asked for it prints the command's usage and done is true.
func parse(fs *flag.FlagSet, c *command, args []string) (done bool, err error) {
	switch err := fs.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		_, err := io.WriteString(os.Stdout, c.usage)
		return true, err
	case err != nil:
		return false, usagef("%s: %v; see goprofinstr help %s", c.name, err, c.name)
	}
	return false, nil
}
