package guide

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// A page is a page of the guide. Its first line says in which example its commands run:
//
//	<!-- in examples/shop -->
//
// That of an example's README has a dot: they run in the folder above examples.
//
// Commands stand in blocks of kind console, behind "$ ", or "> " where one goes on, and what they print stands below. A line
// of three dots is any number of lines. Times may differ; in blocks with the word shape all numbers may, and how columns are
// aligned. In those with the word estimates all may differ, and commands need only succeed: they sample, or measure times.
//
// In tables with these headings the first column has commands, and the second what is among what they print:
//
//	| command | it says | what to do |
type page struct {
	example  string
	text     []string // lines; nil stands for the next command with what it prints
	commands []command
	at       []int // of commands, in text; -1 of those in tables
}

type command struct {
	line   int // from 1
	text   string
	output []string
	shape  bool
	loose  bool   // all that it prints may differ
	among  string // of a command in a table: a part of what it prints
}

const bar = "\x00" // stands for | in a cell, which is \| in Markdown

const tableHead = "| command | it says |"

var (
	example = regexp.MustCompile(`^<!-- in (\S+) -->$`)
	row     = regexp.MustCompile("^\\| `(.+?)` \\| `(.+?)` \\|")
)

// parse reads a page.
func parse(text string) (*page, error) {
	p := new(page)
	all := strings.SplitAfter(text, "\n")
	if m := example.FindStringSubmatch(strings.TrimSpace(all[0])); m != nil {
		p.example = m[1]
	}
	inside, word, table := false, "", false
	for i, l := range all {
		l := strings.TrimSuffix(l, "\n")
		switch {
		case !inside && strings.HasPrefix(l, "```console"):
			inside, word = true, strings.TrimPrefix(l, "```console")
		case !inside && !table:
			table = strings.HasPrefix(l, tableHead)
		case !inside:
			table = strings.HasPrefix(l, "|")
			if m := row.FindStringSubmatch(strings.ReplaceAll(l, `\|`, bar)); m != nil {
				text := strings.NewReplacer(bar, "|").Replace
				p.at = append(p.at, -1)
				p.commands = append(p.commands, command{line: i + 1, text: text(m[1]), among: text(m[2])})
			} else if table && !strings.HasPrefix(l, "|--") {
				return nil, fmt.Errorf("line %d: no command and what it says", i+1)
			}
		case l == "```":
			inside = false
		case strings.HasPrefix(l, "$ "):
			p.at = append(p.at, len(p.text))
			p.text = append(p.text, "")
			c := command{line: i + 1, text: l[2:], shape: word == " shape", loose: word == " estimates"}
			p.commands = append(p.commands, c)
			continue
		case len(p.commands) == 0 || p.at[len(p.at)-1] != len(p.text)-1:
			return nil, fmt.Errorf("line %d: no command before what it prints", i+1)
		default:
			c := &p.commands[len(p.commands)-1]
			if more, ok := strings.CutPrefix(l, ">"); ok && len(c.output) == 0 {
				c.text += "\n" + strings.TrimPrefix(more, " ")
			} else {
				c.output = append(c.output, l)
			}
			continue
		}
		p.text = append(p.text, all[i])
	}
	switch {
	case inside:
		return nil, fmt.Errorf("line %d: a block has no end", len(all))
	case len(p.commands) > 0 && p.example == "":
		return nil, fmt.Errorf("line 1: no comment says in which example commands run")
	}
	return p, nil
}

func (p *page) String() string {
	var b strings.Builder
	for i, l := range p.text {
		if k := slices.Index(p.at, i); k >= 0 {
			c := &p.commands[k]
			text := strings.ReplaceAll(strings.ReplaceAll(c.text, "\n", "\n> "), "\n> \n", "\n>\n")
			b.WriteString("$ " + text + "\n" + join(c.output))
			continue
		}
		b.WriteString(l)
	}
	return b.String()
}

func join(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return strings.Join(list, "\n") + "\n"
}

func lines(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}
