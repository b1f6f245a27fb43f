package pathmap

import (
	"strings"
	"testing"
)

// TestIsMember asks which pieces are conditions that are variables or members.
func TestIsMember(t *testing.T) {
	pieces := map[string]bool{"if b {": true, "b . final {": true, "if": false, "if {": false, "! b": false, "n < 3 {": false}
	s := new(Source)
	var texts []string
	for text := range pieces {
		for _, token := range strings.Fields(text) {
			s.tokens = append(s.tokens, lexeme{piece: len(texts), text: token})
		}
		texts = append(texts, text)
	}
	for k, text := range texts {
		if is := (&Target{source: s}).isMember(k); is != pieces[text] {
			t.Errorf("%q: %v", text, is)
		}
	}
}
