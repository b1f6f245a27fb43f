// Package gocmd understands the command lines of go test, build, run and install
// as the go command itself does: which words are flags, which are packages, and
// which belong to the program that is run.
package gocmd

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/guess"
	"github.com/goprofinstr/goprofinstr/rewrite/release"
)

// Command is a go command line.
type Command struct {
	Go       string   // the go command's name or path
	Verb     string   // test, build, run or install
	Dir      string   // of -C, or ""; see FindDir
	Flags    []Flag   // flags of the go command, in order; -C is not among them
	Packages []string // package arguments, or Go files; none means the current directory
	Help     bool     // the go command is asked how it is used, and does nothing else
	Rest     []string // what comes after the packages, for the program that is run, and unknown test flags

	chdir string   // Dir as it stands on the command line
	words []string // everything after the verb and -C, in order
}

// Flag is a flag of the go command.
type Flag struct {
	Name  string   // without dashes and without "test."
	Value string   // "true" for a boolean flag without a value
	Words []string // as they stand on the command line
}

// The flags of the go command, of all releases.
var (
	boolFlags      = release.Flags(func(g *release.GoCommand) []string { return g.BoolFlags })
	valueFlags     = release.Flags(func(g *release.GoCommand) []string { return g.ValueFlags })
	testBoolFlags  = release.Flags(func(g *release.GoCommand) []string { return g.TestBoolFlags })
	testValueFlags = release.Flags(func(g *release.GoCommand) []string { return g.TestValueFlags })
	loadFlags      = release.Flags(func(g *release.GoCommand) []string { return g.LoadFlags })
)

// Parse parses the words of a command, the go command first.
func Parse(args []string) (*Command, error) {
	if len(args) == 0 {
		return nil, fmt.Errorf("nothing to wrap: want go test, go build, go run or go install")
	}
	base := strings.TrimSuffix(filepath.Base(args[0]), ".exe")
	if base != "go" {
		return nil, fmt.Errorf("cannot wrap %s%s: only go test, go build, go run and go install", args[0], hint(args[0]))
	}
	c := &Command{Go: args[0]}
	args, dir, err := chdir(args[1:]) // the go command takes -C before the verb, too
	if err != nil {
		return nil, err
	}
	if len(args) == 0 {
		return nil, fmt.Errorf("nothing to wrap: want go test, go build, go run or go install")
	}
	c.Verb, args = args[0], args[1:]
	if dir == "" {
		if args, dir, err = chdir(args); err != nil {
			return nil, err
		}
	}
	c.Dir, c.chdir, c.words = dir, dir, slices.Clone(args)
	args = c.words
	switch c.Verb {
	case "test":
		return c, c.parseTest(args)
	case "build", "install", "run":
		return c, c.parse(args)
	}
	return nil, fmt.Errorf("cannot wrap go %s%s: only go test, go build, go run and go install",
		c.Verb, guess.Hint(c.Verb, "go ", verbs))
}

// An UnknownFlag is the error of a flag that the go command does not have.
type UnknownFlag struct{ Name, Verb, hint string }

func (e *UnknownFlag) Error() string {
	return fmt.Sprintf("unknown flag -%s of go %s%s", e.Name, e.Verb, e.hint)
}

// verbs are the go commands that build programs.
var verbs = []string{"test", "build", "run", "install"}

// hint returns what somebody may have meant who has not begun with a go command; "" if there is nothing to guess.
func hint(word string) string {
	switch {
	case slices.Contains(verbs, word):
		return " (did you mean go " + word + "?)"
	case word == "." || strings.Contains(word, "..."):
		return " (did you mean go test " + word + "?)"
	case strings.HasSuffix(word, ".go"):
		return " (did you mean go run " + word + "?)"
	}
	return ""
}

// HasFlag reports whether a go command has a flag, which is given without a dash.
func HasFlag(name string) bool {
	all := slices.Concat(boolFlags, valueFlags, testBoolFlags, testValueFlags)
	return slices.Contains(all, name)
}

// chdir takes off -C, which must be the first flag.
func chdir(args []string) (rest []string, dir string, err error) {
	if len(args) == 0 {
		return args, "", nil
	}
	name, value, hasValue := split(args[0])
	switch {
	case name != "C":
		return args, "", nil
	case hasValue:
		return args[1:], value, nil
	case len(args) == 1:
		return nil, "", fmt.Errorf("flag -C of the go command needs a value")
	}
	return args[2:], args[1], nil
}

// parse parses the words of go build, install and run: flags, then packages, and
// for run the program's arguments.
func (c *Command) parse(args []string) error {
	extra := []string{}
	switch c.Verb {
	case "build":
		extra = []string{"o"}
	case "run":
		extra = []string{"exec"}
	}
	for len(args) > 0 && isFlag(args[0]) {
		if args[0] == "--" {
			args = args[1:]
			break
		}
		f, n, known, err := next(args, boolFlags, slices.Concat(extra, valueFlags))
		if err != nil {
			return err
		}
		if c.Help = isHelp(f); c.Help {
			return nil
		}
		if !known {
			known := slices.Concat(extra, boolFlags, valueFlags)
			return &UnknownFlag{f.Name, c.Verb, guess.Hint(f.Name, "-", known)}
		}
		c.Flags = append(c.Flags, f)
		args = args[n:]
	}
	if c.Verb != "run" {
		c.Packages = args
		return nil
	}
	n := 0
	for n < len(args) && strings.HasSuffix(args[n], ".go") {
		n++
	}
	if n == 0 && len(args) > 0 {
		n = 1
	}
	c.Packages, c.Rest = args[:n], args[n:]
	return nil
}

