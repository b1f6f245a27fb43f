package markdown

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

var (
	comment = regexp.MustCompile(`(?s)<!--.*?-->`)
	inline  = regexp.MustCompile("`[^`]*`")
	bullet  = regexp.MustCompile(`^([-*]|\d+\.) `)
)

// Prose returns a document without comments and blocks of code. Lines stay where they are; those of code are empty.
func Prose(text string) string {
	text = replace(comment, text, "")
	var b strings.Builder
	fenced := false
	for l := range strings.Lines(text) {
		fence := strings.HasPrefix(l, "```")
		switch {
		case fence || fenced:
			fenced = fence != fenced
			b.WriteString("\n")
		case strings.HasPrefix(l, "    "):
			b.WriteString("\n")
		default:
			b.WriteString(l)
		}
	}
	return b.String()
}

// WithoutCode returns prose with a word in place of each piece of code in a line.
func WithoutCode(prose string) string { return replace(inline, prose, "code") }

// replace replaces what matches, and keeps line ends, so that lines stay where they are.
func replace(what *regexp.Regexp, text, by string) string {
	return what.ReplaceAllStringFunc(text, func(s string) string { return by + strings.Repeat("\n", strings.Count(s, "\n")) })
}

// paragraphs returns the texts of a document that are prose: of paragraphs, items, headings and cells.
func paragraphs(text string) (list []string) {
	last := ""
	finish := func() {
		if last != "" {
			list = append(list, last)
		}
		last = ""
	}
	for _, l := range strings.Split(definition.ReplaceAllString(Prose(text), ""), "\n") {
		switch {
		case l == "" || strings.HasPrefix(l, "#"):
			finish()
			last = strings.TrimLeft(l, "# ")
			if last != "" {
				finish()
			}
		case strings.HasPrefix(l, "|"):
			finish()
			for _, cell := range Cells(l) {
				last = cell
				if strings.Trim(last, "-:") != "" {
					finish()
				}
			}
			last = ""
		case bullet.MatchString(l):
			finish()
			last = bullet.ReplaceAllString(l, "")
		default:
			last = strings.TrimSpace(last + " " + strings.TrimSpace(l))
		}
	}
	finish()
	return list
}

// Cells returns the cells of a line of a table, with one before the first bar.
func Cells(line string) []string {
	cells := strings.Split(strings.ReplaceAll(line, `\|`, "\x00"), "|")
	for i, c := range cells {
		cells[i] = strings.ReplaceAll(strings.TrimSpace(c), "\x00", "|")
	}
	return cells
}

// Sentences returns those of a document, without where links lead.
func Sentences(text string) (list []string) {
	for _, p := range paragraphs(text) {
		p = reference.ReplaceAllString(inPlace.ReplaceAllString(p, "$1"), "$1")
		begin := 0
		for i, f := range p {
			behind := p[i+utf8.RuneLen(f):]
			next, _ := utf8.DecodeRuneInString(strings.TrimLeft(behind, " *"))
			if strings.ContainsRune(".?!", f) && (behind == "" || behind[0] == ' ' && !unicode.IsLower(next)) {
				list = append(list, strings.TrimSpace(p[begin:i+1]))
				begin = i + 1
			}
		}
		if rest := strings.TrimSpace(p[begin:]); rest != "" {
			list = append(list, rest)
		}
	}
	return list
}

// Words returns how many words a sentence has. Code is one.
func Words(sentence string) int {
	n := 0
	for _, w := range strings.Fields(WithoutCode(sentence)) {
		if strings.ContainsFunc(w, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
			n++
		}
	}
	return n
}
