package table

import (
	"bytes"
	"crypto/sha256"
	"strings"
	"testing"
)

// TestSumOf says of each edit whether it makes another file.
func TestSumOf(t *testing.T) {
	const src = "// Package p.\npackage p // why\n\n//go:noinline\nfunc F() string {\n\treturn `\n` /* in */ + \"x\"\n}\n"
	sum := SumOf([]byte(src))
	for _, test := range []struct {
		name, old, new string
		same           bool
	}{
		{"nothing", "", "", true},
		{"a comment", "why", "because", true},
		{"a doc comment", "Package p", "Package p is not", true},
		{"no comment", " // why", "", true},
		{"line ends", "\n", "\r\n", true},
		{"blanks at the end", "{\n", "{ \t\n", true},
		{"what is ignored", "// why", "//goprofinstr:ignore why", true},
		{"a word", "F", "G", false},
		{"a string", `"x"`, `"y"`, false},
		{"an operator", "+", "-", false},
		{"a line more", "\n\n", "\n\n\n", false},
		{"another column", "+ ", "+  ", false},
		{"a comment that moves code", "/* in */", "/* within */", false},
		{"a directive", "//go:noinline", "//go:nosplit", false},
		{"one less", "//go:noinline", "// go:noinline", false},
		{"a line directive", "// why", "//line x.y:1", false},
		{"of goprofinstr", "// why", "//goprofinstr:value", false},
		{"what does not parse", "}", "", false},
	} {
		edited := []byte(strings.ReplaceAll(src, test.old, test.new))
		if test.old == "" {
			edited = []byte(src)
		}
		if got := sum.Is(edited); got != test.same {
			t.Errorf("%s: the same: %t", test.name, got)
		}
	}
	const c = "package p\n\n// int one(void);\nimport \"C\"\n"
	if SumOf([]byte(c)).Is([]byte(strings.Replace(c, "one", "two", 1))) {
		t.Error("a comment that is C is none")
	}
	raw := sha256.Sum256([]byte(src))
	if !Sum(raw[:]).Is([]byte(src)) || Sum(nil).Is(nil) {
		t.Error("sums of earlier manifests")
	}
	if bytes.Equal(SumOf([]byte{0xef, 0xbb, 0xbf, 0xff, '"'}), SumOf(nil)) {
		t.Error("what is no source has no words")
	}
}
