// Package documents holds README and docs against rules for length, links and numbers.
package documents

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/goprofinstr/goprofinstr/integration/internal/markdown"
)

const root = "../.."

// generated are the pages that are made of the sources: see cmd/goprofinstr and integration/reference.
var generated = []string{"docs/reference/commands.md", "docs/reference/files.md", "docs/reference/json.md"}

// isGenerated says whether nobody writes a document: others are made of the sources, or of results by integration/eval.
func isGenerated(name string) bool {
	return slices.Contains(generated, name) || strings.HasPrefix(name, "docs/results/")
}

// TestReadmeLength: README fits on a screen.
func TestReadmeLength(t *testing.T) {
	text := read(t, "README.md")
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	if len(lines) > 90 {
		t.Errorf("README.md has %d lines, more than 90", len(lines))
	}
	for i, l := range lines {
		if n := utf8.RuneCountInString(l); n > 100 && len(markdown.Definitions(l)) == 0 {
			t.Errorf("README.md:%d: %d columns, more than 100", i+1, n)
		}
	}
	var lengths []int
	for _, s := range markdown.Sentences(text) {
		if strings.ContainsAny(s[len(s)-1:], ".?!:") { // no heading, no cell
			lengths = append(lengths, markdown.Words(s))
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
		if isGenerated(name) {
			continue
		}
		for _, s := range markdown.Sentences(read(t, name)) {
			if n := markdown.Words(s); n > 30 {
				t.Errorf("%s: %d words: %s", name, n, s)
			}
		}
	}
}

// TestIndex: docs/README.md leads to all pages, and other indexes to those of a folder.
func TestIndex(t *testing.T) {
	for _, name := range documents(t) {
		index := "docs/README.md"
		for folder, its := range indexes {
			if strings.HasPrefix(name, folder) && name != its {
				index = its
			}
		}
		if name == "README.md" || name == index {
			continue
		}
		if !slices.ContainsFunc(markdown.Links(read(t, index)), func(l markdown.Link) bool {
			return path.Join(path.Dir(index), l.To) == name
		}) {
			t.Errorf("%s does not lead to %s", index, name)
		}
	}
}

// indexes lead to the pages of folders that docs/README.md does not have page by page.
var indexes = map[string]string{
	"docs/design/":  "RATIONALE.md",
	"docs/lab/":     "docs/lab.md",
	"docs/results/": "docs/results/README.md",
}

// TestDesignLength: a decision is a page of 120 lines at most.
func TestDesignLength(t *testing.T) {
	for _, name := range documentsIn(t, "docs/design") {
		if n := strings.Count(read(t, name), "\n"); n > 120 {
			t.Errorf("%s has %d lines, more than 120", name, n)
		}
	}
}

// TestLinks: those of README, docs and all other documents lead to files and headings.
func TestLinks(t *testing.T) {
	names := append(documents(t), "CHANGELOG.md", "CONTRIBUTING.md", "RATIONALE.md")
	for _, name := range append(names, documentsIn(t, "examples")...) {
		for _, to := range markdown.Undefined(read(t, name)) {
			t.Errorf("%s: a link to [%s], which is not defined", name, to)
		}
		for _, l := range markdown.Links(read(t, name)) {
			to := l.To
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
			if anchor != "" && !slices.ContainsFunc(markdown.Sections(read(t, target)), func(s markdown.Section) bool {
				return s.Anchor == anchor
			}) {
				t.Errorf("%s: a link to %s: %s has no such heading", name, to, target)
			}
		}
	}
}

// documents returns the names of README and of all of docs, with slashes.
func documents(t *testing.T) []string {
	return append(documentsIn(t, "docs"), "README.md")
}

// documentsIn returns the names of the documents in a folder.
func documentsIn(t *testing.T, folder string) (names []string) {
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
