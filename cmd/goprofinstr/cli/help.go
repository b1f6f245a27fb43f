package cli

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/flags"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/glossary"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/guess"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/usage"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/version"
	"github.com/goprofinstr/goprofinstr/sampler/stream"
)

var helpCommand = &command{
	name:     "help",
	run:      runHelp,
	short:    "say more about a command",
	synopsis: "goprofinstr help [-markdown] [-man] [command or topic]",
	flags:    func() flags.Table { return new(helpFlags).table() },
}

// helpFlags are the flags of help.
type helpFlags struct{ markdown, man bool }

func (f *helpFlags) table() flags.Table {
	return flags.Table{Column: 18, Flags: []flags.Flag{
		{Name: "markdown", Var: &f.markdown, Usage: "print all commands and flags as one page in Markdown"},
		{Name: "man", Var: &f.man, Usage: "print them as a page for man, for man -l or a folder man1"},
	}}
}

func runHelp(c *command, args []string) (int, error) {
	var f helpFlags
	fs, done, err := c.parse(f.table(), args)
	if done || err != nil {
		return 0, err
	}
	switch args = fs.Args(); {
	case f.markdown && f.man:
		return 0, usage.Errorf("-markdown and -man are the same in two forms; give one of them")
	case (f.markdown || f.man) && len(args) > 0:
		return 0, usage.Errorf("-markdown and -man are pages of all commands; leave out %s", args[0])
	case len(args) > 1:
		return 0, usage.Errorf("want one command or topic, got %d: %s", len(args), strings.Join(args, " "))
	case f.man:
		_, err := io.WriteString(os.Stdout, ManPage(version.Read().Version, ""))
		return 0, err
	case f.markdown:
		_, err := io.WriteString(os.Stdout, Reference())
		return 0, err
	case len(args) == 0:
		return 0, printHelp(os.Stdout)
	}
	if c := find(args[0]); c != nil {
		_, err := io.WriteString(os.Stdout, c.usage())
		return 0, err
	}
	for _, t := range topics {
		if t.name == args[0] {
			_, err := io.WriteString(os.Stdout, t.text)
			return 0, err
		}
	}
	hint := guess.Hint(args[0], "", slices.Concat(commandNames(), topicNames()))
	return 2, fmt.Errorf("no help on %q%s; see goprofinstr help", args[0], hint) // no mistake of the command help
}

// intro is what help begins with.
const intro = `Goprofinstr tells which paths a Go program takes through its functions.

	goprofinstr wrap go test ./...                       run tests and count every path
	goprofinstr view -open                               look at them in a browser
	goprofinstr report                                   read the result
	go tool pprof -http=: goprofinstr.out/paths.pb.gz    look at it in pprof
`

func printHelp(w io.Writer) error {
	fmt.Fprint(w, intro+"\nThe commands are:\n\n")
	for _, c := range commands {
		fmt.Fprintf(w, "\t%-10s %s\n", c.name, c.short)
	}
	fmt.Fprint(w, "\nOther topics are:\n\n")
	for _, t := range topics {
		fmt.Fprintf(w, "\t%-10s %s\n", t.name, t.short)
	}
	_, err := fmt.Fprint(w, "\nUse \"goprofinstr help <command>\" for more about a command or a topic.\n")
	return err
}

// A topic is something to get help on that is no command.
type topic struct{ name, short, text string }

var topics = []topic{
	{"words", "what the words of reports mean", glossary.Text()},
	{"sampler", "what -sampler of wrap takes", samplerText},
}

// topicNames returns the names of all topics.
func topicNames() (names []string) {
	for _, t := range topics {
		names = append(names, t.name)
	}
	return names
}

const samplerText = `The flag -sampler of goprofinstr wrap says which path ends are samples.

With -mode sampled there is a tick each 10 ms of CPU time (-period), and of the path ends after it

	pep(64,17)      64 in a row, after skipping up to 16 (the default)
	ag(64,17)       64, one in 17
	timer           the first

are samples (Bond & McKinley, Continuous path and edge profiling). What a program does in between costs little, and is estimated.

With -mode stratified functions with up to 65536 paths are counted (-count-up-to). The path ends of others are a stream of events, and samples are

` + stream.Grammar + `
(Sastry, Bodík & Smith, Rapid profiling via stratified sampling). The default is H[P256]2048. It and P256 are code in line, and sample
each thread by itself; others take a call for each event, and are there to be compared. With H[P…]… and P… the first event of each stratum is a
sample, and the samples of a stratum stand for all events of it: estimates add up to the number of path ends, whatever ends the
program. A path that has a stratum for itself is exact. More strata are better and take memory, 4 bytes each for each thread; a lower rate
is better and slower. -count-up-to 0 samples everything. Paths that share a stratum and come in turn are told apart by a prime rate, such as 257, or by B. What was not
seen may have been executed all the same, and callers are not known.
`
