package flags

import (
	"flag"
	"slices"
)

// Parse parses the flags in args, which may stand before, between and after the other words. What follows "--" are words,
// whatever they look like. The words are the arguments of the flag set then.
func Parse(fs *flag.FlagSet, args []string) error {
	var behind []string
	if at := slices.Index(args, "--"); at >= 0 {
		args, behind = args[:at], args[at+1:]
	}
	var words []string
	for {
		if err := fs.Parse(args); err != nil {
			return err
		}
		if fs.NArg() == 0 {
			return fs.Parse(slices.Concat([]string{"--"}, words, behind))
		}
		words = append(words, fs.Arg(0))
		args = fs.Args()[1:]
	}
}

// Names returns the names of the flags, without dashes.
func (t Table) Names() (names []string) {
	for _, f := range t.Flags {
		names = append(names, f.Name)
	}
	return names
}
