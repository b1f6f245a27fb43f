package results

import (
	"bytes"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"

	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/cache"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/gocmd"
	"github.com/goprofinstr/goprofinstr/cmd/goprofinstr/internal/progress"
	"github.com/goprofinstr/goprofinstr/rewrite/target"
)

// A Std knows whether the standard library with hooks in package runtime is in the go command's build cache. If it
// is not, the go command compiles all of it, which takes much longer than anything else and which nothing on the
// screen explains.
type Std struct {
	store *Store
	cmd   *gocmd.Command
	flags []string // of the build
	key   cache.Key
	known bool // to be in the build cache
}

// Std looks for the compiled package runtime where it was the last time. Only if it is not there the go command is
// asked, which takes a tenth of a second.
func (r *Store) Std(c *gocmd.Command, overlay string, hooks *target.Hooks) *Std {
	s := &Std{store: r, cmd: c}
	h := cache.NewHash("std")
	h.Add(r.tc.DescribedStd())
	for _, flag := range c.LoadFlags() {
		if !strings.HasPrefix(flag, "-overlay=") {
			s.flags = append(s.flags, flag)
		}
	}
	h.Add(s.flags...)
	for _, name := range slices.Sorted(maps.Keys(hooks.Files)) {
		h.Add(name, string(hooks.Files[name]))
	}
	s.key = h.Key()
	s.flags = append(s.flags, "-overlay="+overlay)
	var file string
	if r.Get(s.key, &file) {
		_, err := os.Stat(file)
		s.known = err == nil
	}
	return s
}

// Missing reports whether the standard library has to be compiled.
func (s *Std) Missing() bool {
	return s != nil && !s.known && s.list("-f={{.Stale}}") == "true"
}

// SayStd says that the standard library is going to be compiled.
func SayStd() {
	progress.Above(os.Stderr, "goprofinstr: the standard library has to be compiled with our hooks first, "+
		"once for each toolchain and kind of build")
}

// Built notes where the compiled package runtime is, after a build that may have failed.
func (s *Std) Built() {
	if s == nil || s.known || s.list("-f={{.Stale}}") != "false" {
		return
	}
	if file := s.list("-export", "-f={{.Export}}"); file != "" {
		s.store.Put(s.key, file)
	}
}

// list returns what the go command says about package runtime, or "".
func (s *Std) list(flags ...string) string {
	cmd := exec.Command(s.store.tc.Go, slices.Concat([]string{"list"}, flags, s.flags, []string{"runtime"})...)
	cmd.Dir, cmd.Env = s.cmd.Dir, s.store.tc.HelperEnviron()
	out, err := s.store.tc.Helpers.Output(cmd)
	if err != nil {
		return ""
	}
	return string(bytes.TrimSpace(out))
}
