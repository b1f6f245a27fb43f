package cli

import (
	"errors"
	"flag"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/flags"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/usage"
)

// A command is a subcommand. Its function returns the exit code of the
// process where there is no error. Mistakes in the command line do not name the command: main does.
type command struct {
	name     string
	run      func(c *command, args []string) (exit int, err error)
	short    string
	synopsis string // its command lines
	about    string // what help says before the flags
	flags    func() flags.Table
	notes    string // what help says after the flags
}

// commands is filled in by init because the help command refers to it.
var commands []*command

func init() {
	commands = []*command{wrapCommand, reportCommand, viewCommand, checkCommand, diffCommand, mergeCommand,
		exportCommand, auditCommand, doctorCommand, helpCommand}
}

// find returns the command of a name, nil if there is none.
func find(name string) *command {
	at := slices.IndexFunc(commands, func(c *command) bool { return c.name == name })
	if at < 0 {
		return nil
	}
	return commands[at]
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

// parse parses the flags of a table. When help was asked for it prints the command's usage and done is true.
func (c *command) parse(t flags.Table, args []string) (fs *flag.FlagSet, done bool, err error) {
	fs = t.Set(c.name)
	switch err := fs.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		_, err := io.WriteString(os.Stdout, c.usage())
		return fs, true, err
	case err != nil:
		return fs, false, usage.Errorf("%v; see goprofinstr help %s", err, c.name)
	}
	return fs, false, nil
}

// refuseFlags refuses flags that mean nothing beside others, or with a go command of this verb; "" is for none.
func refuseFlags(t flags.Table, fs *flag.FlagSet, verb string) error {
	if why := t.Refusal(fs, verb); why != "" {
		return usage.Errorf("%s", why)
	}
	return nil
}
