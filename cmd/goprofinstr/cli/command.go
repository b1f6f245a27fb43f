package cli

import (
	"errors"
	"flag"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/flags"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/gocmd"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/guess"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/usage"
)

// A command is a subcommand. Its function returns the exit code of the process where there is no error. Mistakes in the
// command line do not name the command: dispatch does.
type command struct {
	name     string
	run      func(c *command, args []string) (exit int, err error)
	short    string
	synopsis string // its command lines
	about    string // what help says before the flags
	flags    func() flags.Table
	notes    string // what help says after the flags
	examples string // command lines, each with what it is for behind a #

	src string // where the sources of a profile are, if -src says so

	wraps bool // its words are a go command, and flags behind them are of that
	runs  bool // its words are a program, if there are any, and flags behind them are of that
}

// commands is filled in by init because the help command refers to it.
var commands []*command

func init() {
	commands = []*command{
		wrapCommand, reportCommand, viewCommand, checkCommand, selectCommand, diffCommand, mergeCommand, coverCommand, exportCommand,
		pgoCommand, agentCommand, archiveCommand, snapshotCommand,
		auditCommand, warmCommand, doctorCommand, versionCommand, completionCommand, helpCommand,
	}
}

// find returns the command of a name, nil if there is none.
func find(name string) *command {
	at := slices.IndexFunc(commands, func(c *command) bool { return c.name == name })
	if at < 0 {
		return nil
	}
	return commands[at]
}

// commandNames returns the names of all commands.
func commandNames() (names []string) {
	for _, c := range commands {
		names = append(names, c.name)
	}
	return names
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
	if text := examples(c); text != "" {
		parts = append(parts, text+"\n")
	}
	return strings.Join(parts, "\n")
}

// indented returns lines that are set off from prose.
func indented(lines string) string { return "\t" + strings.ReplaceAll(lines, "\n", "\n\t") }

// parse parses the flags of a table. When help was asked for it prints the command's usage and done is true.
func (c *command) parse(t flags.Table, args []string) (fs *flag.FlagSet, done bool, err error) {
	fs = t.Set(c.name)
	parse := flags.Parse
	if c.wraps || c.runs {
		parse = (*flag.FlagSet).Parse
	}
	switch err := parse(fs, args); {
	case errors.Is(err, flag.ErrHelp):
		_, err := io.WriteString(os.Stdout, c.usage())
		return fs, true, err
	case err != nil:
		return fs, false, usage.Errorf("%v%s; see goprofinstr help %s", err, c.hint(t, err), c.name)
	}
	return fs, false, nil
}

// parseGo parses the go command behind the flags.
func (c *command) parseGo(fs *flag.FlagSet) (*gocmd.Command, error) {
	cmd, err := gocmd.Parse(fs.Args())
	var unknown *gocmd.UnknownFlag
	switch {
	case errors.As(err, &unknown) && fs.Lookup(unknown.Name) != nil && (unknown.Name != "o" || unknown.Verb == "run"):
		// -o of go install is meant as that of go build.
		return nil, usage.Errorf("unknown flag -%s of go %s; %s takes it before the go command",
			unknown.Name, unknown.Verb, c.name)
	case err != nil:
		return nil, usage.Errorf("%v", err)
	}
	return cmd, nil
}

// hint returns what a flag that is not defined may have been meant to be, or "".
func (c *command) hint(t flags.Table, err error) string {
	name, unknown := strings.CutPrefix(err.Error(), "flag provided but not defined: -")
	if !unknown {
		return ""
	}
	if c.wraps && gocmd.HasFlag(name) {
		return " (flags of the go command go behind it)"
	}
	if isFormat(t, name) {
		return " (did you mean -format " + name + "?)"
	}
	if hint := guess.Hint(name, "-", t.Names()); hint != "" {
		return hint
	}
	for _, other := range commands {
		if slices.Contains(other.flags().Names(), name) {
			return " (a flag of " + other.name + ")"
		}
	}
	return ""
}

// isFormat reports whether a word is a value of the flag -format.
func isFormat(t flags.Table, word string) bool {
	for _, f := range t.Flags {
		if f.Name == "format" {
			return slices.ContainsFunc(f.Choices, func(c flags.Choice) bool { return c.Value == word })
		}
	}
	return false
}

// refuseFlags refuses flags that mean nothing beside others, or with a go command of this verb; "" is for none.
func refuseFlags(t flags.Table, fs *flag.FlagSet, verb string) error {
	if why := t.Refusal(fs, verb); why != "" {
		return usage.Errorf("%s", why)
	}
	return nil
}
