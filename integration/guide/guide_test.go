// Package guide runs the commands of docs/guide, and compares what they print with what the pages say.
package guide

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/goprofinstr/goprofinstr/integration/internal/tool"
	"github.com/goprofinstr/goprofinstr/internal/longtest"
)

// pages is where the pages are.
const pages = "../../docs/guide"

var update = flag.Bool("update", false, "write what commands print into the pages")

var goprofinstr string

func TestMain(m *testing.M) { os.Exit(tool.RunLongTests(&goprofinstr, m.Run)) }

// often reports whether a page or an example is one of those that are tested always.
func often(name string) bool {
	always := []string{"start", "modes", "view", "coverage", "cache", "tokenizer"}
	return longtest.Wanted() || *update || slices.Contains(always, name)
}

// TestPages: the commands of each page print what stands below them.
func TestPages(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and runs programs")
	}
	names, err := filepath.Glob(filepath.Join(pages, "*.md"))
	if err != nil || len(names) == 0 {
		t.Fatal("no pages:", err)
	}
	names = append(names, filepath.Join(pages, "../tour.md"))
	folder := t.TempDir()
	for _, name := range names {
		title := strings.TrimSuffix(filepath.Base(name), ".md")
		t.Run(title, func(t *testing.T) {
			if !often(title) {
				t.Skip("takes -long")
			}
			testPage(t, name, func(p *page) *session { return start(t, folder, p.example) })
		})
	}
}

// TestExamples: so do those in the READMEs of examples. Where these are of estimates they print something else each time.
func TestExamples(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and runs programs")
	}
	for _, example := range []string{"cache", "calc", "callers", "matrix", "ranking", "shop", "tokenizer"} {
		t.Run(example, func(t *testing.T) {
			if !often(example) {
				t.Skip("takes -long")
			}
			testPage(t, filepath.Join("../../examples", example, "README.md"), func(*page) *session {
				return startAbove(t, "examples/"+example)
			})
		})
	}
}

func testPage(t *testing.T, name string, start func(p *page) *session) {
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	p, err := parse(string(data))
	if err != nil {
		t.Fatal(err)
	}
	if len(p.commands) == 0 || p.commands[0].among != "" {
		t.Fatal("the page does not begin with a command")
	}
	s := start(p)
	changed := false
	for i := range p.commands {
		c := &p.commands[i]
		got := s.run(t, c.text)
		if c.among != "" {
			if !has(strings.Join(got, "\n"), c.among) {
				t.Errorf("line %d: $ %s\nprints\n%s\nand the page says\n%s", c.line, c.text, join(got), c.among)
			}
			continue
		}
		if c.loose {
			if len(got) == 0 || exitCode.MatchString(got[len(got)-1]) {
				t.Errorf("line %d: $ %s\nfails or prints nothing\n%s", c.line, c.text, join(got))
			}
			continue
		}
		if why := compare(c.output, got, c.shape); why != "" {
			if *update {
				c.output, changed = got, true
				continue
			}
			t.Errorf("line %d: $ %s\n%s\nprints\n%s\nand the page says\n%s", c.line, c.text, why, join(got), join(c.output))
		}
	}
	if changed {
		if err := os.WriteFile(name, []byte(p.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// TestCompare: what is different is found, and what may differ is not.
func TestCompare(t *testing.T) {
	for _, test := range []struct {
		want, got string
		shape     bool
		equal     bool
	}{
		{"a 1\nb", "a 1\nb", false, true},
		{"a 1", "a 2", false, false},
		{"a 1", "a 2", true, true},
		{"a 12 b", "a   2,000 b", true, true},
		{"a 1", "b 1", true, false},
		{"ok  \tm\t0.1s", "ok  \tm\t0.004s", false, true},
		{"...\nc", "a\nb\nc", false, true},
		{"a\n...", "a\nb\nc", false, true},
		{"a\n...\nc", "a\nc", false, true},
		{"a\n...\nd", "a\nb\nc", false, false},
		{"a", "a\nb", false, false},
		{"", "", false, true},
		{"", "a", false, false},
	} {
		if why := compare(lines(test.want), lines(test.got), test.shape); (why == "") != test.equal {
			t.Errorf("compare(%q, %q, %v) = %q", test.want, test.got, test.shape, why)
		}
	}
}

// TestByTheWay: lines that depend on the machine are left out, and no others.
func TestByTheWay(t *testing.T) {
	for line, want := range map[string]bool{
		"goprofinstr: linking a.out":                                                        true,
		"goprofinstr: compiling net/http (87 packages so far)":                              true,
		"goprofinstr: rewriting packages: 3 of 9: example.com/m":                            true,
		"goprofinstr: 1 package cached: what their tests have counted is of an earlier run": true,
		"goprofinstr: 49 of 81 paths executed (60.5%), 15 of 16 functions, 1 run":           false,
		"goprofinstr: output directory /etc is not empty":                                   false,
	} {
		if got := byTheWay.MatchString(line); got != want {
			t.Errorf("%q: %v", line, got)
		}
	}
}

// TestHas: dots stand for anything on a line.
func TestHas(t *testing.T) {
	for _, test := range []struct {
		text, part string
		want       bool
	}{
		{"a b c\nd", "b c", true},
		{"a b c\nd", "a … c", true},
		{"a b c\nd", "a … d", false},
		{"a.b", "a*b", false},
	} {
		if got := has(test.text, test.part); got != test.want {
			t.Errorf("has(%q, %q) = %v", test.text, test.part, got)
		}
	}
}

// TestParse: a page is written as it was read.
func TestParse(t *testing.T) {
	const text = "<!-- in examples/shop -->\n# A\n\n```console\n$ echo a \\\n>   b\na b\n$ true\n```\ntext\n" +
		"```console shape\n$ date\nx\n```\n```console estimates\n$ uptime\n```\n"
	p, err := parse(text)
	if err != nil {
		t.Fatal(err)
	}
	if p.String() != text {
		t.Errorf("%q", p.String())
	}
	if p.example != "examples/shop" || len(p.commands) != 4 || p.commands[0].text != "echo a \\\n  b" ||
		!p.commands[2].shape || p.commands[2].loose || !p.commands[3].loose {
		t.Errorf("%+v", p)
	}
	p, err = parse("<!-- in a -->\n" + tableHead + " |\n|---|---|\n| `a \\| b` | `c` | `d` |\n\n| `e` | `f` |\n")
	if err != nil || len(p.commands) != 1 || p.commands[0].text != "a | b" || p.commands[0].among != "c" {
		t.Errorf("a table: %+v, %v", p, err)
	}
	for _, bad := range []string{tableHead + "\n| a | b |\n", "```console\n$ a\n", "```console\na\n```\n", "no comment\n```console\n$ a\n```\n"} {
		if _, err := parse(bad); err == nil {
			t.Errorf("parse(%q) has no error", bad)
		}
	}
}
