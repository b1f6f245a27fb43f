package flags

import (
	"flag"
	"slices"
	"strings"
)

// Refusal returns why a flag that was given means nothing beside the others, or with a go command of this verb; ""
// if all mean something. The flag set is one of the table.
func (t Table) Refusal(fs *flag.FlagSet, verb string) string {
	for _, f := range t.Flags {
		if given := fs.Lookup(f.Name); given.Value.String() == given.DefValue {
			continue
		}
		if f.Verbs != nil && !slices.Contains(f.Verbs, verb) {
			return "-" + f.Name + " is for go " + strings.Join(f.Verbs, " and go ")
		}
		if f.Only == nil {
			continue
		}
		if value := fs.Lookup(f.Only.Flag).Value.String(); !slices.Contains(f.Only.Values, value) {
			return f.Only.sentence(t.sharing(f.Only), value)
		}
	}
	return ""
}

// sharing returns the flags with one rule.
func (t Table) sharing(o *Only) (names []string) {
	for _, f := range t.Flags {
		if f.Only == o {
			names = append(names, "-"+f.Name)
		}
	}
	return names
}

// sentence says what flags are for, and why they are not for a value of the other flag.
func (o *Only) sentence(names []string, value string) string {
	verb, or := "is for", " and "
	switch {
	case o.Needs && len(names) > 1:
		verb, or = "need", " or "
	case o.Needs:
		verb, or = "needs", " or "
	case len(names) > 1:
		verb = "are for"
	}
	s := list(names, " and ") + " " + verb + " -" + o.Flag + " " + list(o.Values, or)
	why, ok := o.Why[value]
	if !ok {
		why = o.Why[""]
	}
	if why != "" {
		s += "; " + why
	}
	return s
}

// list returns names as a list in prose, with a word before the last.
func list(names []string, word string) string {
	last := len(names) - 1
	if last == 0 {
		return names[0]
	}
	return strings.Join(names[:last], ", ") + word + names[last]
}
