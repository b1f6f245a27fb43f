package show

import (
	"testing"
	"unicode/utf8"
)

func TestSteps(t *testing.T) {
	lines := []string{"1", "2", "3", "4", "5", "6", "7"}
	for most, want := range map[int]string{
		8: "1→2→3→4→5→6→7",
		7: "1→2→3→4→5→6→7",
		6: "1→2→3→4→…→7",
		4: "1→2→…→7",
		3: "1→…→7",
	} {
		if got := Steps(lines, most); got != want {
			t.Errorf("at most %d: %s, want %s", most, got, want)
		}
	}
	if got := FitSteps(lines, 9); utf8.RuneCountInString(got) > 9 || got == Steps(lines, 3) {
		t.Errorf("in 9 columns: %s, want more lines than %s", got, Steps(lines, 3))
	}
}

func TestShorten(t *testing.T) {
	for _, test := range []struct {
		name  string
		width int
		want  string
	}{
		{"example.com/m", 13, "example.com/m"},
		{"example.com/mod/pkg", 16, "…/mod/pkg"},     // after a slash: the name of the site is gone whole
		{"example.com/mod/p", 15, "…mple.com/mod/p"}, // there, no half would be left
		{"a/verylongnameofapackage", 10, "…fapackage"},
		{"päckage", 4, "…age"},
	} {
		if got := ShortenLeft(test.name, test.width); got != test.want {
			t.Errorf("%s in %d columns: %s, want %s", test.name, test.width, got, test.want)
		}
	}
	if got := ShortenRight("a reason", 4); got != "a r…" {
		t.Errorf("%s, want a r…", got)
	}
}
