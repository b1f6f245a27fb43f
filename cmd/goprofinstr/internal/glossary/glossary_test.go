package glossary

import (
	"errors"
	"io"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestExplain(t *testing.T) {
	for text, want := range map[string]string{
		"ok":                                  "",
		"5 of 5 functions, 1 run":             "run",
		"1,000 runs of m":                     "run",
		"run goprofinstr wrap again":          "",
		"hottest paths: share of flow":        "flow",
		"overflow":                            "",
		"functions 3 executed, 0 declined":    "",
		"functions 3 executed, 10 declined":   "declined",
		"Declined functions by reason":        "declined",
		"abandoned  3 function activations":   "abandoned",
		"What edges tell of paths":            "edges say",
		"    edges say  12  3→4":              "edges say",
		"2 runs, share of flow, declined one": "flow run declined",
	} {
		var b strings.Builder
		write := func(w io.Writer) error { _, err := io.WriteString(w, text+"\n"); return err }
		if err := Explain(&b, Lines, write); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, line := range strings.Split(strings.TrimSpace(b.String()), "\n")[1:] {
			name, _, _ := strings.Cut(line, ":")
			got = append(got, name)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	failed := errors.New("failed")
	if err := Explain(io.Discard, Report, func(io.Writer) error { return failed }); err != failed {
		t.Errorf("error %v", err)
	}
}

// TestWords makes sure that a footnote is a line of a report, and that no word is there twice.
func TestWords(t *testing.T) {
	seen := make(map[string]bool)
	for _, w := range Words {
		if seen[w.Name] || w.Text == "" {
			t.Errorf("%s is there twice, or without a text", w.Name)
		}
		seen[w.Name] = true
		if n := utf8.RuneCountInString(w.Name + ": " + w.note); n > 80 || (w.in == nil) != (w.note == "") {
			t.Errorf("%s: a footnote of %d columns", w.Name, n)
		}
	}
}
