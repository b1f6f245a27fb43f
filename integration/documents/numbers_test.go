package documents

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goprofinstr/goprofinstr/integration/internal/markdown"
)

// TestNumbers: a number that was measured stands in docs/results or in docs/lab. Elsewhere it is the text of a link to there.
// Limits that look alike are in testdata/constants.txt, with what they are.
func TestNumbers(t *testing.T) {
	constants := readConstants(t)
	used := make(map[constant]bool)
	for _, name := range append(documents(t), "RATIONALE.md") {
		if isGenerated(name) || isLab(name) {
			continue
		}
		for _, n := range markdown.Measured(read(t, name)) {
			c := constant{name, n.Text}
			if used[c] = true; constants[c] == "" {
				t.Errorf("%s:%d: %s looks measured, and is no link to docs/results or docs/lab: see docs/design/results.md",
					name, n.Line, n.Text)
			}
		}
	}
	for c := range constants {
		if !used[c] {
			t.Errorf("testdata/constants.txt has %s of %s, which is not there", c.text, c.document)
		}
	}
}

// A constant is a number in a document.
type constant struct{ document, text string }

// readConstants returns what the numbers are that nobody measures: limits, sizes and intervals that are in the code, figures of
// papers, and numbers of examples.
func readConstants(t *testing.T) map[constant]string {
	constants := make(map[constant]string)
	for line := range strings.Lines(read(t, "integration/documents/testdata/constants.txt")) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		fields := strings.Split(strings.TrimSpace(line), "\t")
		if len(fields) != 3 {
			t.Fatalf("constants.txt: %q is no document, number and reason, between tabs", line)
		}
		constants[constant{fields[0], fields[1]}] = fields[2]
	}
	return constants
}

// isLab says whether a document is of the lab.
func isLab(name string) bool { return name == "docs/lab.md" || strings.HasPrefix(name, "docs/lab/") }

// TestLab: numbers in the text of a link to the lab stand in the section that it leads to.
func TestLab(t *testing.T) {
	for _, name := range append(documents(t), "RATIONALE.md") {
		for _, problem := range wrongLinks(read(t, name), name, func(name string) string { return read(t, name) }) {
			t.Errorf("%s: %s", name, problem)
		}
	}
}

var figure = regexp.MustCompile(`\d(?:[\d,]*\d)?(?:\.\d+)?`)

// wrongLinks returns what is wrong with a document's links to the lab.
func wrongLinks(text, name string, read func(name string) string) (problems []string) {
	for _, l := range markdown.Links(text) {
		file, anchor, _ := strings.Cut(l.To, "#")
		target := path.Join(path.Dir(name), file)
		if file == "" || !isLab(target) {
			continue
		}
		section := read(target)
		for _, s := range markdown.Sections(section) {
			if s.Anchor == anchor {
				section = s.Text
				break
			}
		}
		has := figure.FindAllString(section, -1)
		for _, n := range figure.FindAllString(l.Text, -1) {
			if !slices.Contains(has, n) {
				problems = append(problems, fmt.Sprintf("[%s](%s): there is no %s", l.Text, l.To, n))
			}
		}
	}
	return problems
}

// TestWrongLinks: a number that is not in its section is found.
func TestWrongLinks(t *testing.T) {
	lab := func(string) string { return "# A\n\n## B\n\nIt took 1.25 and 3 s.\n\n## C\n\nIt took 12,345 s.\n" }
	const text = "[1.25](../lab/x.md#b), [3 s](../lab/x.md#b), [12,345](../lab/x.md), [12,345](../lab/x.md#b), [1.2](../lab/x.md#b)"
	want := []string{"[12,345](../lab/x.md#b): there is no 12,345", "[1.2](../lab/x.md#b): there is no 1.2"}
	if got := wrongLinks(text, "docs/design/x.md", lab); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
