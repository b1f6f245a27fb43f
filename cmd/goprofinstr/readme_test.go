package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestReadme: the first command of README.md prints what is said there.
func TestReadme(t *testing.T) {
	if testing.Short() {
		t.Skip("builds programs")
	}
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "```console\n$ ")
	block, _, _ := strings.Cut(rest, "```")
	line, want, _ := strings.Cut(block, "\n")
	before, after, ok := strings.Cut(line, " wrap ")
	if !ok {
		t.Fatalf("no command of wrap: %s", line)
	}
	words := append(strings.Fields(before), "wrap", "-o", filepath.Join(t.TempDir(), "out"))
	cmd := exec.Command(words[0], append(words[1:], strings.Fields(after)...)...)
	cmd.Dir = "../.."
	got, err := cmd.CombinedOutput()
	if err != nil || string(got) != want {
		t.Errorf("%s: %v; prints\n%s\nand in README.md there is\n%s", cmd, err, got, want)
	}
}
