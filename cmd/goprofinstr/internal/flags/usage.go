package flags

import "strings"

// An Entry is what is said about a flag, or about one of its values, for other pages than help.
type Entry struct {
	Label string // as the flag is given: -o FILE
	For   string // with what it can be given, "" for everything
	Lines []string
}

// Entries returns what there is to say about the flags.
func (t Table) Entries() (list []Entry) {
	for _, f := range t.Flags {
		for _, text := range f.texts() {
			list = append(list, Entry{text.label, f.uses(""), text.lines})
		}
	}
	return list
}

// Usage returns what help says about the flags: a line or more for each.
func (t Table) Usage() string {
	var b strings.Builder
	for _, f := range t.Flags {
		for _, text := range f.texts() {
			t.entry(&b, text.label, text.lines)
		}
	}
	return b.String()
}

// entry writes what help says about one flag, or about one of its values. A label that reaches the column of the
// texts has a line for itself.
func (t Table) entry(b *strings.Builder, label string, lines []string) {
	indent := "\t" + strings.Repeat(" ", t.Column)
	first := "\t" + label
	if room := t.Column - len(label); room > 0 {
		first += strings.Repeat(" ", room)
	} else {
		first += "\n" + indent
	}
	b.WriteString(first + strings.Join(lines, "\n"+indent) + "\n")
}

// A text is what is said about a flag, or about one of its values.
type text struct {
	label string // -o FILE
	lines []string
}

func (f *Flag) texts() []text {
	if len(f.Choices) == 0 {
		return []text{{f.label(), lines(f.Usage)}}
	}
	var list []text
	for _, c := range f.Choices {
		list = append(list, text{"-" + f.Name + " " + c.Value, lines(c.Usage)})
	}
	return list
}

// label returns the flag as it is given.
func (f *Flag) label() string {
	switch {
	case f.Value == "":
		return "-" + f.Name
	case strings.HasPrefix(f.Value, "="):
		return "-" + f.Name + f.Value
	}
	return "-" + f.Name + " " + f.Value
}

func lines(s string) []string {
	list := strings.Split(s, "\n")
	for i := range list {
		list[i] = strings.TrimLeft(list[i], "\t")
	}
	return list
}
