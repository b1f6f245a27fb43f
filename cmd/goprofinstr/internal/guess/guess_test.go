package guess

import "testing"

func TestNearest(t *testing.T) {
	known := []string{"wrap", "report", "view", "check", "diff", "min-path", "exact", "sampled", "x"}
	for word, want := range map[string]string{
		"raport": "report", "reprot": "report", "wrpa": "wrap", "chekc": "check", "min-paths": "min-path",
		"exakt": "exact", "sample": "sampled", "Report": "report", "rep": "report", "warp": "wrap",
		"frobnicate": "", "y": "", "": "", "re": "", "test": "",
	} {
		if got := Nearest(word, known); got != want {
			t.Errorf("%q: %q, want %q", word, got, want)
		}
	}
}

func TestHint(t *testing.T) {
	if got, want := Hint("mni-path", "-", []string{"min-path"}), " (did you mean -min-path?)"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := Hint("frobnicate", "-", []string{"min-path"}); got != "" {
		t.Errorf("%q, want nothing", got)
	}
}
