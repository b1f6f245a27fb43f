package main

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestMeter has what a test binary prints for a test with two subtests, and for two that wait for each other. Whenever a line
// of package testing is read a second has passed.
func TestMeter(t *testing.T) {
	const out = "\x16=== RUN   TestA\nsays something\n\x16=== RUN   TestA/b\nx\x16--- PASS: TestA/b (0.00s)\n" +
		"\x16=== RUN   TestA/c\n    \x16=== NAME  TestA/c\n\x16--- FAIL: TestA/c (0.00s)\n\x16--- FAIL: TestA (0.00s)\n" +
		"\x16=== RUN   TestP\n\x16=== PAUSE TestP\n\x16=== RUN   TestQ\n\x16=== PAUSE TestQ\n" +
		"\x16=== CONT  TestQ\n\x16--- PASS: TestQ (1.00s)\n\x16=== CONT  TestP\n\x16--- PASS: TestP (1.00s)\nFAIL\n"
	now := time.Duration(0)
	m := meter{used: make(map[string]time.Duration), read: func() time.Duration { now += time.Second; return now }}
	said, err := m.follow(strings.NewReader(out))
	if err != nil || string(said) != strings.ReplaceAll(out, "\x16", "") {
		t.Errorf("%q, %v", said, err)
	}
	m.charge(now+time.Second, "")
	var got []string
	for _, name := range slices.Sorted(maps.Keys(m.used)) {
		got = append(got, name+" "+m.used[name].String())
	}
	if want := " 6s, TestA 3s, TestA/b 1s, TestA/c 2s, TestP 2s, TestQ 2s"; strings.Join(got, ", ") != want {
		t.Errorf("%q, want %q", strings.Join(got, ", "), want)
	}
}

// TestPrintCosts adds up packages, and has the costliest first.
func TestPrintCosts(t *testing.T) {
	var b strings.Builder
	printCosts(&b, []cost{{"p", "TestA", 1}, {"q", "TestB", 4}, {"p", "TestC", 2}}, 2)
	const want = "4.00  q\n3.00  p\n7.00  in all\n\n4.00  q  TestB\n2.00  p  TestC\n"
	if b.String() != want {
		t.Errorf("%q, want %q", b.String(), want)
	}
}
