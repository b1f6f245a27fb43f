package gocmd

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestQuoted(t *testing.T) {
	words := []string{"-a", "-b=x y", "it's", ""}
	joined, err := JoinQuoted(words)
	if err != nil {
		t.Fatal(err)
	}
	got, err := SplitQuoted(joined)
	if diff := cmp.Diff(words, got); diff != "" || err != nil {
		t.Errorf("%s %v: %s", joined, err, diff)
	}
	if _, err := SplitQuoted("'a"); err == nil {
		t.Error("accepted an unterminated string")
	}
	if _, err := JoinQuoted([]string{`'"`}); err == nil {
		t.Error("joined what cannot be quoted")
	}
}
