package guide

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

const root = "../.."

// generated are the pages that are made of the sources: see cmd/goprofinstr and integration/reference.
var generated = []string{"docs/reference/commands.md", "docs/reference/files.md", "docs/reference/json.md"}

// TestReadmeLength: README fits on a screen.
func TestReadmeLength(t *testing.T) {
	text := read(t, "README.md")
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	if len(lines) > 90 {
		t.Errorf("README.md has %d lines, more than 90", len(lines))
	}
	for i, l := range lines {
		if n := utf8.RuneCountInString(l); n > 100 {
			t.Errorf("README.md:%d: %d columns, more than 100", i+1, n)
		}
	}
	var lengths []int
	for _, s := range sentences(text) {
		if strings.ContainsAny(s[len(s)-1:], ".?!:") { // no heading, no cell
			lengths = append(lengths, words(s))
		}
	}
	slices.Sort(lengths)
	if n := lengths[len(lengths)/2]; n > 15 {
		t.Errorf("half of the sentences of README.md have %d words or more, not 15", n)
	}
}

// TestSentences: those of README and of the pages that people write have 30 words at most.
func TestSentences(t *testing.T) {
	for _, name := range documents(t) {
		if slices.Contains(generated, name) {
			continue
		}
		for _, s := range sentences(read(t, name)) {
			if n := words(s); n > 30 {
				t.Errorf("%s: %d words: %s", name, n, s)
			}
		}
	}
}

// TestIndex: docs/README.md leads to all pages, and RATIONALE.md to those of docs/design.
func TestIndex(t *testing.T) {
	index, reasons := links(read(t, "docs/README.md")), links(read(t, "RATIONALE.md"))
	for _, name := range documents(t) {
		to, ok := strings.CutPrefix(name, "docs/")
		switch {
		case !ok || to == "README.md":
		case strings.HasPrefix(name, "docs/design/"):
			if !slices.Contains(reasons, name) {
				t.Errorf("RATIONALE.md does not lead to %s", name)
			}
		case !slices.Contains(index, to):
			t.Errorf("docs/README.md does not lead to %s", name)
		}
	}
}

// TestDesignLength: a decision is a page of 120 lines at most.
func TestDesignLength(t *testing.T) {
	for _, name := range markdown(t, "docs/design") {
		if n := strings.Count(read(t, name), "\n"); n > 120 {
			t.Errorf("%s has %d lines, more than 120", name, n)
		}
	}
}

// TestLinks: those of README, docs and all other documents lead to files and headings.
func TestLinks(t *testing.T) {
	names := append(documents(t), "CHANGELOG.md", "CONTRIBUTING.md", "RATIONALE.md")
	for _, name := range append(names, markdown(t, "examples")...) {
		for _, to := range links(read(t, name)) {
			if strings.Contains(to, "://") {
				continue
			}
			file, anchor, _ := strings.Cut(to, "#")
			target := name
			if file != "" {
				target = path.Join(path.Dir(name), file)
			}
			if _, err := os.Stat(filepath.Join(root, target)); err != nil {
				t.Errorf("%s: a link to %s: %v", name, to, err)
				continue
			}
			if anchor != "" && !slices.Contains(anchors(read(t, target)), anchor) {
				t.Errorf("%s: a link to %s: %s has no such heading", name, to, target)
			}
		}
	}
}

// TestMarkdown: what the other tests know of a document.
func TestMarkdown(t *testing.T) {
	const text = "<!-- a -->\n# The `-x` flag, here\n\nOne [link](a.md#b) here. And\ntwo ![it](c.png)\n\n" +
		"    [code](x.md)\n\n```sh\n# no heading\n```\n- an item\n- e.g. another. Third\n\n| a b | c |\n|---|---|\n| d \\| e | |\n"
	if got, want := sentences(text), []string{
		"The `-x` flag, here", "One link here.", "And two it", "an item", "e.g. another.", "Third", "a b", "c", "d | e",
	}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got, want := links(text), []string{"a.md#b", "c.png"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got, want := anchors(text), []string{"the--x-flag-here"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got := words("a `b c d` e"); got != 3 {
		t.Errorf("%d words, want 3", got)
	}
}

// documents returns the names of README and of all of docs, with slashes.
func documents(t *testing.T) []string {
	return append(markdown(t, "docs"), "README.md")
}

// markdown returns the names of the documents in a folder.
func markdown(t *testing.T, folder string) (names []string) {
	err := fs.WalkDir(os.DirFS(root), folder, func(name string, d fs.DirEntry, err error) error {
		if err == nil && path.Ext(name) == ".md" {
			names = append(names, name)
		}
		return err
	})
	if err != nil || len(names) == 0 {
		t.Fatal(names, err)
	}
	return names
}

func read(t *testing.T, name string) string {
	data, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

var (
	link    = regexp.MustCompile(`!?\[([^]]*)\]\(([^)]*)\)`)
	comment = regexp.MustCompile(`(?s)<!--.*?-->`)
	inline  = regexp.MustCompile("`[^`]*`")
	bullet  = regexp.MustCompile(`^([-*]|\d+\.) `)
)

// paragraphs returns the texts of a document that are prose: of paragraphs, items, headings and cells.
func paragraphs(text string) (list []string) {
	last := ""
	finish := func() {
		if last != "" {
			list = append(list, last)
		}
		last = ""
	}
	for _, l := range strings.Split(prose(text), "\n") {
		switch {
		case l == "" || strings.HasPrefix(l, "#"):
			finish()
			last = strings.TrimLeft(l, "# ")
			if last != "" {
				finish()
			}
		case strings.HasPrefix(l, "|"):
			finish()
			for _, cell := range strings.Split(strings.ReplaceAll(l, `\|`, "\x00"), "|") {
				last = strings.ReplaceAll(strings.TrimSpace(cell), "\x00", "|")
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

// prose returns a document without comments and code, but for that in lines.
func prose(text string) string {
	var b strings.Builder
	fenced := false
	for l := range strings.Lines(comment.ReplaceAllString(text, "")) {
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

// sentences returns those of a document, without where links lead.
func sentences(text string) (list []string) {
	for _, p := range paragraphs(text) {
		p = link.ReplaceAllString(p, "$1")
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

// words returns how many words a sentence has. Code is one.
func words(sentence string) int {
	n := 0
	for _, w := range strings.Fields(inline.ReplaceAllString(sentence, "code")) {
		if strings.ContainsFunc(w, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
			n++
		}
	}
	return n
}

// links returns where a document's links lead.
func links(text string) (list []string) {
	for _, m := range link.FindAllStringSubmatch(inline.ReplaceAllString(prose(text), "code"), -1) {
		list = append(list, m[2])
	}
	return list
}

// anchors returns the names of a document's headings in links, as GitHub has them.
func anchors(text string) (list []string) {
	for l := range strings.Lines(prose(text)) {
		if heading := strings.TrimLeft(l, "#"); heading != l {
			list = append(list, strings.Map(func(r rune) rune {
				switch {
				case r == ' ':
					return '-'
				case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
					return unicode.ToLower(r)
				}
				return -1
			}, strings.TrimSpace(heading)))
		}
	}
	return list
}
