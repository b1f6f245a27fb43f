package target

import (
	"bytes"
	"go/format"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestCopiesHooks makes sure that hooks for copies have their places in each toolchain that is there, and stand on lines that are
// there.
func TestCopiesHooks(t *testing.T) {
	for _, tc := range copiesToolchains(t) {
		goroot := tc.GOROOT
		before := RuntimeHooks(tc, false, os.ReadFile)
		n := len(before.Files)
		if missing := before.AddCopies(tc, os.ReadFile); len(missing) > 0 || !before.Has(Copies) || len(before.Files) == n {
			t.Errorf("%s: missing are %v", goroot, missing)
			continue
		}
		for name, changed := range before.Files {
			if filepath.Ext(name) != ".go" {
				continue
			}
			if _, err := parser.ParseFile(token.NewFileSet(), name, changed, 0); err != nil {
				t.Error(err)
			}
			if base := filepath.Base(name); base == "goprofinstr_copies.go" || base == "goprofinstr_words.go" {
				if formatted, err := format.Source(changed); err != nil || !bytes.Equal(formatted, changed) {
					t.Errorf("%s is not formatted: %v", name, err)
				}
			}
			if original, err := os.ReadFile(name); err == nil {
				checkLines(t, name, strings.Split(string(original), "\n"), strings.Split(string(changed), "\n"))
			}
		}
	}
}

// copiesToolchains returns those that are there, for each architecture that has copies.
func copiesToolchains(t *testing.T) (list []Toolchain) {
	for _, goroot := range goRoots(t) {
		for _, arch := range []string{"amd64", "arm64"} {
			list = append(list, Toolchain{GOROOT: goroot, GOOS: "linux", GOARCH: arch})
		}
	}
	return list
}

// TestCopiesNot asks for hooks where there are none.
func TestCopiesNot(t *testing.T) {
	tc := Toolchain{GOROOT: goRoots(t)[0], GOOS: "linux", GOARCH: "riscv64"}
	h := RuntimeHooks(tc, false, os.ReadFile)
	if missing := h.AddCopies(tc, os.ReadFile); len(missing) == 0 || h.Has(Copies) {
		t.Error("there are hooks for riscv64")
	}
}
