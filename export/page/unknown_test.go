package page

import (
	"net/http"
	"strings"
	"testing"

	"github.com/goprofinstr/goprofinstr/export/internal/profiletest"
	"github.com/goprofinstr/goprofinstr/rt/copies"
)

// TestUnknown has copies of machine code tell nothing of one function, and not all of another. Pages say both, as reports do.
func TestUnknown(t *testing.T) {
	const words, must = "example.com/m/lex.Words", "example.com/m/lex.Must"
	r := profiletest.NewRun(1, 0, nil, profiletest.Copied(profiletest.Lex()))
	r.Sample(words, 100, 50, nil, 0, 2, 12)
	r.Unknown(words, 300, 20)
	r.Uncounted(must, copies.Unmapped)
	s := New(load(t, r, "lex/lex.go", profiletest.LexSource), "x")
	const why = "machine code does not tell its paths"
	for url, want := range map[string][]string{
		"/":                        {"Paths that are not known", ">75.0%<", "Not counted", why},
		"/f/" + words:              {"<dd>75.0%</dd>", "of its paths not known"},
		"/f/" + must:               {"nothing is known of it: " + why},
		"/p/" + s.packages[0].Path: {"not counted: " + why},
	} {
		w := get(t, s, url)
		if w.Code != http.StatusOK {
			t.Errorf("%s: %d", url, w.Code)
		}
		for _, text := range want {
			if !strings.Contains(w.Body.String(), text) {
				t.Errorf("%s does not say %q", url, text)
			}
		}
	}
	if plain := get(t, New(lex(t), "x"), "/").Body.String(); strings.Contains(plain, "not known") || strings.Contains(plain, "Not counted") {
		t.Error("an exact profile has them, too")
	}
}
