// Package cli is the command goprofinstr: its subcommands, a file each. It is a package of its own, so that
// cmd/goprofinstr and cmd/gpi can be the same program. It is no API: nobody else should import it.
package cli

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/alone"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/gocmd"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/gorun"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/guess"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/toolexec"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/usage"
	"github.com/goprofinstr/goprofinstr/internal/show"
)

// Main runs the command line and returns the exit code: that of the wrapped command if there
// is one, 2 for mistakes in the command line, 1 for other errors. It is the one
// place that turns errors into messages and exit codes.
func Main(args []string) int {
	exit, err := dispatch(args)
	var mistake *usage.Error
	switch {
	case err == nil:
		return exit
	case errors.As(err, &mistake):
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

func dispatch(args []string) (exit int, err error) {
	if len(args) == 0 {
		return 2, printHelp(os.Stderr)
	}
	name := args[0]
	switch name {
	case toolexec.Name:
		return toolexec.Run(args[1:])
	case alone.Name:
		return alone.Run(args[1:])
	case gorun.Idle:
		return 0, nil
	case completeName:
		return 0, complete(args[1:])
	case "-h", "-help", "--help":
		name = "help"
	case "-version", "--version":
		name = "version"
	}
	c := find(name)
	if c == nil {
		return 0, usage.Errorf("unknown command %q%s; see goprofinstr help", name, commandHint(name, args[1:]))
	}
	exit, err = c.run(c, args[1:])
	var mistake *usage.Error
	if errors.As(err, &mistake) {
		err = fmt.Errorf("%s: %w", c.name, err)
	}
	return exit, err
}

// commandHint returns what somebody may have meant with a name that no command has, or "". others are the words behind it.
func commandHint(name string, others []string) string {
	if name == "go" {
		return " (did you mean wrap go?)"
	}
	if strings.HasPrefix(name, "-") {
		return flagHint(name, others)
	}
	if _, err := gocmd.Parse([]string{"go", name}); err == nil {
		return " (did you mean wrap go " + name + "?)"
	}
	return guess.Hint(name, "", commandNames())
}

// flagHint returns where a flag belongs that stands where a command should, or "": behind the command among the others, or else
// behind the first that has such a flag.
func flagHint(word string, others []string) string {
	name, _, _ := strings.Cut(strings.TrimLeft(word, "-"), "=")
	var named []*command
	for _, other := range others {
		if c := find(other); c != nil {
			named = append(named, c)
		}
	}
	for _, c := range slices.Concat(named, commands) {
		if slices.Contains(c.flags().Names(), name) {
			return fmt.Sprintf(" (flags stand behind the command: goprofinstr %s -%s)", c.name, name)
		}
	}
	return ""
}
