// Package completion completes command lines of goprofinstr for shells. The scripts for them hand over the words of the
// line, and get back what the last one could become, so that they know no command and no flag themselves:
//
//	complete report -form      →  -format
//	complete report -format m  →  markdown
//
// Where nothing comes back the shell completes names of files, which is right for profile directories. What is behind
// the verb of a go command is not completed, but for ./... .
package completion

import (
	_ "embed"
	"slices"
	"strings"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/flags"
)

// A Command is a command with what its line can have.
type Command struct {
	Name, Short string
	Flags       flags.Table
	Words       []string // its first argument, if it is one of these
	Wraps       bool     // a go command follows its flags
}

// Scripts are the scripts of the shells by their names.
var Scripts = map[string]string{"bash": bash, "zsh": zsh, "fish": fish}

//go:embed script.bash
var bash string

//go:embed script.zsh
var zsh string

//go:embed script.fish
var fish string

// A Candidate is what a word could become.
type Candidate struct{ Word, About string }

// Complete returns what the last of the words could become, which may be empty. The first is the name of a command.
func Complete(commands []Command, words []string) (list []Candidate) {
	if len(words) == 0 {
		return nil
	}
	last := words[len(words)-1]
	for _, c := range candidates(commands, words[:len(words)-1], last) {
		if strings.HasPrefix(c.Word, last) {
			list = append(list, c)
		}
	}
	return list
}

// candidates returns what can stand behind words. Of the word that is begun it matters only whether it is a flag.
func candidates(commands []Command, words []string, begun string) (list []Candidate) {
	if len(words) == 0 {
		for _, c := range commands {
			list = append(list, Candidate{c.Name, c.Short})
		}
		return list
	}
	at := slices.IndexFunc(commands, func(c Command) bool { return c.Name == words[0] })
	if at < 0 {
		return nil
	}
	return commands[at].candidates(words[1:], begun)
}

func (c *Command) candidates(words []string, begun string) []Candidate {
	rest := c.skipFlags(words)
	switch {
	case c.Wraps && len(rest) > 0:
		return ofGo(rest)
	case len(words) > 0 && c.takesValue(words):
		return values(c.flag(words[len(words)-1]))
	case strings.HasPrefix(begun, "-"):
		return c.flagNames()
	case c.Wraps:
		return plain("go")
	case len(rest) == 0:
		return plain(c.Words...)
	}
	return nil
}

// ofGo returns what can stand behind the words of a go command.
func ofGo(words []string) []Candidate {
	if len(words) == 1 {
		return plain("test", "build", "run", "install")
	}
	return plain("./...")
}

// skipFlags returns what is behind flags and their values.
func (c *Command) skipFlags(words []string) []string {
	for len(words) > 0 && strings.HasPrefix(words[0], "-") {
		if words[0] == "--" {
			return words[1:]
		}
		n := 1
		if c.takesValue(words[:1]) {
			n = min(2, len(words))
		}
		words = words[n:]
	}
	return words
}

// takesValue reports whether the last of the words is a flag whose value comes next.
func (c *Command) takesValue(words []string) bool {
	f := c.flag(words[len(words)-1])
	if f == nil {
		return false
	}
	_, onOff := f.Var.(*bool)
	return !onOff
}

// flag returns the flag that a word is, nil if it is none.
func (c *Command) flag(word string) *flags.Flag {
	name := strings.TrimLeft(word, "-")
	for i := range c.Flags.Flags {
		if f := &c.Flags.Flags[i]; name != word && f.Name == name {
			return f
		}
	}
	return nil
}

func (c *Command) flagNames() (list []Candidate) {
	for _, f := range c.Flags.Flags {
		list = append(list, Candidate{"-" + f.Name, firstWords(f.Usage)})
	}
	return list
}

// values returns the values of a flag, if these are known.
func values(f *flags.Flag) (list []Candidate) {
	for _, c := range f.Choices {
		list = append(list, Candidate{c.Value, firstWords(c.Usage)})
	}
	return append(list, plain(f.Values...)...)
}

func plain(words ...string) (list []Candidate) {
	for _, w := range words {
		list = append(list, Candidate{Word: w})
	}
	return list
}

// firstWords returns what help says about a flag up to the first comma or the like: there is a line for it.
func firstWords(usage string) string {
	text := strings.Join(strings.Fields(usage), " ")
	if end := strings.IndexAny(text, ",;:("); end > 0 {
		text = text[:end]
	}
	return strings.TrimSpace(text)
}
