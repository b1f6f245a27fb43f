// Package outdir has what commands that write a profile directory share: how they wait for one another, and what they
// tell the user of it.
package outdir

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/goprofinstr/goprofinstr/export/profiledir"
	"github.com/goprofinstr/goprofinstr/internal/show"
)

// Default is the output directory if -o names no other.
const Default = "goprofinstr.out"

// wrapsVar is the environment variable that tells commands which output directories belong to the wraps that run them.
const wrapsVar = "GOPROFINSTR_WRAPS"

// Lock waits until no other wrap writes to the output directory. It refuses to wait for one that waits for
// this process.
func Lock(out *profiledir.Dir) error {
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

// Env returns the environment variable for processes that a wrap with this output directory runs.
func Env(out *profiledir.Dir) string {
	outer := filepath.SplitList(os.Getenv(wrapsVar))
	return wrapsVar + "=" + strings.Join(append(outer, out.Path), string(filepath.ListSeparator))
}

// Shown returns the name of an output directory for messages: relative, if it is below the current directory.
func Shown(dir string) string {
	return strings.TrimPrefix(show.ShortPath("", dir), "."+string(filepath.Separator))
}

// WorkingDir returns the current directory relative to a root, with forward slashes; "" if there is no root.
func WorkingDir(root string) string {
	dir, err := os.Getwd()
	if err != nil || root == "" {
		return ""
	}
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	if real, err := filepath.EvalSymlinks(root); err == nil {
		root = real
	}
	rel, err := filepath.Rel(root, dir)
	if err != nil {
		return ""
	}
	return filepath.ToSlash(rel)
}

// SayKept tells the user that the profile in the output directory is that of an earlier wrap, and why.
func SayKept(out *profiledir.Dir, why string) {
	fmt.Fprintf(os.Stderr, "goprofinstr: %s: %s keeps the earlier profile\n", why, Shown(out.Path))
}
