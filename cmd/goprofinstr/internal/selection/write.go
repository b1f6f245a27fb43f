package selection

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/goprofinstr/goprofinstr/internal/show"
)

// WriteText writes the go test commands that run the selected tests, and then one that compiles the packages of which no test is
// selected. With reasons, comments say before each command why.
func (s *Selection) WriteText(w io.Writer, reasons bool) error {
	out := bufio.NewWriter(w)
	var all []string
	for _, p := range s.Packages {
		if reasons {
			for _, r := range p.Reasons {
				fmt.Fprintf(out, "# %s: %s\n", name{p.Path, r.Test}, show.Printable(r.Why))
			}
		}
		if p.All {
			all = append(all, p.Path)
			continue
		}
		fmt.Fprintln(out, s.command("^("+strings.Join(p.Tests, "|")+")$", p.Path))
	}
	if len(all) > 0 {
		fmt.Fprintln(out, s.command(s.Run, all...)) // what was left out when the profile was made still is
	}
	if len(s.Compiled) > 0 {
		if reasons {
			fmt.Fprintln(out, "# no test of these is selected, and what they are compiled from has changed")
		}
		fmt.Fprintln(out, s.command("^$", s.Compiled...))
	}
	return out.Flush()
}

// String returns what a test is called in reasons.
func (n name) String() string {
	if n.key == "" {
		return n.pkg + ", all tests"
	}
	return n.pkg + "." + n.key
}

// command returns a command line of a shell.
func (s *Selection) command(run string, packages ...string) string {
	words := s.words(run)
	for i, word := range words {
		words[i] = quoted(word)
	}
	words = append(words, packages...)
	for _, word := range s.Rest {
		words = append(words, quoted(word))
	}
	return strings.Join(words, " ")
}

// words returns a command up to its packages.
func (s *Selection) words(run string) []string {
	words := slices.Concat([]string{s.Go, "test"}, s.Flags)
	if run != "" {
		words = append(words, "-run", run)
	}
	return words
}

// quoted returns a word as a shell takes it.
func quoted(word string) string {
	if word != "" && !strings.ContainsAny(word, " \t\n'\"\\$`*?;&|<>()[]{}~#!") {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// WriteList writes a line for each selected test: the package, the test and why, separated by tabs. Packages of which all
// tests are selected have a line with * for the test, and those that are to be compiled only have - there.
func (s *Selection) WriteList(w io.Writer) error {
	out := bufio.NewWriter(w)
	for _, p := range s.Packages {
		for _, r := range p.Reasons {
			if test := r.Test; test == "" || !p.isAll() {
				if test == "" {
					test = "*"
				}
				fmt.Fprintf(out, "%s\t%s\t%s\n", p.Path, test, show.Printable(r.Why))
			}
		}
	}
	for _, path := range s.Compiled {
		fmt.Fprintf(out, "%s\t-\t%s\n", path, "what it is compiled from has changed")
	}
	return out.Flush()
}

// isAll reports whether a reason selects all tests.
func (p *Package) isAll() bool {
	return slices.ContainsFunc(p.Reasons, func(r Reason) bool { return r.Test == "" })
}

// JSONVersion is the version of the JSON.
const JSONVersion = 1

type jsonSelection struct {
	Version  int        `json:"version"`  // of the schema
	Command  []string   `json:"command"`  // go test and its flags, as the profile was made, -run included
	Rest     []string   `json:"args"`     // for test binaries, behind the packages
	Packages []*Package `json:"packages"` // with selected tests, by import path
	Compiled []string   `json:"compiled"` // import paths of packages that have changed code in them, and no selected test
	Totals   jsonTotals `json:"totals"`
}

type jsonTotals struct {
	Tests    int     `json:"tests"` // that go test would run
	Selected int     `json:"selected"`
	Unknown  int     `json:"selected_without_data"` // of these: nobody knows what they execute
	Seconds  float64 `json:"seconds"`               // that the processes of all tests took, as far as is known
	Took     float64 `json:"selected_seconds"`
}

// WriteJSON writes everything.
func (s *Selection) WriteJSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "\t")
	return e.Encode(jsonSelection{
		JSONVersion, s.words(s.Run), orNone(s.Rest), orNone(s.Packages), orNone(s.Compiled),
		jsonTotals{s.Tests, s.Selected, s.Unknown, s.Seconds, s.SelectedSeconds},
	})
}

// orNone returns a list that JSON has as one.
func orNone[T any](list []T) []T { return append([]T{}, list...) }

// Summary returns in a line how much is selected.
func (s *Selection) Summary() string {
	text := fmt.Sprintf("%d of %s selected, in %d of %s",
		s.Selected, show.Plural(s.Tests, "test"), len(s.Packages), show.Plural(s.TestedPackages, "package"))
	if s.Seconds > 0 {
		text += fmt.Sprintf("; alone they took %.3g s of %.3g s", s.SelectedSeconds, s.Seconds)
	}
	if s.Unknown > 0 {
		text += fmt.Sprintf(", without %s that have no time", show.Plural(s.Unknown, "test"))
	}
	return text
}
