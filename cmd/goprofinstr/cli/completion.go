package cli

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/completion"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/flags"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/guess"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/usage"
)

// shells are those that there are scripts for.
var shells = []string{"bash", "zsh", "fish"}

var completionCommand = &command{
	name:     "completion",
	run:      runCompletion,
	short:    "print a script that completes command lines in a shell",
	synopsis: `goprofinstr completion bash|zsh|fish`,
	about: `Completion prints a script that has the shell complete commands, flags and their values, of gpi as well. The script
asks goprofinstr each time, so it need not be renewed.`,
	flags: func() flags.Table { return flags.Table{} },
	examples: `source <(goprofinstr completion bash)                   # in ~/.bashrc
source <(goprofinstr completion zsh)                    # in ~/.zshrc, behind compinit
goprofinstr completion fish >~/.config/fish/completions/goprofinstr.fish`,
}

func runCompletion(c *command, args []string) (int, error) {
	fs, done, err := c.parse(c.flags(), args)
	if done || err != nil {
		return 0, err
	}
	known := strings.Join(shells, ", ")
	if fs.NArg() != 1 {
		return 0, usage.Errorf("want the name of a shell: %s", known)
	}
	script, ok := completion.Scripts[fs.Arg(0)]
	if !ok {
		return 0, usage.Errorf("unknown shell %q%s; want one of %s", fs.Arg(0), guess.Hint(fs.Arg(0), "", shells), known)
	}
	_, err = io.WriteString(os.Stdout, script)
	return 0, err
}

// completeName is the name of the command that the scripts call. It is for nobody else, and not in the help.
const completeName = "complete"

// complete prints what the last of the words could become, each with what it is about behind a tab.
func complete(words []string) error {
	var known []completion.Command
	for _, c := range commands {
		k := completion.Command{Name: c.name, Short: c.short, Flags: c.flags(), Wraps: c.wraps}
		switch c {
		case helpCommand:
			k.Words = slices.Concat(commandNames(), topicNames())
		case completionCommand:
			k.Words = shells
		case archiveCommand:
			k.Words = archiveVerbNames
		}
		known = append(known, k)
	}
	for _, c := range completion.Complete(known, words) {
		line := c.Word
		if c.About != "" {
			line += "\t" + c.About
		}
		if _, err := fmt.Println(line); err != nil {
			return err
		}
	}
	return nil
}