// parseTest parses the words of go test as cmd/go/internal/test does: the packages
// are the first run of words that are not flags; unknown flags are for the test binary,
// and after one of these no packages can follow. The word behind one may be its value, and
// flags of the go command may follow. The test binary gets -- too, and -args only where
// others are for it already: so Rest has -args in front, if at all.
func (c *Command) parseTest(args []string) error {
	bools, values := slices.Concat(testBoolFlags, boolFlags), slices.Concat(testValueFlags, valueFlags)
	seenPackages, mayHaveValue := false, false
	for len(args) > 0 {
		word, mayBeValue := args[0], mayHaveValue
		mayHaveValue = false
		switch {
		case word == "-args" || word == "--args":
			c.Rest = slices.Concat(args[:1], c.Rest, args[1:])
			return nil
		case word == "--":
			c.Rest = append(c.Rest, args...)
			return nil
		case mayBeValue && !isFlag(word):
			c.Rest, args = append(c.Rest, word), args[1:]
		case !isFlag(word):
			if seenPackages {
				c.Rest = append(c.Rest, args...)
				return nil
			}
			n := 0
			for n < len(args) && !isFlag(args[n]) {
				n++
			}
			c.Packages, args, seenPackages = args[:n], args[n:], true
		default:
			f, n, known, err := next(args, bools, values)
			if err != nil {
				return err
			}
			c.Help = c.Help || isHelp(f)
			if known {
				c.Flags = append(c.Flags, f)
			} else {
				c.Rest = append(c.Rest, f.Words...)
				seenPackages, mayHaveValue = true, !strings.Contains(word, "=")
			}
			args = args[n:]
		}
	}
	return nil
}

// isHelp reports whether a flag is the one that all flag sets have.
func isHelp(f Flag) bool { return f.Name == "h" || f.Name == "help" }

func isFlag(word string) bool { return len(word) > 1 && word[0] == '-' }

// split takes a flag apart.
func split(word string) (name, value string, hasValue bool) {
	if !isFlag(word) {
		return "", "", false
	}
	return cut(strings.TrimPrefix(word[1:], "-"))
}

func cut(s string) (name, value string, hasValue bool) {
	return strings.Cut(s, "=")
}

// next parses the flag at the start of args and returns how many words it takes.
func next(args []string, bools, values []string) (f Flag, n int, known bool, err error) {
	name, value, hasValue := split(args[0])
	f = Flag{Name: strings.TrimPrefix(name, "test."), Value: value, Words: args[:1]}
	switch {
	case slices.Contains(bools, f.Name):
		if !hasValue {
			f.Value = "true"
		}
		return f, 1, true, nil
	case !slices.Contains(values, f.Name):
		f.Name = name
		return f, 1, false, nil
	case hasValue:
		return f, 1, true, nil
	case len(args) == 1:
		return f, 0, true, fmt.Errorf("flag -%s of the go command needs a value", f.Name)
	}
	f.Value, f.Words = args[1], args[:2]
	return f, 2, true, nil
}

// Lookup returns the value of the last flag with the given name.
func (c *Command) Lookup(name string) (value string, ok bool) {
	for _, f := range c.Flags {
		if f.Name == name {
			value, ok = f.Value, true
		}
	}
	return value, ok
}

// Is reports whether a boolean flag is set.
func (c *Command) Is(name string) bool {
	value, ok := c.Lookup(name)
	return ok && IsTrue(value)
}

// IsTrue reports whether the value of a boolean flag is true. The go command refuses one that is no boolean.
func IsTrue(value string) bool {
	on, err := strconv.ParseBool(value)
	return on || err != nil
}

// Remove takes all flags with the given name off the command line.
func (c *Command) Remove(name string) {
	for _, f := range c.Flags {
		if f.Name == name {
			for i := range f.Words {
				f.Words[i] = removed // the words of the command line itself
			}
		}
	}
	c.Flags = slices.DeleteFunc(c.Flags, func(f Flag) bool { return f.Name == name })
}

// ArgsFor returns the command line of go test without the go command itself, for other packages, and without what is
// for their tests.
func (c *Command) ArgsFor(packages []string) []string {
	args := []string{c.Verb}
	if c.chdir != "" {
		args = append(args, "-C", c.chdir)
	}
	for _, f := range c.Flags {
		args = append(args, f.Words...)
	}
	return append(args, packages...)
}

// removed marks a word to be removed. No argument of a process can have this byte.
const removed = "\x00"

// LoadFlags returns the flags that `go list` needs to see the same packages.
func (c *Command) LoadFlags() []string {
	var flags []string
	for _, f := range c.Flags {
		if slices.Contains(loadFlags, f.Name) {
			flags = append(flags, fmt.Sprintf("-%s=%s", f.Name, f.Value))
		}
	}
	return flags
}

// Args returns the command line without the go command itself, with extra
// flags before the user's, so that those can override them.
func (c *Command) Args(extra ...string) []string {
	args := []string{c.Verb}
	if c.chdir != "" {
		args = append(args, "-C", c.chdir)
	}
	args = append(args, extra...)
	for _, word := range c.words {
		if word != removed {
			args = append(args, word)
		}
	}
	return args
}
