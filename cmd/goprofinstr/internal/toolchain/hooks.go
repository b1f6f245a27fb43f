package toolchain

import (
	"cmp"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/gocmd"
	"github.com/goprofinstr/goprofinstr/rewrite/release"
	"github.com/goprofinstr/goprofinstr/rewrite/target"
)

// Hooks returns the hooks that the runtime of the toolchain has places for, as the go command of c compiles it: with the
// user's overlay, which may be nil. With perTest package testing has hooks, too.
//
// A place is found by text around it. What the hooks use there may be another thing in a release that nobody has tried. So
// they are compiled there, and those that do not compile are left out.
func (tc *Toolchain) Hooks(c *gocmd.Command, user *target.Overlay, perTest bool) (*target.Hooks, error) {
	if h := tc.hooks[perTest]; h != nil {
		return h, nil
	}
	h := tc.HooksByText(user, perTest)
	var refused []target.Missing
	for len(h.Files) > 0 {
		out, err := tc.Try(c, user, h)
		if err != nil {
			return nil, err
		}
		if out == "" {
			break
		}
		refused = append(refused, h.Refused(tc.Target(), out)...)
		h = target.RuntimeHooks(tc.Target(), perTest, user.Source, refused...)
	}
	if tc.hooks == nil {
		tc.hooks = make(map[bool]*target.Hooks)
	}
	tc.hooks[perTest] = h
	return h, nil
}

// Try returns what the go command of c says of mistakes when it compiles hooks, "" if there are none. It compiles nothing in a
// release that is known, unless the user's overlay changes its standard library.
func (tc *Toolchain) Try(c *gocmd.Command, user *target.Overlay, h *target.Hooks) (mistakes string, err error) {
	if release.Knows(tc.GOVERSION) && !tc.changesRuntime(user) {
		return "", nil
	}
	return tc.compile(c, user, h)
}

// HooksByText returns the hooks by the text of the runtime, and compiles nothing.
func (tc *Toolchain) HooksByText(user *target.Overlay, perTest bool) *target.Hooks {
	return target.RuntimeHooks(tc.Target(), perTest, user.Source)
}

// changesRuntime reports whether an overlay has files for the standard library.
func (tc *Toolchain) changesRuntime(user *target.Overlay) bool {
	if user == nil {
		return false
	}
	src := filepath.Join(tc.GOROOT, "src") + string(filepath.Separator)
	for name := range user.Replace {
		if strings.HasPrefix(name, src) {
			return true
		}
	}
	return false
}

// compile is Try in each release.
func (tc *Toolchain) compile(c *gocmd.Command, user *target.Overlay, h *target.Hooks) (mistakes string, err error) {
	dir, err := os.MkdirTemp(cmp.Or(tc.Work, c.TempDir()), "goprofinstr-hooks-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	overlay, err := target.Write(dir, tc.Target(), target.Sources{User: user, Hooks: h})
	if err != nil {
		return "", err
	}
	flags := slices.DeleteFunc(c.LoadFlags(), func(f string) bool { return strings.HasPrefix(f, "-overlay=") })
	args := slices.Concat([]string{"build"}, flags, []string{"-overlay=" + overlay, "--", "goprofinstr/rt", "runtime/pprof", "testing"})
	cmd := exec.Command(tc.Go, args...)
	cmd.Dir, cmd.Env = c.Dir, tc.HelperEnviron()
	out, err := tc.Helpers.CombinedOutput(cmd)
	if err == nil || errors.Is(err, context.Canceled) {
		return "", err
	}
	return string(out) + "\n" + err.Error(), nil
}
