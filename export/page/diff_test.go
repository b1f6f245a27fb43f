package page

import (
	"bytes"
	"strings"
	"testing"

	"github.com/goprofinstr/goprofinstr/export/compare"
	"github.com/goprofinstr/goprofinstr/export/internal/profiletest"
)

// diffOf returns the page of the comparison of two profiles.
func diffOf(t *testing.T, first, second *profiletest.Run, top int) string {
	t.Helper()
	c, err := compare.New(load(t, first, "lex/lex.go", profiletest.LexSource), load(t, second, "lex/lex.go", profiletest.LexSource))
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := WriteDiff(&b, c, "old", attack, top); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestDiff tells what two runs do not have in common, as source, and with hostile names as text.
func TestDiff(t *testing.T) {
	first := profiletest.NewRun(1, 0, nil, profiletest.Lex())
	profiletest.CallWords(first, 3, "ab c")
	first.Call("example.com/m/lex.Must", 3, 1, 3)
	second := profiletest.NewRun(1, 0, nil, profiletest.Lex())
	profiletest.CallWords(second, 3, "ab\tc")
	second.Call("example.com/m/lex.Must", 3, 1, 3)
	text := diffOf(t, first, second, 20)
	for _, want := range []string{
		"Outcomes of conditions that only the first profile has seen", "Outcomes of conditions that only the second profile has seen", ">was never true (", ">never true (",
		"Paths that only the second profile has", "Paths that only the first profile has", `s[i] == &#39;\t&#39; true`, "lex/lex.go:6",
		"were in the first one, with", "functions with the same graph", `name="viewport"`, "default-src &#39;none&#39;", "&lt;img",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text[strings.Index(text, "<body"):])
		}
	}
	if markup.MatchString(text) {
		t.Error("a name is markup")
	}
	if same := diffOf(t, first, first, 20); strings.Contains(same, "that only the") || !strings.Contains(same, "with 100% of its") {
		t.Errorf("a profile differs from itself:\n%s", same[strings.Index(same, "<body"):])
	}
	if short := diffOf(t, first, second, 0); !strings.Contains(short, "and 1 more") {
		t.Error("does not say how many more there are")
	}
}
