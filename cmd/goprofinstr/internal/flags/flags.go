// Package flags has the flags of a command in one table, with a row for each.
//
// The flag set, the text of help, the reference page and the refusals of flags that mean nothing beside others are
// made of it:
//
//	table := flags.Table{Column: 18, Flags: []flags.Flag{
//		{Name: "mode", Value: "MODE", Var: &mode, Usage: "exact or sampled"},
//		{Name: "period", Value: "DURATION", Var: &period, Usage: "the time between ticks",
//			Only: &flags.Only{Flag: "mode", Values: []string{"sampled"}}},
//	}}
//	fs := table.Set("wrap")
//	… fs.Parse(args) …
//	table.Refusal(fs, "") // "-period is for -mode sampled"
//
// Not handled are rules about more than two flags, and about their values: the commands have code for these.
package flags

import (
	"flag"
	"fmt"
	"io"
	"time"
)

// A Table has the flags of a command, in the order in which help shows them.
type Table struct {
	Column int // in which the texts of help begin
	Flags  []Flag
}

// A Flag is a row of the table.
type Flag struct {
	Name    string
	Value   string   // as help calls it: FILE; "" for a flag that is on or off, "=false" for one that is on by default
	Usage   string   // what help says, in its lines; tabs that these begin with do not count
	Choices []Choice // values that have a text each, in place of Usage
	Values  []string // values that Usage tells of, for shells that complete them
	Var     any      // what is set: a *string, *bool, *int or *time.Duration
	Default any      // of the type that Var points to; nil means its zero value
	Only    *Only    // nil means that it is for all
	Verbs   []string // of the go commands that it is for; none means all
}

// A Choice is one of the values of a flag.
type Choice struct{ Value, Usage string }

// Only says for which values of another flag some flags are. What refuses one of them names all that share it.
type Only struct {
	Flag   string // without a dash, such as mode
	Values []string
	Needs  bool              // a result of these values, which others cannot have; and not a choice to be made for them
	Why    map[string]string // why it is not for another value; that of "" is for all others
}

// Set returns a flag set of the table. It leaves it to its user to print errors.
func (t Table) Set(name string) *flag.FlagSet {
	fs := flag.NewFlagSet(name, flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	for _, f := range t.Flags {
		switch v := f.Var.(type) {
		case *string:
			fs.StringVar(v, f.Name, byDefault(f, *v), "")
		case *bool:
			fs.BoolVar(v, f.Name, byDefault(f, *v), "")
		case *int:
			fs.IntVar(v, f.Name, byDefault(f, *v), "")
		case *time.Duration:
			fs.DurationVar(v, f.Name, byDefault(f, *v), "")
		default:
			panic(fmt.Sprintf("BUG: flag -%s sets a %T", f.Name, f.Var))
		}
	}
	return fs
}

// byDefault returns the default of a flag that sets a variable of type V.
func byDefault[V any](f Flag, zero V) V {
	if f.Default == nil {
		return zero
	}
	return f.Default.(V)
}
