package main

import (
	"fmt"
	"io"
	"os"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/flags"
)

var helpCommand = &command{
	name:     "help",
	short:    "say more about a command",
	synopsis: "goprofinstr help [-markdown] [command or topic]",
	flags:    func() flags.Table { return new(helpFlags).table() },
}

func init() { helpCommand.run = runHelp }

// helpFlags are the flags of help.
type helpFlags struct{ markdown bool }

func (f *helpFlags) table() flags.Table {
	return flags.Table{Column: 18, Flags: []flags.Flag{
		{Name: "markdown", Var: &f.markdown, Usage: "print all commands and flags as one page in Markdown"},
	}}
}

func runHelp(args []string) (int, error) {
	var f helpFlags
	fs, done, err := helpCommand.parse(f.table(), args)
	if done || err != nil {
		return 0, err
	}
	switch args = fs.Args(); {
	case f.markdown && len(args) > 0:
		return 0, usagef("help: -markdown is a page of all commands; leave out %s", args[0])
	case f.markdown:
		_, err := io.WriteString(os.Stdout, reference())
		return 0, err
	case len(args) == 0:
		return 0, printHelp(os.Stdout)
	}
	for _, c := range commands {
		if c.name == args[0] {
			_, err := io.WriteString(os.Stdout, c.usage())
			return 0, err
		}
	}
	for _, t := range topics {
		if t.name == args[0] {
			_, err := io.WriteString(os.Stdout, t.text)
			return 0, err
		}
	}
	return 0, usagef("no help on %q; see goprofinstr help", args[0])
}

func printHelp(w io.Writer) error {
	fmt.Fprint(w, `Goprofinstr tells which paths a Go program takes through its functions.

	goprofinstr wrap go test ./...                       run tests and count every path
	goprofinstr view -open goprofinstr.out               look at them in a browser
	goprofinstr report goprofinstr.out                   read the result
	go tool pprof -http=: goprofinstr.out/paths.pb.gz    look at it in pprof

The commands are:

`)
	for _, c := range commands {
		fmt.Fprintf(w, "\t%-8s %s\n", c.name, c.short)
	}
	fmt.Fprint(w, "\nOther topics are:\n\n")
	for _, t := range topics {
		fmt.Fprintf(w, "\t%-8s %s\n", t.name, t.short)
	}
	_, err := fmt.Fprint(w, "\nUse \"goprofinstr help <command>\" for more about a command or a topic.\n")
	return err
}
