package markdown

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

var (
	inPlace    = regexp.MustCompile(`!?\[([^]]*)\]\(([^)]*)\)`)
	reference  = regexp.MustCompile(`\[([^][]*)\]\[([^][]+)\]`)
	definition = regexp.MustCompile(`(?m)^\[([^][]+)\]: (\S+)(?: "(.*)")?$`)
)

// A Link is one in place or one by reference.
type Link struct {
	Text string
	To   string // a file relative to the document's, an anchor behind #, or both
}

// A Definition says where links by reference lead.
type Definition struct{ Name, To, Title string }

// Definitions returns those of a document.
func Definitions(text string) (list []Definition) {
	for _, m := range definition.FindAllStringSubmatch(Prose(text), -1) {
		list = append(list, Definition{Name: m[1], To: m[2], Title: m[3]})
	}
	return list
}

// Links returns the links of a document. A reference without a definition is none. A definition that nothing refers to is
// a link without a text.
func Links(text string) (list []Link) {
	prose := WithoutCode(Prose(text))
	for _, m := range inPlace.FindAllStringSubmatch(prose, -1) {
		list = append(list, Link{Text: m[1], To: m[2]})
	}
	for _, d := range Definitions(text) {
		used := false
		for _, m := range reference.FindAllStringSubmatch(prose, -1) {
			if m[2] == d.Name {
				list, used = append(list, Link{Text: m[1], To: d.To}), true
			}
		}
		if !used {
			list = append(list, Link{To: d.To})
		}
	}
	return list
}

// Undefined returns the names that links of a document refer to, and that it does not define.
func Undefined(text string) (names []string) {
	defined := Definitions(text)
	for _, m := range reference.FindAllStringSubmatch(WithoutCode(Prose(text)), -1) {
		if !slices.ContainsFunc(defined, func(d Definition) bool { return d.Name == m[2] }) {
			names = append(names, m[2])
		}
	}
	return names
}

// WithoutLinks returns prose without the texts of links, where they lead, and definitions.
func WithoutLinks(prose string) string {
	return replace(reference, replace(inPlace, replace(definition, prose, ""), "link"), "link")
}

// ReplaceTexts calls replace for the text of each link by a reference of that name, and has the link say what it returns.
func ReplaceTexts(text, name string, replace func(old string) string) string {
	return reference.ReplaceAllStringFunc(text, func(s string) string {
		m := reference.FindStringSubmatch(s)
		if m[2] != name {
			return s
		}
		return "[" + replace(m[1]) + "][" + name + "]"
	})
}

// Anchor returns the name of a heading in links, as GitHub has it.
func Anchor(heading string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
			return unicode.ToLower(r)
		}
		return -1
	}, strings.TrimSpace(heading))
}

// Anchors returns the names of a document's headings in links. Where headings are the same, all but the first have a number.
func Anchors(headings []string) []string {
	seen := make(map[string]int)
	list := make([]string, len(headings))
	for i, h := range headings {
		a := Anchor(h)
		if list[i] = a; seen[a] > 0 {
			list[i] = fmt.Sprintf("%s-%d", a, seen[a])
		}
		seen[a]++
	}
	return list
}

// A Section is a heading, and all below it up to the next heading that is not of a lower level.
type Section struct {
	Anchor string
	Text   string
}

// Sections returns those of a document, which contain each other.
func Sections(text string) (list []Section) {
	lines := strings.SplitAfter(text, "\n")
	levels := make([]int, len(lines))
	var headings []string
	for i, l := range strings.SplitAfter(Prose(text), "\n") {
		if levels[i] = len(l) - len(strings.TrimLeft(l, "#")); levels[i] > 0 {
			headings = append(headings, strings.TrimLeft(l, "#"))
		}
	}
	anchors := Anchors(headings)
	for i, level := range levels {
		if level == 0 {
			continue
		}
		end := i + 1
		for end < len(lines) && (levels[end] == 0 || levels[end] > level) {
			end++
		}
		list = append(list, Section{anchors[len(list)], strings.Join(lines[i:end], "")})
	}
	return list
}
