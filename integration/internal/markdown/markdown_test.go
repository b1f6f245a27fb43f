package markdown

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

const document = "<!-- a -->\n# The `-x` flag, here\n\nOne [link](a.md#b) here. And\ntwo ![it](c.png)\n\n" +
	"    [code](x.md)\n\n```sh\n# no heading\n```\n- an item\n- e.g. another. Third\n\n| a b | c |\n|---|---|\n| d \\| e | |\n"

func TestSentences(t *testing.T) {
	want := []string{
		"The `-x` flag, here", "One link here.", "And two it", "an item", "e.g. another.", "Third", "a b", "c", "d | e",
	}
	if diff := cmp.Diff(want, Sentences(document)); diff != "" {
		t.Errorf("sentences (-want +got):\n%s", diff)
	}
	if got := Words("a `b c d` e"); got != 3 {
		t.Errorf("%d words, want 3", got)
	}
}

func TestLinks(t *testing.T) {
	if diff := cmp.Diff([]Link{{"link", "a.md#b"}, {"it", "c.png"}}, Links(document)); diff != "" {
		t.Errorf("links (-want +got):\n%s", diff)
	}
	const text = "It takes [1.12][exact] of it, and `[1][code]`. An [absent][one] is none.\n\n" +
		"[exact]: r.md#t \"std; mean; exact\"\n[unused]: u.md\n"
	if diff := cmp.Diff([]Link{{"1.12", "r.md#t"}, {"", "u.md"}}, Links(text)); diff != "" {
		t.Errorf("links by reference (-want +got):\n%s", diff)
	}
	want := []Definition{{"exact", "r.md#t", "std; mean; exact"}, {"unused", "u.md", ""}}
	if diff := cmp.Diff(want, Definitions(text)); diff != "" {
		t.Errorf("definitions (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"It takes 1.12 of it, and `1`.", "An absent is none."}, Sentences(text)); diff != "" {
		t.Errorf("sentences (-want +got):\n%s", diff)
	}
	got := ReplaceTexts("[1][a] [2][b]", "b", func(old string) string { return old + old })
	if want := "[1][a] [22][b]"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestSections(t *testing.T) {
	got := Sections("# All\n\n## A b\none\n```\n# no\n```\n### C\ntwo\n## D\n## A b\n")
	want := []Section{
		{"all", "# All\n\n## A b\none\n```\n# no\n```\n### C\ntwo\n## D\n## A b\n"},
		{"a-b", "## A b\none\n```\n# no\n```\n### C\ntwo\n"},
		{"c", "### C\ntwo\n"},
		{"d", "## D\n"},
		{"a-b-1", "## A b\n"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("sections (-want +got):\n%s", diff)
	}
	if got, want := Anchor("The `-x` flag, here"), "the--x-flag-here"; got != want {
		t.Errorf("anchor %q, want %q", got, want)
	}
}

func TestMeasured(t *testing.T) {
	for text, want := range map[string][]string{
		"It takes 1.12 of it, 5% or 3 s, some 20 ns.":                {"1.12", "5%", "3 s", "20 ns"},
		"Of 17,149 functions 65,536 paths, 10,000 runs, 12 tests.":   {"17,149"},
		"With Go 1.26 and 1.27, in PEP 6.1, go1.26.8 and v1.20.0.":   nil,
		"It is of version\n1.31 or\n1.32.":                           {"1.32"},
		"| -1.5 | −2.5 |\n|---|---|":                                 {"1.5", "2.5"},
		"A confidence of 95%, `1.5 s` and [1.5 s](a.md).":            nil,
		"Of [1.5][a].\n\n[a]: b.md \"1.5\"":                          nil,
		"Some 1.92·10⁹ events.":                                      {"1.92·10⁹"},
		"| a | b |\n|---|---|\n| some 12 of it | 13 |\n":             {"13"},
		"Of pep(64,17) and 1,2,3.":                                   nil,
		"| a | 3 |\n|---|---|\n| b | 12,34 |\n":                      {"12,34"},
		"On 2026-11-26 in TestX12 of figure 3.1, x-3.":               nil,
		"```\n1.5 s\n```\n\n    2.5 s\n\nAn end of 3.5 points.\n":    {"3.5 points"},
		"| `4096` | [0.5](a.md) | 1.04 [0.98, 1.1] |\n|---|---|---|": {"1.04", "0.98", "1.1"},
	} {
		var got []string
		for _, n := range Measured(text) {
			got = append(got, n.Text)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
	}
}
