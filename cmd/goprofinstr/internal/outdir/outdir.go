package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/goprofinstr/goprofinstr/export/profiledir"
)

// defaultOut is the output directory if -o names no other.
const defaultOut = "goprofinstr.out"

// wrapsVar is the environment variable that tells commands which output directories belong to the wraps that run them.
const wrapsVar = "GOPROFINSTR_WRAPS"

// lockOutput waits until no other wrap writes to the output directory. It refuses to wait for one that waits for
// this process.
func lockOutput(out *profiledir.Dir) error {
	return out.Lock(func(h profiledir.Holder) error {
		if isInside(out.Path) || h.RunsThis() {
			return fmt.Errorf("output directory %s is that of the wrap which runs this command, %v; choose another with -o",
				out.Path, h)
		}
		fmt.Fprintf(os.Stderr, "goprofinstr: waiting for %v, which writes to %s\n", h, out.Path)
		return nil
	})
}

// isInside reports whether the environment says that a wrap with this output directory runs this process.
func isInside(dir string) bool {
	return slices.Contains(filepath.SplitList(os.Getenv(wrapsVar)), dir)
}

// inside returns the environment variable for processes that a wrap with this output directory runs.
func inside(dir string) string {
	outer := filepath.SplitList(os.Getenv(wrapsVar))
	return wrapsVar + "=" + strings.Join(append(outer, dir), string(filepath.ListSeparator))
}

// shown returns the name of an output directory for messages: relative, if it is below the current directory.
func shown(dir string) string {
	return strings.TrimPrefix(shortPath("", dir), "."+string(filepath.Separator))
}

// shortPath returns the name of a file as the go command shows it that runs in a folder: relative to that, unless
// the whole name is shorter.
func shortPath(dir, name string) string {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return name
	}
	rel, err := filepath.Rel(dir, name)
	if err != nil {
		return name
	}
	if !strings.HasPrefix(rel, "..") {
		rel = "." + string(filepath.Separator) + rel
	}
	if len(rel) < len(name) {
		return rel
	}
	return name
}
