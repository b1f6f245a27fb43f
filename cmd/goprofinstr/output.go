package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/gocmd"
	"github.com/goprofinstr/goprofinstr/export/profile"
)

// defaultOut is the output directory if -o names no other.
const defaultOut = "goprofinstr.out"

// warnOfOut tells the user of an -o that means nothing: c runs no program that could write there.
func warnOfOut(out string, c *gocmd.Command) {
	if out != defaultOut {
		fmt.Fprintf(os.Stderr, "goprofinstr: warning: -o %s is left unused, since go %s runs nothing; "+
			"programs write to the directory $%s\n", out, c.Verb, profile.DirVar)
	}
}

// wrapsVar is the environment variable that tells commands which output directories belong to the wraps that run them.
const wrapsVar = "GOPROFINSTR_WRAPS"

// lockOutput waits until no other wrap writes to the output directory. It refuses to wait for one that waits for
// this process.
func lockOutput(out *profile.Dir) error {
	return out.Lock(func(h profile.Holder) error {
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

// keepEarlier tells the user that the profile in the output directory is that of an earlier wrap, and why.
func keepEarlier(out *profile.Dir, why string) {
	fmt.Fprintf(os.Stderr, "goprofinstr: %s: %s keeps the earlier profile\n", why, shown(out.Path))
}

// shown returns the name of an output directory for messages: relative, if it is below the current directory.
func shown(dir string) string {
	return strings.TrimPrefix(shortPath("", dir), "."+string(filepath.Separator))
}
